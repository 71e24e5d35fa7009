package store

import (
	"strings"
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
		refused[*BusyError](t, begin("d", 20_000)) // there is room when the others have ended
		refused[*FullError](t, begin("d", 40_001))
		check(t, begin("d", 1_000))
		// The node itself has no limit but the space, also when all places are taken.
		for i := range 5 {
			check(t, begin(string(rune('e'+i)), 1))
		}
		refused[*BusyError](t, begin("z", 1))
		for range 20 {
			check(t, begin(Itself, 10))
		}
		// What ends makes a place, the last one for who has none.
		check(t, s.Drop(1, 1))
		refused[*BusyError](t, begin("a", 10))
		check(t, begin("z", 10))
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

// An upload of which too little comes ends, however often something comes and however large
// it is; one that comes at the least rate goes on.
func TestUploadTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, t.TempDir(), Options{Rate: 100})
		slow, fair := File{Set: 1, Hi: 1, Bytes: 1 << 20}, File{Set: 2, Hi: 1, Bytes: 1 << 20}
		ended := time.Duration(0)
		for at := range int64(60) {
			if used, _ := s.Usage(); used != slow.Bytes+fair.Bytes && at > 0 {
				ended = time.Duration(at) * 20 * time.Second
				break
			}
			check(t, s.Put("a", slow, at, []byte{1}))
			check(t, s.Put("b", fair, 2100*at, make([]byte, 2100)))
			time.Sleep(20 * time.Second)
			synctest.Wait()
		}
		if u := s.uploads[fair.key()]; ended != time.Minute+20*time.Second && ended != time.Minute || u == nil || u.have < 6000 {
			t.Errorf("what came by single bytes ended after %v; the other one: %+v", ended, u)
		}
	})
}

// What an owner has stored and not committed leaves a tenth of what is free, and counts no
// more when its set is in the catalogue.
func TestBytesNotCommitted(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		o.Bytes = 1 << 20
		s := open(t, t.TempDir(), o)
		stored := int64(0)
		for set := uint32(1); ; set++ {
			f, b := numbers(t, set, 0, 0, 8000)
			if err := s.Put("a", f, 0, b); err != nil {
				if stored+f.Bytes <= o.Bytes/10*9 || stored > o.Bytes/10*9 || !strings.Contains(err.Error(), "not in the catalogue") {
					t.Errorf("after %d bytes of %d: %v", stored, o.Bytes, err)
				}
				check(t, s.Put("b", f, 0, b))
				s.Committed(func(n uint32) bool { return n < set })
				other, ob := numbers(t, set+1, 0, 0, 8000)
				check(t, s.Put("a", other, 0, ob))
				return
			}
			check(t, s.Seal(f))
			stored += f.Bytes
		}
	})
}

// A claim takes no space: a shard has that of what has arrived, and a little ahead. Who is refused
// because of others is told to come again, and finds room when they have ended.
func TestClaimsTakeNothing(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		o.Bytes, o.Ahead = 40_000, 1_000
		s := open(t, t.TempDir(), o)
		claimed := File{Set: 1, Hi: 1, Bytes: 40_000}
		check(t, s.Put("a", claimed, 0, []byte{1}))
		if used, _ := s.Usage(); used != 1_001 {
			t.Errorf("a byte of %d reserves %d", claimed.Bytes, used)
		}
		f, b := numbers(t, 2, 0, 0, 3_000)
		check(t, s.Put("b", f, 0, b))
		check(t, s.Seal(f))
		if used, _ := s.Usage(); used != f.Bytes+1_001 {
			t.Errorf("%d bytes are used by a shard of %d and 1001 reserved ones", used, f.Bytes)
		}
		check(t, s.Put("a", claimed, 1, make([]byte, 12_000)))
		other := File{Set: 3, Hi: 1, Bytes: 10_000}
		refused[*BusyError](t, s.Put("b", other, 0, []byte{1}))
		refused[*FullError](t, s.Put("a", claimed, 12_001, make([]byte, 8_000))) // nobody else is in the way
		check(t, s.Drop(1, 0))
		check(t, s.Put("b", other, 0, []byte{1}))
		if s.promised != 0 {
			t.Errorf("%d bytes are still to be allocated", s.promised)
		}
	})
}

// Shards of sets that are not in the catalogue are bounded in number, too.
func TestShardsNotCommitted(t *testing.T) {
	s := open(t, t.TempDir(), Options{Memory: true, Unlisted: 3})
	for set := range uint32(3) {
		f, b := numbers(t, set+1, 0, 0, 10)
		put(t, s, f, b)
		s.shards[f.key()].owner = "a"
	}
	f, b := numbers(t, 4, 0, 0, 10)
	if err := s.Put("a", f, 0, b); err == nil || !strings.Contains(err.Error(), "the most for one certificate") {
		t.Errorf("a shard too many: %v", err)
	}
	s.Committed(func(set uint32) bool { return set == 1 })
	check(t, s.Put("a", f, 0, b))
}
