package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A way of reading gives a shard's bytes, or those of its column.
var ways = map[string]func(s *Store, f File) ([]byte, error){
	"part": func(s *Store, f File) ([]byte, error) {
		b := make([]byte, f.Bytes)
		var err error
		for at := int64(0); at < f.Bytes && err == nil; at += 10_000 {
			err = s.ReadPart(f, at, b[at:min(at+10_000, f.Bytes)])
		}
		return b, err
	},
	"raw": column(func(src data.Source, b []byte) error { raw, _ := src.Raw(0); _, err := raw.ReadAt(b, 0); return err }),
	"windows": column(func(src data.Source, b []byte) error {
		raw, _ := src.Raw(0)
		for at := 0; at < len(b); at += 30_000 {
			if _, err := raw.ReadAt(b[at:min(at+30_000, len(b))], int64(at)); err != nil {
				return err
			}
		}
		return nil
	}),
	"fill": column(func(src data.Source, b []byte) error {
		for i, c := range src.Chunks() {
			d := data.Dest{Values: b[8*c.Lo : 8*c.Hi]}
			if _, err := src.Fill(context.Background(), i, []data.Want{{Kind: num.I64}}, []data.Dest{d}); err != nil {
				return err
			}
		}
		return nil
	}),
}

func column(read func(data.Source, []byte) error) func(*Store, File) ([]byte, error) {
	return func(s *Store, f File) ([]byte, error) {
		h, err := s.Shard(f.Set, f.Shard)
		if err != nil {
			return nil, err
		}
		defer h.Release()
		b := make([]byte, 8*(f.Hi-f.Lo))
		return b, read(h.Source, b)
	}
}

// damages are what may happen to a shard's files. b is the file as it was.
var damages = map[string]func(t *testing.T, s *Store, k key, b []byte){
	"flip first": func(t *testing.T, s *Store, k key, b []byte) { write(t, s.path(k), 100, []byte{b[100] ^ 1}) },
	"flip value": func(t *testing.T, s *Store, k key, b []byte) { write(t, s.path(k), 3000, []byte{b[3000] ^ 0x80}) },
	"flip middle": func(t *testing.T, s *Store, k key, b []byte) {
		write(t, s.path(k), len(b)/2, []byte{b[len(b)/2] ^ 0x10})
	},
	"flip last": func(t *testing.T, s *Store, k key, b []byte) { write(t, s.path(k), len(b)-1, []byte{b[len(b)-1] ^ 2}) },
	"overwritten": func(t *testing.T, s *Store, k key, b []byte) {
		write(t, s.path(k), len(b)/2, bytes.Repeat([]byte{0, 0, 80, 67}, 1024))
	},
	"cut":         func(t *testing.T, s *Store, k key, b []byte) { check(t, os.Truncate(s.path(k), int64(len(b)-1))) },
	"cut to half": func(t *testing.T, s *Store, k key, b []byte) { check(t, os.Truncate(s.path(k), int64(len(b)/2))) },
	"empty":       func(t *testing.T, s *Store, k key, b []byte) { check(t, os.Truncate(s.path(k), 0)) },
	"missing":     func(t *testing.T, s *Store, k key, _ []byte) { check(t, os.Remove(s.path(k))) },
	"replaced": func(t *testing.T, s *Store, k key, _ []byte) {
		_, other := numbers(t, 1, 0, 7, 20_007)
		check(t, os.Remove(s.path(k)))
		check(t, os.WriteFile(s.path(k), other, 0o644))
	},
	"rewritten": func(t *testing.T, s *Store, k key, _ []byte) {
		_, other := numbers(t, 1, 0, 7, 20_007)
		check(t, os.WriteFile(s.path(k), other, 0o644))
	},
	"description flipped": func(t *testing.T, s *Store, k key, _ []byte) {
		b, err := os.ReadFile(s.sidecar(k))
		check(t, err)
		check(t, os.WriteFile(s.sidecar(k), bytes.Replace(b, []byte(`"lo":0`), []byte(`"lo":1`), 1), 0o644))
	},
	"description missing": func(t *testing.T, s *Store, k key, _ []byte) { check(t, os.Remove(s.sidecar(k))) },
	"sums flipped":        func(t *testing.T, s *Store, k key, _ []byte) { flip(t, s.sumsPath(k), 70) },
	"sums cut":            func(t *testing.T, s *Store, k key, _ []byte) { check(t, os.Truncate(s.sumsPath(k), 80)) },
	"sums missing":        func(t *testing.T, s *Store, k key, _ []byte) { check(t, os.Remove(s.sumsPath(k))) },
	"sums and a byte": func(t *testing.T, s *Store, k key, b []byte) {
		check(t, os.Remove(s.sumsPath(k)))
		write(t, s.path(k), len(b)/2, []byte{b[len(b)/2] ^ 0x10})
	},
}

