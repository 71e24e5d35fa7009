package store

import (
	"testing"
	"testing/synctest"
	"time"
)

// An owner with as many uploads as it may have, or with as much space, waits for its own.
func TestUploadsOfAnOwner(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		o.Uploads, o.Bytes = 12, 40_000
		s := open(t, t.TempDir(), o)
		var shard uint32
		begin := func(owner string, bytes int64) error {
			shard++
			return s.Put(owner, File{Set: 1, Shard: shard, Hi: 1, Bytes: bytes}, 0, []byte{1})
		}
		for range 3 {
			check(t, begin("a", 10))
		}
		refused[*BusyError](t, begin("a", 10))
		// A quarter of the space, whoever takes the rest.
		check(t, begin("b", 6_000))
		refused[*BusyError](t, begin("b", 4_001))
		check(t, begin("b", 4_000))
		refused[*BusyError](t, begin("b", 1))
		// One is taken that is larger, but not beyond all.
		check(t, begin("c", 20_000))
		refused[*BusyError](t, begin("c", 1))
		refused[*FullError](t, begin("d", 20_000))
		check(t, begin("d", 1_000))
		// The node itself has no limit but the space, also when all places are taken.
		for i := range 5 {
			check(t, begin(string(rune('e'+i)), 1))
		}
		refused[*BusyError](t, begin("z", 1))
		for range 20 {
			check(t, begin(Itself, 10))
		}
		// What ends makes a place.
		check(t, s.Drop(1, 1))
		check(t, begin("a", 10))
	})
}

// Who sends the same again and again, or nothing, makes no progress.
func TestUploadWithoutProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, t.TempDir(), Options{})
		f, b := numbers(t, 1, 0, 0, 10)
		check(t, s.Put("a", f, 0, b[:10]))
		own, ob := numbers(t, 2, 0, 0, 10)
		check(t, s.Put(Itself, own, 0, ob[:10]))
		for range 5 {
			time.Sleep(10 * time.Second)
			check(t, s.Put("a", f, 0, b[:10]))
			check(t, s.Put("a", f, 5, nil))
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if used, _ := s.Usage(); used != own.Bytes {
			t.Errorf("without progress %d bytes are still taken, of which %d are the node's own", used, own.Bytes)
		}
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		if used, _ := s.Usage(); used != 0 {
			t.Errorf("%d bytes of the node's own are still taken", used)
		}
	})
}

// What the node fetches for itself goes before what a client says of the same shard.
func TestItselfGoesFirst(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		s := open(t, t.TempDir(), o)
		f, b := numbers(t, 1, 0, 0, 10)
		wrong := f
		wrong.Sum[0]++
		check(t, s.Put("a", wrong, 0, b[:10]))
		check(t, s.Put(Itself, f, 0, b))
		refused[*WrongError](t, s.Put("a", wrong, 0, b[:10]))
		check(t, s.Seal(f))
	})
}
