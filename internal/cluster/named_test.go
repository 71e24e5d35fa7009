package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// unsure is a control whose views are old for a while.
type unsure struct {
	control.Control
	until time.Time
}

func (u *unsure) View(context.Context) (*catalog.View, error) {
	if time.Now().Before(u.until) {
		return &catalog.View{Revision: 1, Age: time.Second}, nil
	}
	return &catalog.View{Revision: 2, Sets: []catalog.Set{{ID: 1, Name: "v"}, {ID: 2, Name: "words"}}}, nil
}

func (u *unsure) Watch(context.Context) (<-chan *catalog.View, error) {
	none := make(chan *catalog.View)
	close(none)
	return none, nil
}

func (u *unsure) Close() error { return nil }

type offline struct{ transport.Transport }

func (offline) Know(map[catalog.Peer]string) {}
func (offline) Close() error                 { return nil }

// A set that an old view lacks is there as soon as a fresh one has it; a fresh one is believed
// at once, and where none comes the error says so.
func TestNamed(t *testing.T) {
	for _, tt := range []struct {
		name, set  string
		old, takes time.Duration
		says       []string // nothing: it is found
	}{
		{"after a while", "v", 2 * time.Second, 2 * time.Second, nil},
		{"never", "v", time.Minute, lookedFor, []string{"no data set @v", "etcd does not answer", "1s old"}},
		{"at once", "w", 0, 0, []string{"no data set @w; it has @v, @words"}},
		{"nearly", "wrods", 0, 0, []string{"no data set @wrods; it has @v, @words"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := Connect(t.Context(), Config{
					Control: &unsure{until: time.Now().Add(tt.old)}, Self: catalog.FirstClient,
					Dial: func(catalog.Peer, func(catalog.Peer) (string, bool), transport.Handler) (transport.Transport, error) {
						return offline{}, nil
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				began := time.Now()
				_, err = c.named(tt.set)
				if took := time.Since(began); took < tt.takes || took > tt.takes+lookAgain {
					t.Errorf("it took %v, expected %v", took, tt.takes)
				}
				if (err == nil) != (tt.says == nil) || err != nil && !errors.Is(err, ErrNoSet) {
					t.Errorf("found it: %v", err)
				}
				none := (*NoSetError)(nil)
				if help := "did you mean `@words`?"; errors.As(err, &none) && (none.Help == help) != (tt.set == "wrods") {
					t.Errorf("the help is %q", none.Help)
				}
				for _, text := range tt.says {
					if err != nil && !strings.Contains(err.Error(), text) {
						t.Errorf("the error is %q, expected %q in it", err, text)
					}
				}
			})
		})
	}
}
