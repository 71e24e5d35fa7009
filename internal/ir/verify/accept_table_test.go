package verify_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestAccepts lists the reasons for being in bounds that verify must see;
// the compiler counts on them.
func TestAccepts(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"slots", "for i in lo..hi {\n x = load r0 i\n store r4 i x\n yield\n }"},
		{"own slot", "for i in lo..hi {\n x = load r5 i\n store r5 i x\n yield\n }"},
		{"clamp", "a = load r0 zero\n b = max i64 a zero\n l = sub i64 n one\n c = min i64 b l\n x = load r0 c"},
		{"clamp the other way", "a = load r0 zero\n l = sub i64 n one\n b = min i64 a l\n c = max i64 b zero\n x = load r0 c"},
		{"neighbours clamped", "for i in lo..hi {\n a = sub i64 i ten\n b = max i64 a zero\n x = load r0 b\n c = add i64 i ten\n l = sub i64 n one\n d = min i64 c l\n y = load r0 d\n yield\n }"},
		{"wrap around", "a = load r0 zero\n b = rem i64 a n\n c = add i64 b n\n d = rem i64 c n\n x = load r0 d"},
		{"row-major", "for i in zero..n {\n for j in zero..m {\n a = mul i64 i m\n b = add i64 a j\n x = load r1 b\n yield\n }\n yield\n }"},
		{"flattened", "for i in zero..nm {\n r = div i64 i m\n c = rem i64 i m\n x = load r0 r\n y = load r3 c\n yield\n }"},
		{"transposed", "for i in zero..nm {\n r = div i64 i n\n c = rem i64 i n\n a = mul i64 c m\n b = add i64 a r\n x = load r1 b\n yield\n }"},
		{"split and joined", "for i in lo..hi {\n for j in zero..m {\n a = mul i64 i m\n b = add i64 a j\n r = div i64 b m\n c = rem i64 b m\n x = load r0 r\n store r4 r x\n y = load r3 c\n yield\n }\n yield\n }"},
		{"guard", "a = load r0 zero\n c = ge i64 a zero\n d = lt i64 a n\n e = and bool c d\n if e {\n x = load r0 a\n yield\n } else {\n yield\n }"},
		{"guard turned over", "a = load r0 zero\n c = lt i64 a zero\n d = ge i64 a n\n e = or bool c d\n if e {\n yield\n } else {\n x = load r0 a\n yield\n }"},
		{"guarded select", "a = load r0 zero\n b = max i64 a zero\n d = lt i64 b n\n e = select i64 d b zero\n x = load r0 e"},
		{"guard on a size", "p = positive s4\n if p {\n x = load r9 zero\n yield\n } else {\n yield\n }"},
		{"branches", "a = load r2 zero\n b = if yes {\n y = load r2 a\n yield y\n } else {\n yield zero\n }\n x = load r0 b"},
		{"follow", "a = for i in zero..ten, c i64 < s0 = zero {\n d = load r2 c\n yield d\n }\n x = load r0 a"},
		{"binary search", "a b = for i in zero..ten, c i64 < s0 = zero, e i64 < s0 = zero {\n d = add i64 c e\n f = div i64 d two\n yield f e\n }\n x = load r0 a"},
		{"argmin", "a b = fold i in zero..n, argmin i64 {\n x = load r0 i\n yield x\n }\n y = load r0 b"},
		{"argmin of slots", "a b = fold i in lo..hi, argmax i64 {\n x = load r0 i\n yield x\n }\n c = lt i64 lo hi\n if c {\n y = load r0 b\n yield\n } else {\n yield\n }"},
		{"masked", "a = load r0 zero\n k = const i64 15\n b = and i64 a k\n x = load r7 b"},
		{"shifted", "a = load r3 zero\n s = const u8 4\n b = shr u8 a s\n c = convert u8 i64 b\n x = load r7 c"},
		{"small scalar", "a = scalar 1\n x = load r3 a"},
		{"data-dependent turns, bounded", "a = load r2 zero\n for i in zero..a {\n x = load r0 i\n yield\n }"},
		{"scalar turns", "a = scalar 3\n b = convert u64 i64 a\n for i in zero..b {\n yield\n }"},
		{"count as length", "a = fold i in zero..n, add i64 {\n x = load r10 i\n y = convert bool i64 x\n yield y\n }\n for j in zero..a {\n z = load r0 j\n yield\n }"},
		{"triangle", "for i in zero..n {\n for j in zero..i {\n a = sub i64 i j\n x = load r0 a\n yield\n }\n yield\n }"},
		{"backwards", "l = sub i64 n one\n for i in lo..hi {\n a = sub i64 l i\n x = load r0 a\n store r4 a x\n yield\n }"},
		{"narrow index stored", "for i in lo..hi {\n a = load r3 zero\n b = rem i64 i m\n c = convert i64 i32 b\n store r6 i c\n yield\n }"},
		{"dead by sizes", "p = positive s4\n if p {\n yield\n } else {\n e = size s4\n for i in zero..e {\n x = load r0 wild2\n yield\n }\n yield\n }"},
		{"dead by guards", "a = load r0 zero\n c = lt i64 a ten\n if c {\n d = ge i64 a ten\n if d {\n x = load r0 a\n yield\n } else {\n yield\n }\n yield\n } else {\n yield\n }"},
		{"bound in a loop", "for i in zero..nm {\n a = load r0 zero\n b = bound a < s1\n x = load r3 b\n yield\n }"},
	} {
		text := world + usual + "two = const i64 2\nwild2 = load r0 zero\n" + c.body + "\nend"
		if err := check(t, text); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func safe(t *testing.T, text string) *verify.Safe {
	t.Helper()
	k, err := kernel.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := verify.Check(k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFootprint(t *testing.T) {
	s := safe(t, world+usual+"for i in lo..hi {\n x = load r0 i\n for j in zero..m {\n a = mul i64 i m\n b = add i64 a j\n y = load r1 b\n yield\n }\n store r4 i x\n yield\n }\nfor k in zero..n {\n z = load r2 k\n yield\n}\nend")
	sizes := []int64{10, 3, 3, 0, 0}
	for r, want := range map[int][2]int64{0: {4, 10}, 1: {12, 30}, 2: {0, 10}, 4: {4, 10}, 5: {0, 0}} {
		start, end, ok := s.Footprint[r].Range(sizes, 1, 3)
		if !ok || start != want[0] || end != want[1] {
			t.Errorf("r%d: %d..%d, want %d", r, start, end, want)
		}
	}
	if s.Footprint[2].Streamed || !s.Footprint[1].Streamed || s.Footprint[1].Start.String() != "4*o*s1" {
		t.Errorf("%+v", s.Footprint[:3])
	}
}

func TestWork(t *testing.T) {
	s := safe(t, world+usual+"for i in lo..hi {\n p = positive s4\n if p {\n a b = fold j in zero..m, add i64, max i64 {\n yield j j\n }\n yield\n } else {\n yield\n }\n yield\n }\nend")
	// One outer index, 10 instructions; four turns of 1 + 2 instructions and
	// the fold with 3 for each of s1 turns.
	if got, want := s.Outer.Eval([]int64{1000, 7, 250, 0, 0}), int64(11+4*(1+2+(1+7*3))); got != want {
		t.Errorf("%d steps, want %d: %s", got, want, s.Outer.String())
	}
	if text := s.Outer.String(); !strings.Contains(text, "·(1 + 2 + max(1 + (s1)·(3 + 0), 0))") {
		t.Error(text)
	}
}

func TestAdmit(t *testing.T) {
	s := safe(t, world+usual+"for i in zero..nm {\n x = load r1 i\n yield\n }\nend")
	good := func() ([]int64, []uint64, []int64) {
		sizes := []int64{10, 3, 3, 0, 5}
		lens := []int64{10, 30, 10, 3, 10, 10, 10, 0, 10, 5, 10, 10}
		return sizes, []uint64{0, 2, 0, 9}, lens
	}
	sizes, scalars, lens := good()
	if err := s.Admit(sizes, scalars, lens, verify.Limits{}); err != nil {
		t.Fatal(err)
	}
	cost := s.Cost(sizes)
	if cost.Steps != 3*cost.OuterSteps || cost.ScratchBytes != 128 || cost.RegionBytes != 8*(10+30+10)+3+80+80+40+40+40+10+80 {
		t.Errorf("%+v", cost)
	}
	for _, c := range []struct {
		name  string
		spoil func(sizes []int64, scalars []uint64, lens []int64) verify.Limits
		want  string
	}{
		{"size too small", func(s []int64, _ []uint64, _ []int64) verify.Limits { s[0] = 0; return verify.Limits{} }, "size s0 is 0, outside its range 1..1000000"},
		{"size too large", func(s []int64, _ []uint64, _ []int64) verify.Limits { s[1] = 1001; return verify.Limits{} }, "size s1 is 1001"},
		{"scalar range", func(_ []int64, v []uint64, _ []int64) verify.Limits { v[0] = 6; return verify.Limits{} }, "scalar 0 is 6"},
		{"scalar bound", func(_ []int64, v []uint64, _ []int64) verify.Limits { v[1] = 3; return verify.Limits{} }, "outside its bound s1 = 3"},
		{"scalar bits", func(_ []int64, v []uint64, _ []int64) verify.Limits { v[2] = 1 << 40; return verify.Limits{} }, "no f32"},
		{"scalar sign", func(_ []int64, v []uint64, _ []int64) verify.Limits { v[3] = 1 << 63; return verify.Limits{} }, "scalar 3 is"},
		{"short region", func(_ []int64, _ []uint64, l []int64) verify.Limits { l[1] = 29; return verify.Limits{} }, "region r1 has 29 elements, s0*s1 = 30 are needed"},
		{"steps", func(_ []int64, _ []uint64, _ []int64) verify.Limits { return verify.Limits{Steps: 200} }, "steps, the limit is 200"},
		{"outer steps", func(_ []int64, _ []uint64, _ []int64) verify.Limits { return verify.Limits{OuterSteps: 70} }, "steps for one outer index, the limit is 70"},
		{"scratch", func(_ []int64, _ []uint64, _ []int64) verify.Limits { return verify.Limits{ScratchBytes: 127} }, "128 bytes of scratch"},
		{"regions", func(_ []int64, _ []uint64, _ []int64) verify.Limits { return verify.Limits{RegionBytes: 100} }, "bytes of regions"},
	} {
		sizes, scalars, lens := good()
		limits := c.spoil(sizes, scalars, lens)
		if err := s.Admit(sizes, scalars, lens, limits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if s.Admit(nil, scalars, lens, verify.Limits{}) == nil || s.Admit(sizes, nil, lens, verify.Limits{}) == nil || s.Admit(sizes, scalars, nil, verify.Limits{}) == nil {
		t.Error("missing arguments were admitted")
	}
}

// TestGiantSizes: a product of sizes that may leave int64 is taken as exact,
// and admission sees to it.
func TestGiantSizes(t *testing.T) {
	text := `
kernel
size s0 1..281474976710656
size s1 1..281474976710656
region read u8 s0*s1
sites 0
outer 1
grain 1
count 1
body o lo hi
  zero = const i64 0
  n = size s0
  m = size s1
  for i in zero..n {
    for j in zero..m {
      a = mul i64 i m
      b = add i64 a j
      x = load r0 b
      yield
    }
    yield
  }
end`
	s := safe(t, text)
	if err := s.Admit([]int64{1 << 26, 1 << 26}, nil, []int64{1 << 52}, verify.Limits{}); err != nil {
		t.Error(err)
	}
	for _, sizes := range [][]int64{{1 << 40, 1 << 40}, {1 << 32, 1 << 32}, {1 << 31, 1 << 31}} {
		if err := s.Admit(sizes, nil, []int64{0}, verify.Limits{}); err == nil {
			t.Errorf("%d was admitted", sizes)
		}
	}
	if c := s.Cost([]int64{1 << 40, 1 << 40}); c.Steps != 1<<63-1 || c.RegionBytes != 1<<63-1 {
		t.Errorf("%+v", c)
	}
}

// TestHashes: arithmetic that means to wrap must not keep large sizes out.
func TestHashes(t *testing.T) {
	s := safe(t, world+usual+"g = const i64 -7046029254386353131\n s = const i64 60\n for i in lo..hi {\n a = mul i64 i g\n b = shr i64 a s\n k = const i64 15\n c = and i64 b k\n x = load r7 c\n d = bound a < s0\n y = load r0 d\n store r4 i a\n yield\n }\nend")
	sizes := []int64{1000000, 1000, 250000, 0, 0}
	lens := []int64{1000000, 1000000000, 1000000, 1000, 1000000, 1000000, 1000000, 0, 1000000, 0, 1000000, 1000000}
	if err := s.Admit(sizes, make([]uint64, 4), lens, verify.Limits{}); err != nil {
		t.Error(err)
	}
}
