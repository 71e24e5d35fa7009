package control

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

const small = 8 << 20 // quota

// fill writes up to n records of a sixteenth of the small quota, under one key or many.
func fill(t *testing.T, s *Server, n int, many bool) error {
	t.Helper()
	c := v3client.New(s.e.Server)
	for i := range n {
		key := "/other"
		if many {
			key = fmt.Sprint("/other/", i)
		}
		if _, err := c.Put(within(t), key, string(make([]byte, small/16))); err != nil {
			return err
		}
	}
	return nil
}

// Data sets stop at half of the quota, and everything else goes on.
func TestHalfFull(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Name: "one", Quota: small})
	c := dial(t, Options{}, s)
	a := join(t, c, "a")
	known := flights(t, c, a, a, "known")
	known.Shards[0].Assigned = known.Shards[0].Assigned[:1]
	check(t, c.Commit(within(t), known))
	waiting := flights(t, c, a, a, "waiting")
	waiting.Shards[0].Assigned = waiting.Shards[0].Assigned[:1]
	check(t, fill(t, s, 9, true)) // a little more than half, with what a busy member writes besides
	time.Sleep(2 * weighAgain)

	_, err := c.Allocate(within(t))
	refused[*FullError](t, err)
	refused[*FullError](t, c.Commit(within(t), waiting))
	_, err = c.Replace(within(t), waiting)
	refused[*FullError](t, err)
	refused[*FullError](t, a.Hold(within(t), Held{Set: waiting.ID, Shard: 2, Sum: [32]byte{1}}))
	check(t, a.Hold(within(t), Held{Set: known.ID, Shard: 1, Sum: known.Shards[1].Sum}))
	check(t, a.Unhold(within(t), waiting.ID, 0))
	join(t, c, "b")
	must[trust.List](t)(c.Trust(within(t), func(l trust.List) (trust.List, error) { return l, nil }))
	must[*catalog.Set](t)(c.Remove(within(t), known.Name))
	_, err = s.Control().Allocate(within(t)) // in the member's process
	refused[*FullError](t, err)

	must[*clientv3.DeleteResponse](t)(v3client.New(s.e.Server).Delete(within(t), "/other/", clientv3.WithPrefix()))
	for try := 0; ; try++ {
		if _, err = c.Allocate(within(t)); err == nil {
			break
		}
		if refused[*FullError](t, err); try == 240 { // a busy disk compacts slowly
			t.Fatal("what was removed is not free")
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// History alone does not fill the database.
func TestHistory(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Name: "one", Quota: small})
	kv := s.e.Server.KV()
	for range 15 { // nearly four times the quota
		check(t, fill(t, s, 4, false))
		// Revisions are given up at once, their space when a busy disk is done with it; that of the last ones is
		// free with the next change. What counts against the quota is the file, with the pages that are free.
		backend := s.e.Server.Backend()
		for end := time.Now().Add(time.Minute); kv.FirstRev() < kv.Rev() || backend.SizeInUse() > small/4 || backend.Size() > small/8*5; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("revisions from %d to %d are kept, and %d of %d bytes", kv.FirstRev(), kv.Rev(), backend.SizeInUse(), backend.Size())
			}
		}
	}
}

// A member whose database was full for once is of use again when it starts.
func TestFullAtStart(t *testing.T) {
	t.Parallel()
	cfg := Config{Name: "one", Dir: t.TempDir(), Quota: small}
	s := start(t, cfg)
	s.cancel() // as older versions, which looked after nothing
	s.tending.Wait()
	// Only what is on disk counts as full, and changes go there a tenth of a second later.
	var err error
	for end := time.Now().Add(time.Minute); err == nil && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		err = fill(t, s, 4, false)
	}
	if !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Fatalf("the database is not full: %v", err)
	}
	check(t, s.Close())
	c := dial(t, Options{}, start(t, cfg))
	join(t, c, "a")
	must[uint32](t)(c.Allocate(within(t)))
}
