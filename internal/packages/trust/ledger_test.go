package trust

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

func ledger(t *rapid.T, path string) *Ledger {
	g, err := OpenLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Whatever sequence of lists is written to the cluster's record, by whom and however
// often the node starts again: what was revoked once stays revoked on a node that saw it.
func TestLedgerNeverForgets(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "ledger")
		defer os.Remove(path)
		g := ledger(t, path)
		var all []List
		for range rapid.IntRange(1, 6).Draw(t, "lists") {
			if rapid.Bool().Draw(t, "restart") {
				g = ledger(t, path)
			}
			l := drawn(t) // as if nobody kept to any rule
			all = append(all, l)
			lacked := !g.List().Lacks(l).Empty()
			if changed, err := g.Merge(l); err != nil || changed != lacked {
				t.Fatalf("%s: changed %v, want %v: %v", l, changed, lacked, err)
			}
			for _, g := range []*Ledger{g, ledger(t, path)} {
				for _, old := range all {
					holds(t, g, old)
				}
			}
		}
		if changed, err := g.Merge(all[0]); changed || err != nil {
			t.Fatalf("again: %v, %v", changed, err)
		}
	})
}

// holds says that all that a list revokes is revoked.
func holds(t *rapid.T, g *Ledger, old List) {
	t.Helper()
	now := g.List()
	if lost := now.Lacks(old); !lost.Empty() || len(now.Keys) > 0 {
		t.Fatalf("lost: %s, or trusts: %v", lost, now.Keys)
	}
	for _, s := range old.Serials {
		if !g.Revoked(s) {
			t.Fatalf("certificate %s is let in again", s)
		}
	}
	merged, err := List{}.Merge(now)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range old.Revoked {
		if _, err := merged.Add("back", k.Public); err == nil {
			t.Fatalf("the key %s is back", k.Name)
		}
	}
}

func TestLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t), drawn(t)
		lost := a.Lacks(b)
		if len(lost.Keys) > 0 {
			t.Fatal("trusted keys are no revocations")
		}
		both, err := a.Merge(lost)
		if err != nil {
			t.Fatal(err)
		}
		if !both.Lacks(b).Empty() || !a.Lacks(a).Empty() {
			t.Fatalf("%s and what it lacks of %s is still not all", a, b)
		}
		if a.Lacks(b).Empty() != (len(a.Revoked)+len(a.Packages)+len(a.Serials) == len(both.Revoked)+len(both.Packages)+len(both.Serials)) {
			t.Fatalf("%s lacks %s of %s", a, lost, b)
		}
	})
}

func TestLedgerDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	g, err := OpenLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := List{}.RevokeCertificate(serial(1))
	if err != nil {
		t.Fatal(err)
	}
	if l, err = l.RevokePackage(pack.ID{7}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Merge(l); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenLedger(path); err == nil || !strings.Contains(err.Error(), path+" is damaged") || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range good {
		other := append([]byte{}, good...)
		other[i] ^= 1 << (i % 8)
		refused("a bit flipped", other)
		refused("cut short", good[:i])
	}
	refused("longer", append(good[:len(good):len(good)], '\n'))
	trusting := append([]byte(ledgerTitle), text2bytes(t, must(t, adding("a", 1)))...)
	refused("trusts a key", append(trusting, "\n"+ledgerSum+sumOf(trusting)...))
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if g, err = OpenLedger(path); err != nil || !g.Revoked(serial(1)) || len(g.List().Packages) != 1 {
		t.Errorf("the good one: %v", err)
	}
}

func text2bytes(t *testing.T, l List) []byte {
	b, err := l.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What cannot be written holds all the same, and is written later.
func TestLedgerCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	path := filepath.Join(dir, "ledger")
	g, err := OpenLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := List{}.RevokeCertificate(serial(1))
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := g.Merge(l); !changed || err == nil || !strings.Contains(err.Error(), "is forgotten if this node ends") || !g.Revoked(serial(1)) {
		t.Errorf("%v, %v", changed, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if changed, err := g.Merge(List{}); changed || err != nil {
		t.Errorf("%v, %v", changed, err)
	}
	if g, err = OpenLedger(path); err != nil || !g.Revoked(serial(1)) {
		t.Errorf("not written: %v", err)
	}
}

// A full ledger keeps what it has, and says so.
func TestLedgerIsLimited(t *testing.T) {
	g, err := OpenLedger(filepath.Join(t.TempDir(), "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	for part := range MaxLedger/MaxEntries + 1 {
		var l List
		for i := range MaxEntries {
			var id pack.ID
			binary.BigEndian.PutUint32(id[:], uint32(part*MaxEntries+i))
			l.Packages = append(l.Packages, id)
		}
		_, err = g.Merge(l)
		if full := part == MaxLedger/MaxEntries; full != (err != nil) {
			t.Fatalf("part %d: %v", part, err)
		}
	}
	if !strings.Contains(err.Error(), "is full") || len(g.List().Packages) != MaxLedger {
		t.Error(err)
	}
	if again, err := OpenLedger(g.path); err != nil || len(again.List().Packages) != MaxLedger {
		t.Errorf("it cannot be read again: %v", err)
	}
}

func FuzzLedger(f *testing.F) {
	for i := range 10 {
		body := append([]byte(ledgerTitle), func() []byte {
			b, err := rapid.Custom(drawn).Example(i).Revocations().MarshalJSON()
			if err != nil {
				f.Fatal(err)
			}
			return b
		}()...)
		f.Add(append(body, "\n"+ledgerSum+sumOf(body)...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseLedger(b)
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "ledger")
		g := &Ledger{path: path}
		g.list.Store(&l)
		if err := g.save(); err != nil {
			t.Fatal(err)
		}
		if again, err := os.ReadFile(path); err != nil || string(again) != string(b) {
			t.Fatalf("%q is written as %q: %v", b, again, err)
		}
	})
}
