package run

import (
	"context"
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// A kernel finds zeros where it writes a result, also where a closed one has left its values.
func TestReusedMemoryIsZero(t *testing.T) {
	eng, err := engine.New(engine.Options{Tier: engine.Stepper})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	const n = 5<<20 + 1
	old := mem.FreshResult(n, false, false)
	for i := range old {
		old[i] = 0xa5
	}
	eng.Results().Give(old)
	m := &memory{about: []about{{kind: num.U8, given: true}}, eng: eng, ctx: context.Background(),
		pool: engine.NewPool(2), buffers: make([]buffer, 1), inputs: make([]*input, 1), opt: Options{Machine: machine.Default(), beyond: true}}
	defer m.pool.Close()
	if err := m.roomForeign(0, n, "", false); err != nil {
		t.Fatal(err)
	}
	got := m.buffers[0].foreign
	if len(got) != n || unsafe.SliceData(got) != unsafe.SliceData(old) {
		t.Fatalf("%d bytes elsewhere", len(got))
	}
	for i, b := range got {
		if b != 0 {
			t.Fatalf("byte %d of a new result has what an earlier one left", i)
		}
	}
}
