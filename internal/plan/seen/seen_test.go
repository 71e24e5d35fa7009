package seen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

func key(n int) Key { return Key{kernel.Hash([]byte(fmt.Sprint(n))), "wasm", 2} }

// What was noted is found again, the times of the same arguments together, here and by another process.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	m := New(path)
	a, b := Point{Sizes: []int64{10}, Scalars: []int64{7}, Known: []bool{true}}, Point{Sizes: []int64{20}, Scalars: []int64{0}, Known: []bool{false}}
	for i := range 12 {
		m.Note(key(1), a, float64(i+1))
	}
	m.Note(key(1), b, 50)
	m.Found(key(1).ID, "loop 0", 0.25)
	for _, bad := range []float64{0, -1} {
		m.Note(key(1), a, bad)
		m.Found(key(1).ID, "loop 1", bad-1)
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*Memory{"here": m, "another process": New(path)} {
		got := x.Of(key(1))
		if len(got) != 2 || got[0].Middle() != 8 || len(got[0].Took) != mostTimes || got[1].Middle() != 50 {
			t.Fatalf("%s: %+v", name, got)
		}
		if n, ok := got[0].Scalar(0); !ok || n != 7 {
			t.Errorf("%s: the scalar is %d, %v", name, n, ok)
		}
		if _, ok := got[1].Scalar(0); ok {
			t.Errorf("%s: a scalar is known that differed", name)
		}
		if p, ok := x.Part(key(1).ID, "loop 0"); !ok || p != 0.25 {
			t.Errorf("%s: %v, %v", name, p, ok)
		}
		if _, ok := x.Part(key(1).ID, "loop 1"); ok || x.Of(key(2)) != nil || x.Of(Key{key(1).ID, "native", 2}) != nil {
			t.Errorf("%s: something is known that nobody has noted", name)
		}
		x.Forget()
		if x.Of(key(1)) != nil {
			t.Errorf("%s: what was forgotten is known", name)
		}
	}
	var none *Memory
	none.Note(key(1), a, 3)
	if none.Of(key(1)) != nil || none.Save() != nil {
		t.Error("nothing remembers something")
	}
}

// One short time may be the one slow run of many.
func TestTells(t *testing.T) {
	for _, c := range []struct {
		took  []float64
		tells bool
	}{{[]float64{30e3}, false}, {[]float64{30e3, 31e3, 29e3}, true}, {[]float64{300e3}, true}} {
		if p := (Point{Took: c.took}); p.Tells() != c.tells {
			t.Errorf("%v tells: %v", c.took, p.Tells())
		}
	}
}

// Two processes bring what they know to one folder.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "seen")
	a, b := New(path), New(path)
	a.Note(key(1), Point{Sizes: []int64{1}}, 10)
	b.Note(key(2), Point{Sizes: []int64{2}}, 20)
	for _, m := range []*Memory{a, b} {
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
	}
	c := New(path)
	if !reflect.DeepEqual(c.Of(key(1))[0].Took, []float64{10}) || !reflect.DeepEqual(c.Of(key(2))[0].Took, []float64{20}) {
		t.Errorf("%v, %v", c.Of(key(1)), c.Of(key(2)))
	}
	if left, _ := filepath.Glob(filepath.Join(path, "*"+next)); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
}

