package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// scaled is r0[i] = n·i.
func scaled(t *testing.T, n int64) []byte {
	rows := size.Var("s0")
	b, o, _, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{{Elem: num.I64, Len: rows, Access: kernel.Write}},
		Outer:   rows, Grain: size.Const(1), Count: rows,
	})
	b.Store(0, o, b.Wrap(num.Mul, o, b.Int(n)))
	code, err := kernel.Encode(b.Finish())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// A node that starts compiles the kernels on its disk before anybody needs them.
func TestRecall(t *testing.T) {
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []kernel.ID
	for n := range int64(4) {
		code := scaled(t, n+2)
		if err := st.KeepCode(code); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, kernel.Hash(code))
		time.Sleep(2 * time.Millisecond) // they differ in age
	}
	ctl, hub := control.NewMemory(), memnet.NewHub(1, memnet.Config{})
	m, err := ctl.Join(t.Context(), control.Member{Name: "a", Address: "a", Secret: st.Identity()})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Start(context.Background(), Config{Name: "a", Store: st, Control: ctl, Membership: m, Memory: 64 << 20,
		Limits: node.Limits{Parcels: 4, Bytes: 1 << 20, Steps: 1 << 20, Turns: 1, Codes: 3, Jobs: 2, Retry: 1, RegionBytes: 1 << 20, CodeBytes: 1 << 20, Calls: 1},
		Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return hub.Join(self, h)
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	codes := func() int { return d.status().Codes }
	for deadline := time.Now().Add(time.Minute); codes() < 3; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a long time %d kernels are compiled", codes())
		}
	}
	for i, id := range ids {
		if _, ok := d.eng.Lookup(id); ok != (i > 0) {
			t.Errorf("kernel %d is compiled: %v; expected the newest three", i, ok)
		}
	}
}
