package kernel_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// filler is a kernel of which only the loop varies.
const filler = `
kernel
size s0 0..1000000
size s1 0..1000000
region read f32 s0
region write f32 LENGTH
sites 0
outer s1
grain 4096
count s0
body o lo hi
  zero = const i64 0
  ten = const i64 10
  yes = const bool 1
  x = const f32 0
  LOOP
  end
`

// bothEnds stores half of the slots from the front, as many from the back, and the one between.
const bothEnds = `
  some = lt i64 lo hi
  if some {
    one = const i64 1
    two = const i64 2
    diff = sub i64 hi lo
    count = max i64 diff zero
    half = div i64 count two
    end = add i64 lo count
    last = sub i64 end one
    for t in zero..half {
      front = add i64 lo t
      store r1 front x
      back = sub i64 last t
      store r1 back x
      yield
    }
    rest = sub i64 count half
    for u in half..rest {
      at = add i64 lo u
      store r1 at x
      yield
    }
    yield
  } else {
    yield
  }`

// aroundCut stores the slots below a cut, and those from one on.
const aroundCut = `
  low = min i64 hi ten
  for i in lo..low {
    store r1 i x
    yield
  }
  high = max i64 lo CUT
  for j in high..hi {
    store r1 j x
    yield
  }`

// TestFills tells kernels that store every element of a region from such as leave some.
func TestFills(t *testing.T) {
	for _, c := range []struct {
		name, length, loop string
		want               bool
	}{
		{"slots", "s0", "for i in lo..hi {\n store r1 i x\n yield\n }", true},
		{"slots, while something is folded", "s0", "sum = fold i in lo..hi, add f32 {\n store r1 i x\n yield x\n }", true},
		{"a fold from another place on", "s0", "sum = fold i in zero..hi, add f32 {\n store r1 i x\n yield x\n }", false},
		{"a fold that stores one element", "s0", "sum = fold i in lo..hi, add f32 {\n store r1 lo x\n yield x\n }", false},
		{"rows", "10*s0", "for i in lo..hi {\n row = mul i64 i ten\n for j in zero..ten {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", true},
		{"short rows", "10*s0", "for i in lo..hi {\n row = mul i64 i ten\n nine = const i64 9\n for j in zero..nine {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", false},
		{"rows from one on", "10*s0", "for i in lo..hi {\n row = mul i64 i ten\n one = const i64 1\n for j in one..ten {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", false},
		{"rows from an unknown on", "10*s0", "m = min i64 lo ten\n for i in lo..hi {\n row = mul i64 i ten\n for j in m..ten {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", false},
		{"half of the slots", "2*s0", "for i in lo..hi {\n store r1 i x\n yield\n }", false},
		{"some slots", "s0", "for i in lo..hi {\n if yes {\n store r1 i x\n yield\n } else {\n yield\n }\n yield\n }", false},
		{"slots from another place on", "s0", "for i in zero..hi {\n store r1 i x\n yield\n }", false},
		{"until it stops", "s0", "for i in lo..hi stop {\n store r1 i x\n yield yes\n }", false},
		{"one element", "s0", "for i in lo..hi {\n store r1 lo x\n yield\n }", false},
		{"from both ends", "s0", bothEnds, true},
		{"from both ends, half too short", "s0", strings.Replace(bothEnds, "rest = sub i64 count half", "less = sub i64 count one\n rest = sub i64 less half", 1), false},
		{"from both ends, but for the middle", "s0", strings.Replace(bothEnds, "store r1 at x", "", 1), false},
		{"from both ends, but for the last", "s0", strings.Replace(bothEnds, "last = sub i64 end one", "last = sub i64 end two", 1), false},
		{"the first half twice", "s0", strings.Replace(bothEnds, "back = sub i64 last t", "back = add i64 lo t", 1), false},
		{"all on one side of a choice, none on the other", "s0", "if yes {\n for i in lo..hi {\n store r1 i x\n yield\n }\n yield\n } else {\n for j in lo..lo {\n store r1 j x\n yield\n }\n yield\n }", false},
		{"all on both sides of a choice", "s0", "if yes {\n for i in lo..hi {\n store r1 i x\n yield\n }\n yield\n } else {\n for j in lo..hi {\n store r1 j x\n yield\n }\n yield\n }", true},
		{"from both ends, at least ten", "s0", strings.Replace(bothEnds, "count = max i64 diff zero", "count = max i64 diff ten", 1), false},
		{"from both ends, less of them", "s0", strings.Replace(bothEnds, "count = max i64 diff zero", "count = min i64 diff ten", 1), false},
		{"from both ends, where something else is so", "s0", strings.Replace(bothEnds, "some = lt i64 lo hi", "some = lt i64 lo ten", 1), false},
		{"from both ends, where there is none", "s0", strings.Replace(bothEnds, "some = lt i64 lo hi", "some = lt i64 hi lo", 1), false},
		{"in two loops", "s0", "mid = min i64 lo ten\n for t in lo..mid {\n store r1 t x\n yield\n }\n for u in mid..hi {\n store r1 u x\n yield\n }", false},
		{"on both sides of a cut", "s0", strings.Replace(aroundCut, "CUT", "ten", 1), true},
		{"on both sides of two cuts", "s0", strings.Replace(aroundCut, "CUT", "zero", 1), false},
		{"below a cut", "s0", "low = min i64 hi ten\n for i in lo..low {\n store r1 i x\n yield\n }", false},
		{"from a cut on", "s0", "high = max i64 lo ten\n for i in high..hi {\n store r1 i x\n yield\n }", false},
		{"on both sides of a cut, where one stores one element", "s0", strings.Replace(strings.Replace(aroundCut, "CUT", "ten", 1), "store r1 j x", "store r1 lo x", 1), false},
		{"what is also loaded", "s0", "for i in lo..hi {\n y = load r1 i\n store r1 i y\n yield\n }", false},
	} {
		text := strings.NewReplacer("LENGTH", c.length, "LOOP", c.loop).Replace(filler)
		if strings.Contains(c.loop, "load r1") {
			text = strings.Replace(text, "region write", "region readwrite", 1)
		}
		k, err := kernel.ParseText(text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := kernel.Fills(k, 1); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// once is a kernel with one outer index, which goes over an array of its own.
const once = `
kernel
size s0 0..1000000
size s1 0..1000000
region read f32 s0
region readwrite f32 LENGTH
sites 0
outer OUTER
grain 1
count 1
body o lo hi
  zero = const i64 0
  one = const i64 1
  ten = const i64 10
  n = size s0
  m = size s1
  yes = const bool 1
  x = const f32 0
  LOOP
  for later in one..n {
    before = sub i64 later one
    y = load r1 before
    store r1 later y
    yield
  }
  end
`

// TestFillsFirst tells kernels that store all of an array before they look at it from such as leave some, or look first.
func TestFillsFirst(t *testing.T) {
	const all = "for i in zero..n {\n store r1 i x\n yield\n }"
	for _, c := range []struct {
		name, length, outer, loop string
		want                      bool
	}{
		{"all", "s0", "1", all, true},
		{"rows", "10*s0", "1", "for i in zero..n {\n row = mul i64 i ten\n for j in zero..ten {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", true},
		{"as many rows as their length, which may be below 0", "s0*s0 - 2*s0*s1 + s1*s1", "1", "d = size s0 - s1\n for i in zero..d {\n row = mul i64 i d\n for j in zero..d {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", false},
		{"short rows", "s0*s1", "1", "for i in zero..n {\n row = mul i64 i ten\n for j in zero..ten {\n at = add i64 row j\n store r1 at x\n yield\n }\n yield\n }", false},
		{"after a look elsewhere", "s0", "1", "z = load r0 zero\n" + all, true},
		{"several times", "s0", "s1", all, false},
		{"all but the first", "s0", "1", strings.Replace(all, "zero..n", "one..n", 1), false},
		{"too few", "s0", "1", strings.Replace(all, "zero..n", "zero..m", 1), false},
		{"ten", "s0", "1", strings.Replace(all, "zero..n", "zero..ten", 1), false},
		{"longer", "2*s0", "1", all, false},
		{"until it stops", "s0", "1", "for i in zero..n stop {\n store r1 i x\n yield yes\n }", false},
		{"some", "s0", "1", "for i in zero..n {\n if yes {\n store r1 i x\n yield\n } else {\n yield\n }\n yield\n }", false},
		{"at one place", "s0", "1", strings.Replace(all, "r1 i", "r1 zero", 1), false},
		{"after a look", "s0", "1", "z = load r1 zero\n" + all, false},
		{"with a look", "s0", "1", "for i in zero..n {\n z = load r1 zero\n store r1 i z\n yield\n }", false},
		{"after another", "s0", "1", "store r1 zero x\n" + all, false}, // it would hold, but is not found
		{"never", "s0", "1", "if yes {\n yield\n } else {\n" + all + "\n yield\n }", false},
		{"another", "s0", "1", strings.Replace(all, "store r1 i x", "z = load r0 i", 1), false},
	} {
		k, err := kernel.ParseText(strings.NewReplacer("LENGTH", c.length, "OUTER", c.outer, "LOOP", c.loop).Replace(once))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := kernel.Fills(k, 1); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
