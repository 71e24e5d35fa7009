package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func open(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	check(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused[E error](t *testing.T, err error) E {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Fatalf("expected a %T, found %v", want, err)
	}
	return want
}

// numbers is the file of a shard with one column: lo, lo+1, … as i64.
func numbers(t *testing.T, set, shard uint32, lo, hi int64) (File, []byte) {
	t.Helper()
	var values []byte
	for i := lo; i < hi; i++ {
		values = binary.LittleEndian.AppendUint64(values, uint64(i))
	}
	var b bytes.Buffer
	check(t, data.WriteArrow("numbers", &b, &data.Output{Rows: hi - lo, Columns: []data.OutColumn{{Name: "n", Kind: num.I64, Values: values}}}))
	return File{set, shard, lo, hi, int64(b.Len()), sha256.Sum256(b.Bytes())}, b.Bytes()
}

func put(t *testing.T, s *Store, f File, b []byte) {
	t.Helper()
	check(t, s.Put(Itself, f, 0, b))
	check(t, s.Seal(f))
}

// first is the first number of a shard.
func first(src data.Source) (int64, error) {
	rows := src.Chunks()[0].Rows()
	d := []data.Dest{{Values: make([]byte, 8*rows)}}
	_, err := src.Fill(context.Background(), 0, []data.Want{{Kind: num.I64}}, d)
	return int64(binary.LittleEndian.Uint64(d[0].Values)), err
}

// inBoth runs a test with shards on the disk and in memory.
func inBoth(t *testing.T, f func(t *testing.T, o Options)) {
	t.Run("disk", func(t *testing.T) { f(t, Options{}) })
	t.Run("memory", func(t *testing.T) { f(t, Options{Memory: true}) })
}

func TestPutSealRead(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		s := open(t, t.TempDir(), o)
		f, b := numbers(t, 7, 2, 100, 300)
		put(t, s, f, b)
		h, err := s.Shard(7, 2)
		if err != nil || h.File != f {
			t.Fatalf("found %+v, expected %+v", h, f)
		}
		if n, err := first(h.Source); n != 100 || err != nil {
			t.Errorf("the first row is %d, %v", n, err)
		}
		if _, ok := h.Source.Raw(0); !ok {
			t.Error("the column cannot be mapped")
		}
		check(t, h.Release())
		if _, err := s.Shard(7, 1); !errors.Is(err, ErrNotHere) {
			t.Error("a shard that never came is there")
		}
		check(t, s.Put(Itself, f, 0, b)) // again, as after a lost answer
		check(t, s.Seal(f))
		if got := s.Shards(); !reflect.DeepEqual(got, []File{f}) {
			t.Errorf("the shards are %+v", got)
		}
		if used, _ := s.Usage(); used != f.Bytes {
			t.Errorf("%d bytes are in use, expected %d", used, f.Bytes)
		}
		check(t, s.Drop(7, 2))
		check(t, s.Drop(7, 2))
		if used, _ := s.Usage(); used != 0 || len(s.Shards()) != 0 {
			t.Errorf("%d bytes are in use by %v after all was dropped", used, s.Shards())
		}
	})
}