// TestManyTogether: of what many processes bring to one file at the same time, nothing is lost.
func TestManyTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	const many = 8
	var wg sync.WaitGroup
	for i := range many {
		m := New(path)
		k := Key{ID: kernel.ID{1, byte(i)}, Engine: "wasm", Threads: 1}
		m.Note(k, Point{Sizes: []int64{1}}, 10)
		wg.Go(func() {
			for err := m.Save(); err != nil; err = m.Save() { // the others took long
				if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	all := New(path)
	for i := range many {
		if k := (Key{ID: kernel.ID{1, byte(i)}, Engine: "wasm", Threads: 1}); len(all.Of(k)) != 1 {
			t.Errorf("what %d has brought is gone", i)
		}
	}
}

// TestLeftBehind: a file that a process has begun and not ended is in the way for a while, and then no more.
func TestLeftBehind(t *testing.T) {
	path := t.TempDir()
	m := New(path)
	m.Note(key(1), Point{Sizes: []int64{1}}, 10)
	left := m.file(key(1).ID[0]) + next
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("beside another who writes: %v", err)
	}
	if b, err := os.ReadFile(left); err != nil || string(b) != "{" {
		t.Errorf("what the other writes is %q, %v", b, err)
	}
	old := time.Now().Add(-2 * dead)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there yet: %v", err)
	}
	if n := New(path); len(n.Of(key(1))) != 1 {
		t.Error("what was noted is gone")
	}
}

// Two processes that ran the same kernel bring both what they saw, and neither undoes what the other wrote.
func TestSameKernelTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	first := New(path)
	first.Note(key(1), Point{Sizes: []int64{1}}, 10)
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	a, b := New(path), New(path)
	a.Of(key(1)) // which reads the file
	a.Note(key(2), Point{Sizes: []int64{2}}, 20)
	b.Note(key(1), Point{Sizes: []int64{1}}, 11)
	b.Note(key(1), Point{Sizes: []int64{5}}, 50)
	b.Found(key(1).ID, "loop 0", 0.5)
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	a.Note(key(1), Point{Sizes: []int64{1}}, 12)
	for range 2 { // a second time there is nothing new
		if err := a.Save(); err != nil {
			t.Fatal(err)
		}
	}
	took := map[int64][]float64{}
	c := New(path)
	for _, p := range c.Of(key(1)) {
		took[p.Sizes[0]] = p.Took
	}
	if want := map[int64][]float64{1: {10, 11, 12}, 5: {50}}; !reflect.DeepEqual(took, want) {
		t.Errorf("%v, expected %v", took, want)
	}
	if part, ok := c.Part(key(1).ID, "loop 0"); !ok || part != 0.5 {
		t.Errorf("loop 0: %v, %v", part, ok)
	}
}

// What could not be written is written by the next Save.
func TestSavedLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "seen")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "seen") // below what is no folder
	m := New(path)
	m.Note(key(1), Point{Sizes: []int64{1}}, 10)
	if err := m.Save(); err == nil {
		t.Fatal("it was written below a file")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(); err != nil || New(path).Of(key(1)) == nil {
		t.Errorf("%v: nothing was written", err)
	}
}

// What is asked for stays, and what nobody asks for goes first; of programs and their loops only so many stay.
func TestRecentStays(t *testing.T) {
	m := New("")
	m.Note(key(0), Point{Sizes: []int64{1}}, 10)
	for i := range 20_000 {
		m.Note(key(i+1), Point{Sizes: []int64{1}, Scalars: make([]int64, 8), Known: make([]bool, 8)}, 1)
		if m.Of(key(0)) == nil {
			t.Fatalf("after %d others it was gone", i+1)
		}
		m.Found(key(i).ID, "loop 0", 0.5)
		m.Found(key(-1).ID, fmt.Sprint("loop ", i), 0.5)
	}
	if len(m.parts) > mostBytes/4096+1 || len(m.parts[key(-1).ID]) > mostParts {
		t.Errorf("%d programs, %d loops of one", len(m.parts), len(m.parts[key(-1).ID]))
	}
}

// It takes no more than it may, whatever is noted, and no file does.
func TestBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	m := New(path)
	for i := range 20_000 {
		m.Note(key(i%9_000), Point{Sizes: []int64{int64(i), 5}, Scalars: make([]int64, 4), Known: make([]bool, 4)}, 1)
		m.Note(key(0), Point{Sizes: []int64{int64(i)}}, 1)
	}
	if m.bytes > mostBytes || len(m.Of(key(0))) > mostPoints || len(m.by) != m.recent.Len() {
		t.Errorf("%d bytes, %d points, %d and %d kernels", m.bytes, len(m.Of(key(0))), len(m.by), m.recent.Len())
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(path)
	if err != nil || len(files) < 200 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if st, err := f.Info(); err != nil || st.Size() > 8*mostOfFile {
			t.Errorf("%s: %v, %v", f.Name(), st, err)
		}
	}
}

