package stepper_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func parse(t *testing.T, text string) *kernel.Kernel {
	t.Helper()
	k, err := kernel.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func i64s(vs ...int64) []byte {
	var b []byte
	for _, v := range vs {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// TestScale is the plainest kernel: grains, steps, faults and their places.
func TestScale(t *testing.T) {
	k := parse(t, `
kernel
size s0 0..100
size s1 0..100
scalar i64 -9..9
region read i64 s0
region write i64 s0
sites 2
outer s1
grain 2
count s0
body o lo hi
  f = scalar 0
  for i in lo..hi {
    x = load r0 i
    y = mul i64 x f site 0 at i
    store r1 i y
    z = add i64 y y site 1
    yield
  }
  end`)
	big := int64(math.MaxInt64)
	var touched [][4]int64
	note := func(outer int64, region int, element int64, store bool) {
		is := int64(0)
		if store {
			is = 1
		}
		touched = append(touched, [4]int64{outer, int64(region), element, is})
	}
	out := make([]byte, 5*8)
	a := &stepper.Args{Sizes: []int64{5, 3}, Scalars: []uint64{3}, Regions: [][]byte{i64s(1, 2, big, 4, big), out}, Faults: stepper.NewFaults(2)}
	// Three outer indices with one step each, two instructions in each, and
	// five turns of 1 + 4.
	if steps, err := stepper.Run(k, a, 0, 3); err != nil || steps != 3+6+25 {
		t.Errorf("%d steps, %v", steps, err)
	}
	if want := i64s(3, 6, big-2, 12, big-2); !slices.Equal(out, want) {
		t.Errorf("%x, want %x", out, want)
	}
	if !slices.Equal(a.Faults, []int64{2, -1}) {
		t.Errorf("faults at %d", a.Faults)
	}
	a.Touched = note
	if _, err := stepper.Run(k, a, 2, 3); err != nil || !slices.Equal(touched, [][4]int64{{2, 0, 4, 0}, {2, 1, 4, 1}}) {
		t.Errorf("outer index 2 touched %v, %v", touched, err)
	}
	a.Touched, a.Limit = nil, 20
	if _, err := stepper.Run(k, a, 0, 3); !errors.Is(err, stepper.ErrLimit) {
		t.Errorf("%v", err)
	}
	// Outer indices past the last slot have none.
	a.Limit, a.Sizes[1] = 0, 100
	if _, err := stepper.Run(k, a, 50, 60); err != nil {
		t.Error(err)
	}
}

// TestPart runs outer indices whose elements alone are there; what is not there is not touched.
func TestPart(t *testing.T) {
	k := parse(t, `kernel
size s0 0..100
region read i64 s0
region write i64 s0
sites 0
outer s0
grain 1
count s0
body v0 v1 v2
  v3 = load r0 v0
  store r1 v0 v3
  end`)
	out := make([]byte, 2*8)
	a := &stepper.Args{Sizes: []int64{100}, Regions: [][]byte{i64s(7, 8), out}, Firsts: []int64{50, 50}}
	if _, err := stepper.Run(k, a, 50, 52); err != nil || !slices.Equal(out, i64s(7, 8)) {
		t.Errorf("%x, %v", out, err)
	}
	for _, o := range []int64{49, 52} {
		if _, err := stepper.Run(k, a, o, o+1); err == nil {
			t.Errorf("element %d was touched, which is not there", o)
		}
	}
}

// TestState runs a running sum in slices.
func TestState(t *testing.T) {
	k := parse(t, `
kernel
size s0 0..100
region read i64 s0
region write i64 s0
region readwrite i64 1
sites 0
outer s0
grain 1
count s0
state i64 r2
body o lo hi sum
  x = load r0 o
  y = add i64 sum x
  store r1 o y
  end y`)
	out, state := make([]byte, 4*8), i64s(100)
	a := &stepper.Args{Sizes: []int64{4}, Regions: [][]byte{i64s(1, 2, 3, 4), out, state}}
	for _, cut := range [][2]int64{{0, 1}, {1, 1}, {1, 4}} {
		if _, err := stepper.Run(k, a, cut[0], cut[1]); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(out, i64s(101, 103, 106, 110)) || !slices.Equal(state, i64s(110)) {
		t.Errorf("%x, state %x", out, state)
	}
}

// unsafe kernels, which verify would refuse, stop with an error here.
func TestUnsafe(t *testing.T) {
	head := `
kernel
size s0 0..100
region readwrite i64 s0
region readwrite i64 s0 < s0
region scratch u8 4
sites 1
outer 1
grain 1
count 1
body o lo hi
  n = size s0
  minus = const i64 -1
  byte = const u8 1
`
	for _, c := range []struct{ body, want string }{
		{"x = load r0 n", "element 3 of region r0, which has 3"},
		{"x = load r0 minus", "element -1"},
		{"store r0 n o", "element 3"},
		{"store r2 n byte\n x = const i64 4\n store r2 x byte", "element 4 of region r2"},
		{"store r1 o n", "outside the bound s0"},
		{"store r1 o minus", "outside the bound"},
		{"store r0 o minus", ""},
		{"x = bound n < s0 - 3", "the bound is 0"},
		{"y = for i in o..n, c i64 < s0 = o {\n z = add i64 n c\n yield z\n }", "outside its bound"},
		{"x = bound n < s0 site 0 at n", ""},
		{"x = size s0*s0*s0*s0*s0*s0*s0*s0*s0*s0 + 1", ""},
	} {
		k := parse(t, head+c.body+"\nend")
		a := &stepper.Args{Sizes: []int64{3}, Regions: [][]byte{i64s(0, 0, 0), i64s(0, 1, 2), nil}, Faults: stepper.NewFaults(1)}
		_, err := stepper.Run(k, a, 0, 1)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}

func TestBadArguments(t *testing.T) {
	k := parse(t, "kernel\nsize s0 0..9\nscalar u8 0..9\nregion read i64 s0\nregion scratch i64 s0*s0*s0*s0*s0*s0*s0*s0*s0*s0\nsites 0\nouter 1\ngrain 1\ncount 1\nbody o lo hi\nend")
	good := func() *stepper.Args {
		return &stepper.Args{Sizes: []int64{2}, Scalars: []uint64{1}, Regions: [][]byte{i64s(1, 2), nil}}
	}
	if _, err := stepper.Run(k, good(), 0, 1); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(a *stepper.Args){
		"no sizes":     func(a *stepper.Args) { a.Sizes = nil },
		"wide scalar":  func(a *stepper.Args) { a.Scalars[0] = 256 },
		"short region": func(a *stepper.Args) { a.Regions[0] = a.Regions[0][:15] },
		"no region":    func(a *stepper.Args) { a.Regions = nil },
		"sites":        func(a *stepper.Args) { a.Faults = stepper.NewFaults(1) },
		"giant":        func(a *stepper.Args) { a.Sizes[0] = 9; a.Regions[0] = make([]byte, 72) },
	} {
		a := good()
		spoil(a)
		if _, err := stepper.Run(k, a, 0, 1); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestEvery holds the elementwise kernels against num and looks that NaN has
// one form in memory.
func TestEvery(t *testing.T) {
	for _, c := range kerneltest.Every() {
		a := &stepper.Args{Sizes: c.Sizes, Scalars: c.Scalars, Regions: c.Regions, Faults: stepper.NewFaults(c.Kernel.Sites)}
		if _, err := stepper.Run(c.Kernel, a, 0, c.Outer); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for r, bytes := range c.Regions {
			k := c.Kernel.Regions[r].Elem
			for i := 0; i < len(bytes); i += k.Size() {
				var b [8]byte
				copy(b[:], bytes[i:i+k.Size()])
				v := binary.LittleEndian.Uint64(b[:])
				if k.IsSigned() {
					v = num.Canon(k, v)
				}
				if !num.IsCanon(k, v) {
					t.Fatalf("%s: region r%d holds %#x", c.Name, r, v)
				}
			}
		}
	}
}
