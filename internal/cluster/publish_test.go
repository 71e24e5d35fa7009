package cluster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// unheard is a control whose commits are done although their answer is lost.
type unheard struct {
	control.Control
	blind bool // nor can the catalogue be read afterwards
	done  bool
}

var errUnheard = errors.New("the answer was lost")

func (u *unheard) Commit(ctx context.Context, s *catalog.Set) error {
	u.done = true
	return errors.Join(u.Control.Commit(ctx, s), errUnheard)
}

func (u *unheard) Replace(ctx context.Context, s *catalog.Set) (*catalog.Set, error) {
	u.done = true
	_, err := u.Control.Replace(ctx, s)
	return nil, errors.Join(err, errUnheard)
}

func (u *unheard) View(ctx context.Context) (*catalog.View, error) {
	if u.blind && u.done {
		return nil, errUnheard
	}
	return u.Control.View(ctx)
}

func (u *unheard) Close() error { return nil }

func numbersOf(n int) data.Source {
	return data.FromBytes("numbers", []data.Column{{Name: "v", Kind: num.I64, Stored: "int64"}}, int64(n), [][]byte{make([]byte, 8*n)}, nil)
}

// holders counts the replicas of a set as views have them.
func holders(t *testing.T, b *bed, name string) (n int) {
	t.Helper()
	v, err := b.Control.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set, ok := v.Named(name)
	if !ok {
		t.Fatalf("there is no @%s", name)
	}
	for i := range set.Shards {
		n += len(set.Shards[i].Replicas)
	}
	return n
}

// What was committed stays, whatever the client hears of it: neither it nor what it replaces
// is cleaned up.
func TestCommitWithoutAnswer(t *testing.T) {
	for _, blind := range []bool{false, true} {
		for _, replace := range []bool{false, true} {
			b := newBed(t, 3)
			if replace {
				if err := b.load(numbersOf(30), "x", cluster.LoadOptions{Shards: 3, Replicas: 2}); err != nil {
					t.Fatal(err)
				}
			}
			u := &unheard{Control: b.Control, blind: blind}
			c, err := cluster.Connect(t.Context(), cluster.Config{Control: u, Self: catalog.FirstClient + 77,
				Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
					return b.Network.Join(self, h)
				}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Load(t.Context(), numbersOf(60), "x", cluster.LoadOptions{Shards: 2, Replicas: 2, Replace: replace})
			if (err != nil) != blind {
				t.Errorf("blind %v, replace %v: %v", blind, replace, err)
			}
			if got := holders(t, b, "x"); got != 4 {
				t.Errorf("blind %v, replace %v: %d replicas are left of 4", blind, replace, got)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A node keeps what the catalogue lists, whoever asks it to drop that, and a file that is not the one
// which is to be dropped.
func TestDropOfListed(t *testing.T) {
	b := newBed(t, 1)
	if err := b.load(numbersOf(30), "x", cluster.LoadOptions{Shards: 1}); err != nil {
		t.Fatal(err)
	}
	v, err := b.Control.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set, _ := v.Named("x")
	s := set.Shards[0]
	blob := parcel.Blob{Set: set.ID, Lo: s.Lo, Hi: s.Hi, Total: s.Bytes, Sum: s.Sum}
	if err := b.Client.Blob(t.Context(), parcel.Drop, 1, &blob); err == nil {
		t.Error("a shard was dropped of a set that the catalogue lists")
	}
	if _, err := b.Control.Remove(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	other := blob
	other.Sum[0]++
	if err := b.Client.Blob(t.Context(), parcel.Drop, 1, &other); err == nil {
		t.Error("another file was dropped than the one that was meant")
	}
	held := func() bool {
		return slices.ContainsFunc(b.Nodes[0].Report().Shards, func(h daemon.Held) bool { return h.Set == set.ID })
	}
	if !held() {
		t.Fatal("the shard is gone")
	}
	if err := b.Client.Blob(t.Context(), parcel.Drop, 1, &blob); err != nil || held() {
		t.Errorf("the shard was not dropped: %v", err)
	}
}
