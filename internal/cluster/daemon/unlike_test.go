package daemon

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// A file that is whole and has a description and sums of its own, but is not the one of the
// catalogue, is set aside at start, before anything is read, and can be made again.
func TestWholeButUnlike(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	must(t, k.Close())
	swap(t, k)
	k.start(t, k.dir, Scrub{})
	for until := time.Now().Add(time.Minute); len(k.damaged()) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("nothing was set aside")
		}
	}
	if d := k.damaged(); len(d) != 1 || d[0].Set != k.set || !strings.Contains(d[0].Reason, "the catalogue says") {
		t.Errorf("set aside: %+v", d)
	}
	k.await(t, "that the shard is not here", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 0 })
	must(t, k.st.Put(store.Itself, k.file, 0, k.good))
	must(t, k.st.Seal(k.file))
	must(t, k.hold(t.Context(), &k.file))
	k.await(t, "the shard", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 1 })
	if got, err := os.ReadFile(k.path()); err != nil || !bytes.Equal(got, k.good) {
		t.Errorf("another file is here, %v", err)
	}
}

// A scrub compares with the catalogue, too.
func TestScrubFindsUnlike(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	v := *k.view.Load()
	v.Sets = slices.Clone(v.Sets)
	v.Sets[0].Shards = slices.Clone(v.Sets[0].Shards)
	v.Sets[0].Shards[0].Sum[0] ^= 1
	k.view.Store(&v)
	k.scrub.ask(0)
	for until := time.Now().Add(time.Minute); k.scrub.report().Ended.IsZero(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("no pass has ended")
		}
	}
	if s := k.scrub.report(); s.Shards != 1 || s.Bad != 1 || len(k.damaged()) != 1 {
		t.Errorf("the pass says %+v; set aside: %+v", s, k.damaged())
	}
}

// swap puts another whole file, with all that belongs beside it, in the place of the shard.
func swap(t *testing.T, k *kept) {
	t.Helper()
	other := slices.Clone(k.good)
	other[len(other)/5] ^= 1
	f := k.file
	f.Sum = sha256.Sum256(other)
	dir := t.TempDir()
	s, err := store.Open(dir, store.Options{})
	must(t, err)
	must(t, s.Put(store.Itself, f, 0, other))
	must(t, s.Seal(f))
	must(t, s.Close())
	from := filepath.Join(dir, "sets", filepath.Base(filepath.Dir(k.path())))
	must(t, os.RemoveAll(filepath.Dir(k.path())))
	must(t, os.CopyFS(filepath.Dir(k.path()), os.DirFS(from)))
}