// Parts may come in any order, overlap, and come again.
func TestPartsInAnyOrder(t *testing.T) {
	s := open(t, t.TempDir(), Options{Memory: true})
	shard := uint32(0)
	rapid.Check(t, func(rt *rapid.T) {
		shard++
		f, b := numbers(t, 1, shard, 0, rapid.Int64Range(1, 50).Draw(rt, "rows"))
		got := make([]bool, len(b))
		for range rapid.IntRange(0, 20).Draw(rt, "parts") {
			lo := rapid.IntRange(0, len(b)).Draw(rt, "lo")
			hi := rapid.IntRange(lo, len(b)).Draw(rt, "hi")
			if err := s.Put(Itself, f, int64(lo), b[lo:hi]); err != nil {
				rt.Fatal(err)
			}
			for i := lo; i < hi; i++ {
				got[i] = true
			}
		}
		err := s.Seal(f)
		whole := true
		for _, g := range got {
			whole = whole && g
		}
		if whole != (err == nil) {
			rt.Fatalf("all bytes came: %v; sealing said: %v", whole, err)
		}
		if err := s.Put(Itself, f, 0, b); err != nil {
			rt.Fatal(err)
		}
		if err := s.Seal(f); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestRefusals(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		s := open(t, t.TempDir(), o)
		f, b := numbers(t, 1, 0, 0, 10)
		refused[*UnfinishedError](t, s.Seal(f))
		refused[*WrongError](t, s.Put(Itself, f, 1, b))
		refused[*WrongError](t, s.Put(Itself, f, -1, b[:1]))
		refused[*WrongError](t, s.Put(Itself, f, 1<<62, b[:1]))
		refused[*WrongError](t, s.Put(Itself, File{Hi: 1}, 0, nil))
		refused[*WrongError](t, s.Put(Itself, File{Lo: 1, Bytes: 1}, 0, nil))
		check(t, s.Put(Itself, f, 0, b[:20]))
		other := f
		other.Sum[0]++
		refused[*WrongError](t, s.Put(Itself, other, 0, b))
		refused[*WrongError](t, s.Seal(other))
		if e := refused[*UnfinishedError](t, s.Seal(f)); e.Lo != 20 {
			t.Errorf("the error does not say what is missing: %v", e)
		}
		check(t, s.Put(Itself, f, 0, b))
		check(t, s.Seal(f))
		refused[*WrongError](t, s.Put(Itself, other, 0, b))

		// A wrong sum, and rows that are not those of the file.
		for _, spoil := range []func(*File){func(f *File) { f.Sum[0]++ }, func(f *File) { f.Hi++ }} {
			f, b := numbers(t, 1, 1, 0, 10)
			spoil(&f)
			check(t, s.Put(Itself, f, 0, b))
			refused[*WrongError](t, s.Seal(f))
		}
		// Not an Arrow file.
		junk := []byte("no table at all, whatever its name says")
		f = File{1, 2, 0, 1, int64(len(junk)), sha256.Sum256(junk)}
		check(t, s.Put(Itself, f, 0, junk))
		refused[*WrongError](t, s.Seal(f))
		if left, _ := os.ReadDir(s.uploadDir()); len(left) != 0 {
			t.Errorf("refused files are left: %v", left)
		}
		good, b := numbers(t, 1, 2, 0, 10)
		put(t, s, good, b)
	})
}

func TestLimits(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		f, b := numbers(t, 1, 0, 0, 100)
		o.Bytes, o.Uploads = 2*f.Bytes+10, 2
		s := open(t, t.TempDir(), o)
		put(t, s, f, b)
		g, gb := numbers(t, 1, 1, 100, 200)
		check(t, s.Put(Itself, g, 0, gb[:10]))
		h, hb := numbers(t, 1, 2, 200, 300)
		refused[*BusyError](t, s.Put(Itself, h, 0, hb))
		check(t, s.Put(Itself, g, 0, gb))
		check(t, s.Seal(g))
		if e := refused[*FullError](t, s.Put(Itself, h, 0, hb)); e.Limit != o.Bytes || e.Used != 2*f.Bytes {
			t.Errorf("the error is %+v", e)
		}
		check(t, s.Drop(1, 0))
		check(t, s.Put(Itself, h, 0, hb))
		check(t, s.Drop(1, 1))
		check(t, s.Drop(1, 2))
		check(t, s.Put("a", f, 0, b))
		check(t, s.Put("b", h, 0, hb))
		refused[*BusyError](t, s.Put("c", g, 0, gb))
		check(t, s.Drop(1, 0)) // an upload
		check(t, s.Put("c", g, 0, gb))
	})
}

// A shard that was dropped is readable until its last reader is done.
func TestDropWhileRead(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		s := open(t, t.TempDir(), o)
		f, b := numbers(t, 1, 0, 5, 5000)
		var all sync.WaitGroup
		stop := make(chan struct{})
		for range 4 {
			all.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if h, err := s.Shard(1, 0); err == nil {
						if n, err := first(h.Source); n != 5 || err != nil {
							t.Errorf("read %d, %v", n, err)
						}
						if err := h.Release(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		for range 20 {
			put(t, s, f, b)
			time.Sleep(time.Millisecond)
			check(t, s.Drop(1, 0))
		}
		put(t, s, f, b)
		h, _ := s.Shard(1, 0)
		check(t, s.Drop(1, 0))
		close(stop)
		all.Wait()
		if used, _ := s.Usage(); used != f.Bytes {
			t.Errorf("%d bytes are in use while one reads, expected %d", used, f.Bytes)
		}
		check(t, s.Close())
		if n, err := first(h.Source); n != 5 || err != nil {
			t.Errorf("after dropping and closing, read %d, %v", n, err)
		}
		check(t, h.Release())
		if used, _ := s.Usage(); used != 0 {
			t.Errorf("%d bytes are in use at the end", used)
		}
		if err := s.Put(Itself, f, 0, b); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed store said %v", err)
		}
	})
}

func TestIdleUploads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, t.TempDir(), Options{Idle: time.Minute, Rate: 1})
		f, b := numbers(t, 1, 0, 0, 10)
		check(t, s.Put("a", f, 0, b[:100]))
		time.Sleep(50 * time.Second)
		check(t, s.Put("a", f, 100, b[100:200]))
		time.Sleep(50 * time.Second)
		if used, _ := s.Usage(); used != f.Bytes {
			t.Error("an upload that is in progress was given up")
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if used, _ := s.Usage(); used != 0 {
			t.Error("an idle upload was not given up")
		}
		if left, _ := os.ReadDir(s.uploadDir()); len(left) != 0 {
			t.Errorf("its file is left: %v", left)
		}
		refused[*UnfinishedError](t, s.Seal(f))
		put(t, s, f, b)
	})
}