func write(t *testing.T, path string, at int, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	check(t, err)
	defer f.Close()
	_, err = f.WriteAt(b, int64(at))
	check(t, err)
}

// damaged reports that an error is one for which a replica is set aside.
func damaged(err error) bool {
	return errors.As(err, new(*DamageError)) || errors.Is(err, ErrNotHere) || errors.As(err, new(*WrongError))
}

// Whatever happened to a shard's files, before the store was opened or while it is open,
// before the first pass or after it, and however it is read: right bits or an error.
func TestEveryDamage(t *testing.T) {
	f, b := numbers(t, 1, 0, 0, 20_000)
	want := map[string][]byte{}
	for name, spoil := range damages {
		for _, when := range []string{"closed", "open", "after a pass"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				dir := t.TempDir()
				s := open(t, dir, Options{})
				put(t, s, f, b)
				for way, read := range ways {
					if when != "open" {
						got, err := read(s, f)
						check(t, err)
						want[way] = got
					}
				}
				time.Sleep(10 * time.Millisecond) // clocks of files tick every 4 ms
				if when == "closed" {
					check(t, s.Close())
				}
				spoil(t, s, f.key(), b)
				if when == "closed" {
					s = open(t, dir, Options{})
				}
				failures := 0
				for way, read := range ways {
					got, err := read(s, f)
					switch {
					case err == nil && !bytes.Equal(got, want[way]):
						t.Errorf("%s: wrong bytes without an error", way)
					case err != nil && !damaged(err):
						t.Errorf("%s: an error of another sort: %v", way, err)
					case err != nil:
						failures++
					}
				}
				// A file that is open stays whole when its name goes away, and what lies beside it was read.
				harmless := strings.Contains(name, "sums") && !strings.Contains(name, "byte") ||
					when != "closed" && (name == "missing" || name == "replaced" || strings.Contains(name, "description") || strings.Contains(name, "sums") && !strings.Contains(name, "byte"))
				if harmless != (failures == 0) {
					t.Errorf("%d ways of reading failed; expected none: %v", failures, harmless)
				}
			})
		}
	}
}

// A scrub finds all of it, whatever was read before, and mends descriptions and checksums.
func TestScrubFinds(t *testing.T) {
	f, b := numbers(t, 1, 0, 0, 20_000)
	g, gb := numbers(t, 1, 1, 20_000, 20_100)
	for name, spoil := range damages {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, Options{})
			put(t, s, f, b)
			put(t, s, g, gb)
			spoil(t, s, f.key(), b)
			mends := strings.HasPrefix(name, "description") || strings.HasPrefix(name, "sums") && !strings.Contains(name, "byte")
			read := int64(0)
			found := map[uint32]error{}
			check(t, s.Scrub(t.Context(), Scrubbing{Read: func(n int64) { read += n }, Report: func(f File, err error) { found[f.Shard] = err }}))
			if len(found) != 2 || found[1] != nil || (found[0] == nil) != mends || found[0] != nil && !errors.As(found[0], new(*DamageError)) {
				t.Fatalf("found %v", found)
			}
			if mends && read != f.Bytes+g.Bytes {
				t.Errorf("%d bytes were read, expected %d", read, f.Bytes+g.Bytes)
			}
			if mends {
				check(t, s.Close())
				sums, err := os.ReadFile(s.sumsPath(f.key()))
				check(t, err)
				if _, err := f.decodeSums(sums); err != nil {
					t.Error(err)
				}
				if again, err := s.describe(f.key()); err != nil || again != f {
					t.Errorf("the description is %+v, %v", again, err)
				}
				return
			}
			check(t, s.SetAside(1, 0, found[0]))
			if d := s.Damaged(); len(d) != 1 || d[0].Set != 1 || d[0].Shard != 0 || d[0].Time.IsZero() || !reflect.DeepEqual(s.Shards(), []File{g}) {
				t.Errorf("set aside are %+v, %v is here", d, s.Shards())
			}
			if used, _ := s.Usage(); used != g.Bytes {
				t.Errorf("%d bytes are in use", used)
			}
			if err := s.SetAside(1, 0, found[0]); !errors.Is(err, ErrNotHere) {
				t.Errorf("twice: %v", err)
			}
			put(t, s, f, b) // repaired
			if err := s.SetAside(1, 0, found[0]); !errors.Is(err, ErrNotHere) || len(s.Shards()) != 2 {
				t.Errorf("the damage of the file that was here before: %v", err)
			}
			check(t, s.Drop(1, 0))
			if left, _ := os.ReadDir(s.damagedDir()); len(left) != 0 {
				t.Errorf("after dropping, what was set aside is left: %v", left)
			}
		})
	}
}