// A damaged file, or one of another processor, says nothing and is replaced.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	good := New(path)
	good.Note(key(1), Point{Sizes: []int64{1}}, 10)
	if err := good.Save(); err != nil {
		t.Fatal(err)
	}
	file := good.file(key(1).ID[0])
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for name, bad := range map[string]string{
		"cut":               text[:len(text)/2],
		"nothing":           "",
		"another processor": strings.Replace(text, processor(), "another", 1),
		"another emitter":   strings.Replace(text, fmt.Sprintf(`"emitter":%d`, llvmir.Version), `"emitter":1`, 1),
		"another version":   strings.Replace(text, fmt.Sprintf(`"version":%d`, version), `"version":99`, 1),
		"a negative time":   strings.Replace(text, `"took_ns":[10]`, `"took_ns":[-10]`, 1),
		"no time":           strings.Replace(text, `"took_ns":[10]`, `"took_ns":[]`, 1),
		"a negative size":   strings.Replace(text, `"sizes":[1]`, `"sizes":[-1]`, 1),
		"an engine":         strings.Replace(text, `"wasm"`, `"other"`, 1),
		"a scalar alone":    strings.Replace(text, `"sizes":[1]`, `"sizes":[1],"scalars":[1,2],"known":[true]`, 1),
		"a short name":      strings.Replace(text, key(1).ID.String(), "00ff", 1),
	} {
		if bad == text {
			t.Fatalf("%s: nothing is damaged", name)
		}
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		m := New(path)
		if got := m.Of(key(1)); got != nil {
			t.Errorf("%s: %v", name, got)
		}
		other := Key{key(1).ID, "native", 1} // in the same file
		m.Note(other, Point{Sizes: []int64{1}}, 10)
		if err := m.Save(); err != nil || New(path).Of(other) == nil {
			t.Errorf("%s: %v: it was not replaced", name, err)
		}
	}
}

// A process reads and writes files of its own kernels alone, and a file of that name that an earlier version wrote makes way.
func TestNear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	if err := os.WriteFile(path, []byte(`{"version":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	near, far := kernel.ID{1}, kernel.ID{2}
	for _, id := range []kernel.ID{near, far} {
		m := New(path)
		m.Rent(id, 10e6)
		m.Found(id, "loop 0", 0.5)
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(filepath.Join(path, "02"))
	if err != nil {
		t.Fatal(err)
	}
	m := New(path)
	m.Rent(near, 5e6)
	if m.Rented(near) != 15e6 || m.by[Key{far, rented, 1}] != nil {
		t.Errorf("near %v, far %v", m.Rented(near), m.by[Key{far, rented, 1}])
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(filepath.Join(path, "02")); err != nil || !os.SameFile(before, after) {
		t.Errorf("the other file was written again (%v)", err)
	}
	if part, ok := New(path).Part(far, "loop 0"); !ok || part != 0.5 || New(path).Rented(near) != 15e6 {
		t.Errorf("%v %v, near %v", part, ok, New(path).Rented(near))
	}
}

// A file that cannot be written does not keep the others from being.
func TestOneFileDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	if err := os.MkdirAll(filepath.Join(path, "01", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := New(path)
	for first := range byte(3) {
		m.Rent(kernel.ID{first}, 10e6)
	}
	if err := m.Save(); err == nil || !strings.Contains(err.Error(), filepath.Join(path, "01")) {
		t.Errorf("error %v, want one that names the file", err)
	}
	again := New(path)
	for first, want := range []float64{10e6, 0, 10e6} {
		if got := again.Rented(kernel.ID{byte(first)}); got != want {
			t.Errorf("kernel %d: %v ns, want %v", first, got, want)
		}
	}
}

// An old file makes way once, though several processes find it.
func TestOldFileTogether(t *testing.T) {
	for round := range 50 {
		path := filepath.Join(t.TempDir(), "seen")
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range byte(4) {
			all.Go(func() {
				m := New(path)
				m.Rent(kernel.ID{i}, 10e6)
				if err := m.Save(); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		all.Wait()
	}
}

// What processes paid for want of native code adds up, in one that comes later too.
func TestRented(t *testing.T) {
	path, id := filepath.Join(t.TempDir(), "seen"), kernel.ID{1}
	for range 2 {
		m := New(path)
		m.Rent(id, 30e6)
		m.Rent(id, 10e6)
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
	}
	m := New(path)
	if got := m.Rented(id); got != 80e6 {
		t.Errorf("%v ns, want 80 ms", got)
	}
	if got := m.Rented(kernel.ID{2}); got != 0 {
		t.Errorf("%v ns of another kernel", got)
	}
}

// TestTakenAway: what another has begun in the place of a file that was taken away is left alone.
func TestTakenAway(t *testing.T) {
	m := New(t.TempDir())
	m.Note(key(1), Point{Sizes: []int64{1}}, 10)
	path := m.file(key(1).ID[0])
	f, err := claim(path + next)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + next); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+next, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.write(f, path); err == nil {
		t.Error("nothing is said of a file that is another's")
	}
	if b, err := os.ReadFile(path + next); err != nil || string(b) != "{" {
		t.Errorf("what the other writes is %q, %v", b, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has taken the place already: %v", err)
	}
}
