package daemon

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

func keyOf(n byte) ed25519.PublicKey {
	return ed25519.NewKeyFromSeed(append(make([]byte, 31), n)).Public().(ed25519.PublicKey)
}

// knows makes a native that has installed packages by name and signer, without
// workers.
func knows(t *testing.T, list ...*installed) *native {
	t.Helper()
	n := newNative(&Config{Native: &Native{Workers: worker.New(worker.Options{}), RegionBytes: 1}})
	t.Cleanup(func() {
		if err := n.close(); err != nil {
			t.Error(err)
		}
	})
	for _, i := range list {
		n.installed[i.id] = i
	}
	return n
}

func named(name string, number, signer byte) *installed {
	return &installed{kernel.ID{number}, pack.ID{number}, keyOf(signer), pack.Object, &worker.Program{ID: name, Name: name}}
}

// What is revoked may not run any more, even when an older list comes back.
func TestRevoking(t *testing.T) {
	a, b := named("a", 1, 1), named("b", 2, 2)
	n := knows(t, a, b)
	both, err := trust.List{}.Add("one", keyOf(1))
	if err == nil {
		both, err = both.Add("two", keyOf(2))
	}
	if err != nil {
		t.Fatal(err)
	}
	if n.permits(a) == nil {
		t.Error("a package may run although nobody is trusted")
	}
	if ended, err := n.learn(both); err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v", ended, err)
	}
	less, err := both.RevokeKey(keyOf(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []trust.List{less, both} {
		if ended, err := n.learn(list); err != nil || len(ended) != 1 || ended[0] != a.id {
			t.Errorf("ended %v, %v", ended, err)
		}
		var w *node.WorkError
		if err := n.permits(a); !errors.As(err, &w) || w.Reason != parcel.Refused || !strings.Contains(err.Error(), "revoked") {
			t.Errorf("%v", err)
		}
		if err := n.permits(b); err != nil {
			t.Error(err)
		}
	}
	less, err = less.RevokePackage(b.content)
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := n.learn(less); err != nil || len(ended) != 2 {
		t.Errorf("ended %v, %v", ended, err)
	}
	if n.forget(a.id); n.find(a.id) != nil || n.find(b.id) != b {
		t.Error("not the one that was forgotten")
	}
}

// A name means a package of the same signer, a hash any.
func TestNamedPackages(t *testing.T) {
	a := named("a", 1, 1)
	n := knows(t, a, named("b", 2, 1), named("b", 3, 2), named("c", 4, 1), named("c", 5, 1), named("d", 6, 2))
	for name, want := range map[string]string{
		"a": "", "b": "", pack.ID{6}.String(): "", pack.ID{4}.String(): "",
		"c": "2 of that name are known", "d": "not known here with the same signature", pack.ID{7}.String(): "not known", "": "not known",
	} {
		id, err := n.named(a, name)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, %v", name, id, err)
		case name == "b" && id != (kernel.ID{2}):
			t.Errorf("b is %v", id)
		}
	}
}
