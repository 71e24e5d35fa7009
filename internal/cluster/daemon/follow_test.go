package daemon

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// ends is a kernel in which every state comes to its end, and lasting one in which that takes long.
const ends = `
kernel
size s0 0..1000000
region readwrite i64 s0
region readwrite i64 s0
sites 0
outer s0
grain 1
count s0
body o lo hi
  one = const i64 -1
  store r0 o one
  end`

var lasting = strings.Replace(ends, "  one =", `  none = const i64 0
  many = const i64 100000
  v = for i in none..many, x i64 = o {
    a = const i64 1
    b = or i64 x a
    q = div i64 many b
    y = add i64 q i
    yield y
  }
  store r1 o v
  one =`, 1)

// boiled is a recipe of two states for a kernel.
func boiled(t *testing.T, d *Daemon, text string, held ...*resident) *recipe {
	t.Helper()
	k, err := kernel.ParseText(text)
	must(t, err)
	c, err := d.eng.Kernel(t.Context(), k)
	must(t, err)
	if !c.Swiftly() {
		t.Fatal("the kernel is none for recipes")
	}
	span, err := d.eng.Arena().Alloc(32)
	must(t, err)
	wants, ids := d.eng.Arena().Bytes(span.Off, 16), d.eng.Arena().Bytes(span.Off+16, 16)
	copy(wants, words(5, 6))
	copy(ids, words(0, 1))
	return &recipe{c: c, held: held, states: parcel.Batch{States: 2, Values: [][]byte{wants, ids}},
		args: engine.Args{Sizes: []int64{2}, Bases: []int64{span.Off, span.Off + 16}}}
}