// A scrub reads at the rate that was asked for, and ends when it is told to.
func TestScrubRate(t *testing.T) {
	s := open(t, t.TempDir(), Options{Memory: true})
	f, b := numbers(t, 1, 0, 0, 1<<19) // 4 MiB
	put(t, s, f, b)
	start := time.Now()
	check(t, s.Scrub(t.Context(), Scrubbing{Rate: 16 << 20, Report: func(_ File, err error) { check(t, err) }}))
	if d := time.Since(start); d < 200*time.Millisecond {
		t.Errorf("4 MiB at 16 MiB/s took %v", d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Scrub(ctx, Scrubbing{Rate: 1 << 20, Report: func(File, error) {}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// Shards of an earlier version get their checksums when they are opened, if they have
// their SHA-256.
func TestEarlierVersion(t *testing.T) {
	for _, spoiled := range []bool{false, true} {
		dir := t.TempDir()
		s := open(t, dir, Options{})
		f, b := numbers(t, 1, 0, 0, 5000)
		put(t, s, f, b)
		check(t, s.Close())
		check(t, os.Remove(s.sumsPath(f.key())))
		old := fmt.Sprintf(`{"lo":0,"hi":5000,"bytes":%d,"sha256":"%x"}`, f.Bytes, f.Sum)
		check(t, os.WriteFile(s.sidecar(f.key()), []byte(old+"\n"), 0o644))
		if spoiled {
			flip(t, s.path(f.key()), len(b)/2)
		}
		s = open(t, dir, Options{})
		if spoiled {
			if d := s.Damaged(); len(d) != 1 || !strings.Contains(d[0].Reason, "SHA-256") {
				t.Errorf("damaged are %+v", d)
			}
			continue
		}
		sums, err := os.ReadFile(s.sumsPath(f.key()))
		check(t, err)
		if _, err := f.decodeSums(sums); err != nil || len(s.Shards()) != 1 {
			t.Errorf("%v; here is %v", err, s.Shards())
		}
	}
}

// One byte of a description or of checksums that is wrong is noticed, or changes nothing.
func TestFlippedDescriptions(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	f, b := numbers(t, 1, 0, 3, 503)
	put(t, s, f, b)
	check(t, s.Close())
	k := f.key()
	for _, path := range []string{s.sidecar(k), s.sumsPath(k)} {
		good, err := os.ReadFile(path)
		check(t, err)
		for i := range good {
			for _, bit := range []byte{1, 0x20, 0x80} {
				bad := bytes.Clone(good)
				bad[i] ^= bit
				if path == s.sidecar(k) {
					if got, err := parseSidecar(k, bad); err == nil && got != f {
						t.Fatalf("byte %d ^ %x of the description: it says %+v", i, bit, got)
					}
				} else if sums, err := f.decodeSums(bad); err == nil {
					t.Fatalf("byte %d ^ %x of the checksums passes as %v", i, bit, sums)
				}
			}
		}
	}
}

// Random bytes flipped at random places: each way of reading, in any order.
func TestRandomFlips(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	f, b := numbers(t, 1, 0, 0, 30_000)
	put(t, s, f, b)
	want := map[string][]byte{}
	for way, read := range ways {
		got, err := read(s, f)
		check(t, err)
		want[way] = got
	}
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	path := s.path(f.key())
	for range 100 {
		check(t, s.Close())
		at, bit := r.IntN(len(b)), byte(1)<<r.IntN(8)
		write(t, path, at, []byte{b[at] ^ bit})
		s = open(t, dir, Options{})
		for way, read := range ways {
			got, err := read(s, f)
			if err == nil && !bytes.Equal(got, want[way]) {
				t.Fatalf("byte %d ^ %x: %s gives wrong bytes", at, bit, way)
			}
			if err != nil && !damaged(err) {
				t.Fatalf("byte %d ^ %x: %s: %v", at, bit, way, err)
			}
		}
		if len(s.Shards()) == 0 { // set aside at start
			check(t, s.Close())
			check(t, os.RemoveAll(filepath.Join(dir, "damaged")))
			s = open(t, dir, Options{})
			put(t, s, f, b)
		} else {
			write(t, path, at, b[at:at+1])
		}
	}
}