func TestLastsBeyondProcess(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	f, b := numbers(t, 3, 1, 0, 10)
	g, gb := numbers(t, 3, 2, 10, 20)
	put(t, s, f, b)
	put(t, s, g, gb)
	id := s.Identity()
	_, err := Open(dir, Options{})
	refused[*LockedError](t, err)
	check(t, s.Close())
	s = open(t, dir, Options{Verify: true})
	if got := s.Shards(); !reflect.DeepEqual(got, []File{f, g}) || len(s.Damaged()) != 0 {
		t.Errorf("found %+v and %+v, expected %+v and %+v", got, s.Damaged(), f, g)
	}
	if used, _ := s.Usage(); used != f.Bytes+g.Bytes {
		t.Errorf("%d bytes are in use", used)
	}
	if s.Identity() != id || len(id) < 20 {
		t.Errorf("the identity %q became %q", id, s.Identity())
	}
	if other := open(t, t.TempDir(), Options{}); other.Identity() == id {
		t.Error("two directories have one identity")
	}
	check(t, s.Close())
	check(t, os.WriteFile(filepath.Join(dir, "identity"), []byte("x"), 0o600))
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "identity") {
		t.Errorf("a damaged identity: %v", err)
	}
}

func TestDamage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  func(t *testing.T, s *Store, k key)
		verify bool
		reason string
	}{
		{"cut", func(t *testing.T, s *Store, k key) { check(t, os.Truncate(s.path(k), 100)) }, false, "100 bytes"},
		{"no file", func(t *testing.T, s *Store, k key) { check(t, os.Remove(s.path(k))) }, false, "no such file"},
		{"a byte", func(t *testing.T, s *Store, k key) { flip(t, s.path(k), 200) }, true, "SHA-256"},
		{"no schema", func(t *testing.T, s *Store, k key) { flip(t, s.path(k), 0) }, false, "block 0 (bytes 0 on): its checksum"},
		{"description", func(t *testing.T, s *Store, k key) { check(t, os.WriteFile(s.sidecar(k), []byte("{"), 0o644)) }, false, "description"},
		{"sum", func(t *testing.T, s *Store, k key) {
			check(t, os.WriteFile(s.sidecar(k), []byte(`{"lo":0,"hi":1,"bytes":1,"sha256":"00"}`), 0o644))
		}, false, "description"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, Options{})
			f, b := numbers(t, 1, 0, 0, 100)
			g, gb := numbers(t, 1, 1, 100, 200)
			put(t, s, f, b)
			put(t, s, g, gb)
			check(t, s.Close())
			tt.spoil(t, s, f.key())
			s = open(t, dir, Options{Verify: tt.verify})
			if got := s.Shards(); !reflect.DeepEqual(got, []File{g}) {
				t.Errorf("the shards are %+v, expected the undamaged one", got)
			}
			d := s.Damaged()
			if len(d) != 1 || d[0].Set != 1 || d[0].Shard != 0 || !strings.Contains(d[0].Reason, tt.reason) {
				t.Fatalf("reported are %+v, expected %q", d, tt.reason)
			}
			if d[0].Path != "" {
				if _, err := os.Stat(d[0].Path); err != nil {
					t.Error(err)
				}
			}
			put(t, s, f, b) // a good copy takes its place
			check(t, s.Close())
			if s = open(t, dir, Options{Verify: true}); len(s.Damaged()) != 0 || len(s.Shards()) != 2 {
				t.Errorf("afterwards: %+v, %+v", s.Shards(), s.Damaged())
			}
		})
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	check(t, err)
	b[at] ^= 0xff
	check(t, os.WriteFile(path, b, 0o644))
}

// A full disk gives an error that says so, and what is there stays there.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{Bytes: 1 << 50})
	f, b := numbers(t, 1, 0, 0, 10)
	put(t, s, f, b)
	var d unix.Statfs_t
	check(t, unix.Statfs(dir, &d))
	huge := File{1, 1, 10, 20, (int64(d.Bavail) + 1<<20) * d.Bsize, [32]byte{}}
	err := s.Put(Itself, huge, 0, b)
	if errors.Is(err, syscall.EFBIG) {
		t.Skip("SKIPPED: this file system has no files as large as its free space")
	}
	if e := refused[*FullError](t, err); e.Need != huge.Bytes || !strings.Contains(e.Error(), dir) {
		t.Errorf("the error is %v", e)
	}
	if left, _ := os.ReadDir(s.uploadDir()); len(left) != 0 {
		t.Errorf("the file is left: %v", left)
	}
	if used, _ := s.Usage(); used != f.Bytes || len(s.Shards()) != 1 {
		t.Errorf("%d bytes are in use by %v", used, s.Shards())
	}
}

func FuzzSidecar(f *testing.F) {
	good := File{1, 2, 3, 4, 5, [32]byte{6}}
	f.Add(good.sidecar())
	f.Add([]byte(`{"lo":1,"hi":0}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := parseSidecar(key{1, 2}, b)
		if err != nil {
			return
		}
		if again, err := parseSidecar(key{1, 2}, got.sidecar()); err != nil || again != got {
			t.Errorf("%+v became %+v, %v", got, again, err)
		}
	})
}
