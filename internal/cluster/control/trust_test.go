package control

import (
	"crypto/ed25519"
	"errors"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// testTrust: what one writes all see, nobody's change is lost, and an edit that
// fails changes nothing.
func testTrust(t *testing.T, w world) {
	c := w.open()
	views := must[<-chan *catalog.View](t)(w.open().Watch(within(t))) // on another connection
	if v := <-views; len(v.Trust.Keys) != 0 {
		t.Fatalf("a new cluster trusts %v", v.Trust)
	}
	const many = 8
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			key := ed25519.NewKeyFromSeed(append(make([]byte, 31), byte(i))).Public().(ed25519.PublicKey)
			_, err := c.Trust(within(t), func(l trust.List) (trust.List, error) { return l.Add(string('a'+rune(i)), key) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := until(t, views, func(v *catalog.View) bool { return len(v.Trust.Keys) == many })
	no := errors.New("no")
	if _, err := c.Trust(within(t), func(l trust.List) (trust.List, error) { return trust.List{}, no }); !errors.Is(err, no) {
		t.Errorf("an edit that fails: %v", err)
	}
	revoked := pack.ID{1}
	list := must[trust.List](t)(c.Trust(within(t), func(l trust.List) (trust.List, error) { return l.RevokePackage(revoked) }))
	if len(list.Keys) != many || len(list.Packages) != 1 {
		t.Errorf("the list is\n%v", list)
	}
	until(t, views, func(v *catalog.View) bool { return len(v.Trust.Packages) == 1 })
	if len(got.Trust.Packages) != 0 {
		t.Error("an older view has changed")
	}
	if v := must[*catalog.View](t)(c.View(within(t))); v.Trust.String() != list.String() {
		t.Errorf("the view says\n%v, not\n%v", v.Trust, list)
	}
}
