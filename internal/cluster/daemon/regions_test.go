package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Memory belongs to a signer, has the size that was asked for first, and stays.
func TestMemoryOfPackages(t *testing.T) {
	r := newRegions(400)
	defer r.close()
	a, err := r.memory(t.Context(), "client/x", "a", "counter", 8)
	if err != nil {
		t.Fatal(err)
	}
	a.mem.Bytes()[0] = 7
	r.release(a)
	again, err := r.memory(t.Context(), "client/x", "a", "counter", 4)
	if err != nil || again != a || again.mem.Bytes()[0] != 7 {
		t.Errorf("the region is not the one that was made: %v", err)
	}
	r.release(again)
	b, err := r.memory(t.Context(), "client/x", "b", "counter", 16)
	if err != nil || b == a || len(b.mem.Bytes()) != 16 || b.mem.Bytes()[0] != 0 {
		t.Errorf("another signer's region: %v", err)
	}
	for _, c := range []struct {
		signer string
		bytes  int64
		want   string
	}{
		{"a", 9, "has 8 bytes on this node, 9 were asked for"},
		{"c", 101, "no room for a region of 101 bytes: packages have 16 of 100"},
	} {
		_, err := r.memory(t.Context(), "client/x", c.signer, "counter", c.bytes)
		var w *node.WorkError
		if !errors.As(err, &w) || w.Reason != parcel.Refused || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes: %v", c.bytes, err)
		}
	}
	if r.bytes() != 16 { // the unused one made room
		t.Errorf("%d bytes are counted", r.bytes())
	}
}

// Copies of data are made once, go for others when nobody uses them, the least
// recently used first, and with their set.
func TestCopiesMakeRoom(t *testing.T) {
	r := newRegions(30)
	defer r.close()
	made := map[string]int{}
	get := func(key string, set uint32) (*region, error) {
		return r.acquire(t.Context(), key, set, 10, func(_ context.Context, b []byte) error { made[key]++; b[0] = key[0]; return nil })
	}
	hold := func(key string, set uint32) *region {
		g, err := get(key, set)
		if err != nil || g.mem.Bytes()[0] != key[0] {
			t.Fatalf("%s: %v", key, err)
		}
		return g
	}
	a, b, c := hold("a", 1), hold("b", 1), hold("c", 2)
	if _, err := get("d", 1); err == nil {
		t.Error("a region was taken away that is in use")
	}
	r.release(b)
	r.release(a)
	r.release(hold("a", 1)) // used after b
	r.release(hold("d", 1))
	r.release(hold("b", 1)) // takes the place of a
	if made["a"] != 1 || made["b"] != 2 || made["d"] != 1 {
		t.Errorf("made %v", made)
	}
	r.retain(&catalog.View{})
	if r.bytes() != 10 {
		t.Errorf("%d bytes are left of sets that are no more, 10 are in use", r.bytes())
	}
	r.release(c)
	r.retain(&catalog.View{})
	if r.bytes() != 0 {
		t.Errorf("%d bytes are left", r.bytes())
	}
}

// One that cannot be filled is tried again by the next.
func TestCopyFails(t *testing.T) {
	r := newRegions(30)
	defer r.close()
	bad := errors.New("bad rows")
	if _, err := r.acquire(t.Context(), "a", 1, 10, func(context.Context, []byte) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if r.bytes() != 0 {
		t.Errorf("%d bytes are counted", r.bytes())
	}
	g, err := r.acquire(t.Context(), "a", 1, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.release(g)
}

// Many at once get the same, made once.
func TestRegionsAtOnce(t *testing.T) {
	r := newRegions(1 << 20)
	defer r.close()
	var all sync.WaitGroup
	made := 0
	for range 16 {
		all.Go(func() {
			for range 50 {
				g, err := r.acquire(t.Context(), "rows", 1, 64, func(context.Context, []byte) error { made++; return nil })
				if err != nil {
					t.Error(err)
					return
				}
				r.release(g)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

// Memory of packages counts to an owner, who has a part of all: that one's least recently used
// goes when it needs more, and what nobody uses goes after a while.
func TestMemoryOfAnOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(40)
		defer r.close()
		get := func(owner, name string, n int64) (*region, error) {
			return r.memory(t.Context(), owner, "signer", name, n)
		}
		use := func(owner, name string, n int64) error {
			g, err := get(owner, name, n)
			if err == nil {
				r.release(g)
			}
			return err
		}
		for i := range 100 {
			if err := use("client/a", fmt.Sprint(i), 5); err != nil {
				t.Fatal(err)
			}
		}
		for _, owner := range []string{"client/b", "client/c"} {
			if err := use(owner, owner, 10); err != nil {
				t.Fatal(err)
			}
		}
		if r.bytes() != 30 || r.held["memory/signer/99"] == nil || r.held["memory/signer/98"] == nil {
			t.Errorf("%d bytes: %v", r.bytes(), slices.Sorted(maps.Keys(r.held)))
		}
		if err := use("client/d", "large", 11); err == nil || !strings.Contains(err.Error(), "one certificate") {
			t.Errorf("more than an owner's part: %v", err)
		}
		one, err := get("client/d", "one", 6)
		if err != nil {
			t.Fatal(err)
		}
		if err := use("client/d", "two", 6); err == nil {
			t.Error("what is in use made room")
		}
		time.Sleep(regionIdle + time.Second)
		synctest.Wait()
		if r.bytes() != 6 {
			t.Errorf("after a while without use %d bytes are there, expected those in use", r.bytes())
		}
		r.release(one)
		time.Sleep(regionIdle - time.Second)
		if err := use("client/d", "one", 6); err != nil || r.held["memory/signer/one"] != one {
			t.Errorf("it went before its time: %v", err)
		}
	})
}