// A recipe is stale once somebody writes to the file of a column that is mapped: what was read meanwhile may be of either version.
func TestRecipeOfChangedFile(t *testing.T) {
	d, sh := long(t, engine.Options{Tier: engine.Wasm})
	c, err := d.columns.acquire(t.Context(), sh.src, place{1, 0, 0}, true)
	must(t, err)
	if c.lease == nil {
		t.Fatal("the column is not mapped as it lies in the file")
	}
	r := boiled(t, d, ends, c)
	for range 3 {
		if end := d.swiftRun(r); end != followed {
			t.Fatalf("the recipe ends with %d, expected that it is followed", end)
		}
	}
	opened := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(sh.src.Path(), os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	eventually(t, "the column is forgotten", func() bool { return !d.columns.has(c.place) })
	if end := d.swiftRun(r); end != stale {
		t.Errorf("the recipe ends with %d, expected that it is stale", end)
	}
	d.columns.release(c)
	must(t, <-opened)
	copy(r.states.Values[0], words(5, 6))
	r.hi = longRows
	if _, end := d.follow(r, &parcel.Header{}, nil, nil); end != stale {
		t.Errorf("the recipe ends with %d once its column was dropped, expected that it is stale", end)
	}
}

// Values that the kernel's proofs, or the rows that are here, do not allow are left to the ordinary way before anything runs: kernels take bounds for granted.
func TestValuesOfRecipe(t *testing.T) {
	d, _ := rigged(t)
	r := boiled(t, d, ends, &resident{dropped: true}) // at which following ends, where values are allowed
	r.lo, r.hi = 4, 8
	for i, bound := range []int64{-1, 9} {
		r.values = append(r.values, moved{from: 16 * i, size: 16, arena: r.states.Values[i], to: -1, bound: bound, kind: num.I64})
	}
	for _, c := range []struct {
		name       string
		wants, ids [2]uint64
		want       ending
	}{
		{"allowed", [2]uint64{4, 7}, [2]uint64{8, 8}, stale},
		{"a row before those that are here", [2]uint64{4, 3}, [2]uint64{0, 1}, unsuited},
		{"a row after them", [2]uint64{8, 4}, [2]uint64{0, 1}, unsuited},
		{"not in order", [2]uint64{4, 4}, [2]uint64{1, 0}, unsuited},
		{"an element at the bound", [2]uint64{4, 4}, [2]uint64{0, 9}, unsuited},
		{"a negative one", [2]uint64{4, 4}, [2]uint64{1 << 63, 0}, unsuited},
	} {
		if _, end := d.follow(r, &parcel.Header{}, append(words(c.wants[:]...), words(c.ids[:]...)...), nil); end != c.want {
			t.Errorf("%s: the recipe ends with %d, expected %d", c.name, end, c.want)
		}
	}
}

// A kernel is slow if one in four of the runs that were timed took long, and three at least.
func TestSlowRecipe(t *testing.T) {
	const quick, long = swiftTime, swiftTime + 1
	for _, c := range []struct {
		name string
		took []time.Duration // of those that are timed
		slow bool
	}{
		{"quick", slices.Repeat([]time.Duration{quick}, 100), false},
		{"twice at first", append([]time.Duration{long, long}, slices.Repeat([]time.Duration{quick}, 100)...), false},
		{"three times at first", []time.Duration{long, long, long}, true},
		{"one in five", slices.Repeat([]time.Duration{quick, quick, quick, quick, long}, 100), false},
		{"one in four", slices.Repeat([]time.Duration{quick, quick, quick, long}, 100), true},
	} {
		r, slow := &recipe{}, false
		for i, took := range c.took {
			r.runs = i*swiftLooks + 1
			slow = slow || r.slow(took)
		}
		if slow != c.slow {
			t.Errorf("%s: slow: %v, expected %v", c.name, slow, c.slow)
		}
	}
}

// Runs are timed now and then: one kernel takes long each time, which ends its recipe, as it is not to hold up the connection.
func TestLastingKernel(t *testing.T) {
	d, _ := rigged(t)
	r := boiled(t, d, lasting)
	for i := range 3*swiftLooks + 1 {
		switch end := d.swiftRun(r); {
		case end == slow && i == 2*swiftLooks: // the third that was timed
			return
		case end != followed:
			t.Fatalf("run %d of the recipe ends with %d", i, end)
		}
	}
	t.Error("the recipe is followed again and again, though its kernel takes long")
}

// A run in vain counts as much as two good ones: a recipe ends if more than one parcel in three is not for it, and then there is none for a while. One that
// is slow ends at once, and one that is of another time is made anew with the next parcel.
func TestSettle(t *testing.T) {
	d := &Daemon{}
	for _, c := range []struct {
		name  string
		ends  []ending // again and again
		kept  bool
		pause int64
	}{
		{"followed", []ending{followed}, true, 0},
		{"one in four in vain", []ending{unsuited, followed, followed, followed}, true, 0},
		{"one in three in vain", []ending{unsuited, followed, followed}, true, 0},
		{"one in two in vain", []ending{unsuited, followed}, false, swiftPause},
		{"some in vain, now and then", append(slices.Repeat([]ending{unsuited}, 8), slices.Repeat([]ending{followed}, 16)...), true, 0},
		{"more in vain, after many that were not", append(slices.Repeat([]ending{followed}, 100), slices.Repeat([]ending{unsuited}, 9)...), false, swiftPause},
		{"all in vain", []ending{unsuited}, false, swiftPause},
		{"slow", []ending{followed, slow}, false, swiftPause},
		{"stale", []ending{followed, stale}, false, 0},
	} {
		s, r := &slot{}, &recipe{}
		s.made.Store(r)
		s.misses.Store(7)
		s.wait.Store(3)
		for i := 0; i < 1000 && s.made.Swap(nil) != nil; i++ {
			s.settle(d, r, c.ends[i%len(c.ends)])
		}
		if kept := s.made.Load() != nil; kept != c.kept || s.wait.Load() != c.pause || c.pause > 0 && s.misses.Load() != 0 {
			t.Errorf("%s: kept: %v, none for %d parcels, after %d; expected %v and %d", c.name, kept, s.wait.Load(), s.misses.Load(), c.kept, c.pause)
		}
	}
}
