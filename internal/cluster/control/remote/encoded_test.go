package remote

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// A view is encoded once for all who ask for it and all who watch, with its age for who gets an old one.
func TestEncodedOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	c := b.client(identity.Client)
	service := b.nodes[0].service
	ask := func() *encoded {
		a, err := service.do(within(t), caller{}, &request{Do: doView})
		check(t, err)
		if a.Age != 0 || a.view == nil {
			t.Fatalf("the answer is %+v", a)
		}
		return a.view
	}
	for _, name := range []string{"v", "w"} {
		s := b.load(c, name)
		first := ask()
		if _, ok := first.view.Set(s.ID); !ok {
			t.Fatalf("the view lacks %s", name)
		}
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if again := ask(); again != first || &again.answer(0)[0] != &first.answer(0)[0] {
					t.Error("the same view was encoded again")
				}
			})
		}
		wg.Wait()
		for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if newest, _ := service.last(); newest == first {
				break
			}
			if time.Now().After(until) {
				t.Fatal("who watches gets another encoding")
			}
		}
		for _, age := range []int64{0, 1234} {
			a := &answer{}
			check(t, json.Unmarshal(first.answer(age), a))
			v, err := a.decode()
			check(t, err)
			if _, ok := v.Set(s.ID); !ok || v.Age != time.Duration(age)*time.Millisecond {
				t.Errorf("a view of age %d ms was read as %+v", age, v)
			}
		}
	}
}
