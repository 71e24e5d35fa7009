package verify_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// world is the header that most of the kernels below share.
const world = `
kernel
size s0 1..1000000
size s1 1..1000
size s2 0..1000000
size s3 0..281474976710656
size s4 0..1000000
scalar i64 -5..5
scalar i64 0..9 < s1
scalar f32
scalar u64 0..1000
region read i64 s0
region read i64 s0*s1
region read i64 s0 < s0
region read u8 s1
region write i64 s0
region readwrite i64 s0
region write i32 s0 < s1
region scratch i64 16
region read f32 s0
region read i64 s4
region read bool s0
region read u64 s0
sites 2
outer s2
grain 4
count s0
`

// usual names the values that most bodies want.
const usual = `
body o lo hi
  zero = const i64 0
  one = const i64 1
  ten = const i64 10
  n = size s0
  m = size s1
  nm = size s0*s1
  yes = const bool 1
  real = const f32 0
  wild = load r3 zero
`

type refused struct{ name, body, want string }

// TestFactors refuses folds of products whose factors are not there.
func TestFactors(t *testing.T) {
	const fold = usual + `
  x = scalar 2
  s = fold i in zero..n, %s {
    a = load r8 i
    p = mul f32 a x
    q = add f32 a x
    d = mul f32 p a
    yield %s
  }
end
`
	if err := check(t, world+fmt.Sprintf(fold, "muladd f32", "d")); err != nil {
		t.Error(err)
	}
	mustRefuse(t, "a sum", world+fmt.Sprintf(fold, "muladd f32", "q"), "must be a product")
	mustRefuse(t, "a load", world+fmt.Sprintf(fold, "muladd f32", "a"), "must be a product")
	mustRefuse(t, "a number", world+fmt.Sprintf(fold, "muladd f32", "real"), "must be a product")
	mustRefuse(t, "an integer", world+fmt.Sprintf(fold, "muladd i64", "i"), "not defined on i64")
	mustRefuse(t, "a tree", world+strings.Replace(fmt.Sprintf(fold, "muladd f32", "d"), "..n,", "..n tree,", 1), "a tree has no lanes")
}

func check(t *testing.T, text string) error {
	t.Helper()
	k, err := kernel.ParseText(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	b, err := kernel.Encode(k)
	if err != nil {
		return err
	}
	_, err = verify.CheckBytes(b)
	return err
}

func mustRefuse(t *testing.T, name, text, want string) {
	t.Helper()
	err := check(t, text)
	e := new(verify.Error)
	f := new(kernel.FormatError)
	if !errors.As(err, &e) && !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

func TestRefusesBodies(t *testing.T) {
	if err := check(t, world+usual+"end"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []refused{
		// Out of bounds.
		{"past the end", "x = load r0 n", "`v12 = load r0 v6`: the index v6 must be below s0; known: it is s0, at least s0 and at most s0"},
		{"before the start", "i = sub i64 zero one\n x = load r0 i", "the index v12 must be at least 0"},
		{"constant too large", "x = load r0 one", "must be below s0"},
		{"empty region", "x = load r9 zero", "must be below s4"},
		{"outer past the slots", "x = load r0 o", "must be below s0"},
		{"lo past the slots", "x = load r0 lo", "must be below s0"},
		{"hi is not a slot", "x = load r0 hi", "must be below s0"},
		{"loop too long", "for i in zero..nm {\n x = load r0 i\n yield\n }", "body > 9 for > 0 load: `v13 = load r0 v12`: the index v12 must be below s0"},
		{"loop too early", "a = sub i64 zero one\n for i in a..n {\n x = load r0 i\n yield\n }", "at least 0"},
		{"off by one", "for i in zero..n {\n j = add i64 i one\n x = load r0 j\n yield\n }", "must be below s0"},
		{"wrong stride", "for i in zero..n {\n for j in zero..m {\n a = mul i64 i n\n b = add i64 a j\n x = load r1 b\n yield\n }\n yield\n }", "must be below s0*s1"},
		{"row too wide", "for i in zero..n {\n for j in zero..n {\n a = mul i64 i m\n b = add i64 a j\n x = load r1 b\n yield\n }\n yield\n }", "must be below s0*s1"},
		{"data as index", "a = load r0 zero\n x = load r0 a", "it is v12, at least (nothing) and at most (nothing)"},
		{"index of another bound", "a = load r2 zero\n x = load r3 a", "must be below s1"},
		{"scalar as index", "a = scalar 0\n x = load r0 a", "at least 0"},
		{"bounded scalar elsewhere", "a = scalar 1\n x = load r7 a\n y = load r0 a", "must be below s0"},
		{"one-sided clamp", "a = load r0 zero\n b = max i64 a zero\n x = load r0 b", "must be below s0"},
		{"clamp to the length", "a = load r0 zero\n b = max i64 a zero\n c = min i64 b n\n x = load r0 c", "must be below s0"},
		{"remainder of a negative", "a = load r0 zero\n b = rem i64 a n\n x = load r0 b", "at least 0"},
		{"remainder by what may be 0", "a = load r0 zero\n b = max i64 a zero\n c = load r3 zero\n d = convert u8 i64 c\n e = rem i64 b d\n x = load r3 e", "must be below s1"},
		{"mask too wide", "a = load r0 zero\n k = const i64 31\n b = and i64 a k\n x = load r7 b", "must be below 16"},
		{"quotient too large", "for i in zero..nm {\n a = div i64 i one\n x = load r0 a\n yield\n }", "must be below s0"},
		{"arithmetic that may wrap", "a = load r0 zero\n b = const i64 9223372036854775807\n c = and i64 a b\n d = add i64 c one\n x = load r0 d", "at least (nothing)"},
		{"product that wraps", "a = const i64 4611686018427387904\n b = mul i64 a n\n c = max i64 b zero\n x = load r0 c", "must be below s0"},
		{"narrow sum that wraps", "a = load r3 zero\n b = const u8 1\n c = add u8 a b\n d = convert u8 i64 c\n x = load r7 d", "must be below 16"},
		{"narrowed index", "for i in zero..n {\n a = convert i64 u8 i\n b = convert u8 i64 a\n x = load r7 b\n yield\n }", "must be below 16"},
		{"shift out", "s = const i64 62\n a = shl i64 n s\n b = load r0 a", "at least (nothing)"},
		{"float as index", "a = load r8 zero\n b = convert f32 i64 a\n x = load r0 b", "at least (nothing)"},
		{"unsigned past the sign", "a = load r11 zero\n b = convert u64 i64 a\n x = load r0 b", "at least (nothing)"},
		{"bits of a float", "a = const f64 0\n b = bitcast f64 i64 a\n x = load r0 b", "at least (nothing)"},
		{"one branch wrong", "a = if yes {\n yield zero\n } else {\n yield n\n }\n x = load r0 a", "must be below s0"},
		{"selected wrong", "a = select i64 yes n zero\n x = load r0 a", "must be below s0"},
		{"guard of the other sign", "a = load r0 zero\n c = lt i64 a n\n if c {\n x = load r0 a\n yield\n } else {\n yield\n }", "at least 0"},
		{"guard in the other branch", "a = scalar 0\n b = max i64 a zero\n c = lt i64 b n\n if c {\n yield\n } else {\n x = load r0 b\n yield\n }", "must be below s0"},
		{"guard forgotten", "p = positive s4\n if p {\n x = load r9 zero\n yield\n } else {\n yield\n }\n y = load r9 zero", "`v14 = load r9 v3`: the index v3 must be below s4"},
		{"a Bool that said more below a guard", "a = load r0 zero\n c = lt i64 a n\n g = ge i64 a zero\n if g {\n if c {\n x = load r0 a\n yield\n } else {\n yield\n }\n yield\n } else {\n yield\n }\n if c {\n y = load r0 a\n yield\n } else {\n yield\n }", "at least 0"},
		{"a Bool that said more where a size has elements", "a = load r3 zero\n b = convert u8 i64 a\n c = lt i64 b one\n p = positive s4\n if p {\n if c {\n x = load r9 b\n yield\n } else {\n yield\n }\n yield\n } else {\n yield\n }\n if c {\n y = load r9 b\n yield\n } else {\n yield\n }", "must be below s4"},
		{"position in an empty fold", "e = size s4\n a b = fold i in zero..e, argmin i64 {\n yield i\n }\n x = load r9 b", "must be below s4"},
		{"folded value as index", "a = fold i in zero..n, max i64 {\n yield i\n }\n x = load r0 a", "at least (nothing)"},
		{"sum as index", "a = fold i in zero..n, add i64 {\n yield one\n }\n x = load r0 a", "must be below s0; known: it is v13, at least 0 and at most s0"},
		{"carried without bound", "a = for i in zero..n, c i64 = zero {\n x = load r0 c\n yield c\n }", "at least (nothing)"},
		{"carried result", "a = for i in zero..n, c i64 < s0 = zero {\n yield c\n }\n x = load r3 a", "must be below s1"},
		{"carry begins outside", "a = for i in zero..n, c i64 < s0 = n {\n yield c\n }", "the first carried value v6 must be below s0"},
		{"carry leaves its bound", "a = for i in zero..n, c i64 < s0 = zero {\n d = add i64 c one\n yield d\n }", "the next carried value v14 must be below s0"},
		{"carry below 0", "a = for i in zero..n, c i64 < s0 = zero {\n d = sub i64 c one\n yield d\n }", "the next carried value v14 must be at least 0"},
		{"carry of an empty bound", "a = for i in zero..n, c i64 < s4 = zero {\n yield c\n }", "the first carried value v3 must be below s4"},
		{"bound that may be empty", "a = bound n < s4", "s4 must be at least 1 here; known: it is s4, at least s4 and at most s4"},
		{"bound after the loop", "e = size s4\n for i in zero..e {\n a = bound n < s4\n yield\n }\n b = bound n < s4", "body > 11 bound: `v15 = bound v6 < s4`"},
		{"bound elsewhere", "a = bound n < s0\n x = load r3 a", "must be below s1"},
		// Access.
		{"load from a write region", "x = load r4 zero", "region r4 can only be written"},
		{"store to a read region", "store r0 zero zero", "region r0 can only be read"},
		{"store breaks a bound", "for i in lo..hi {\n k = const i32 1000\n store r6 i k\n yield\n }", "the value stored v13 must be below s1"},
		{"store of a negative", "for i in lo..hi {\n k = const i32 -1\n store r6 i k\n yield\n }", "the value stored v13 must be at least 0"},
		// Outer indices that meet.
		{"all store one place", "store r4 zero zero", "stored at one outer index must not be touched at another"},
		{"all store everything", "for i in zero..n {\n store r4 i i\n yield\n }", "region r4"},
		{"scattered store", "a = load r2 zero\n store r4 a zero", "touched at another"},
		{"overlapping windows", "for i in lo..hi {\n store r4 i i\n j = add i64 i one\n k = rem i64 j n\n store r4 k i\n yield\n }", "region r4"},
		{"reads a neighbour", "for i in lo..hi {\n j = sub i64 i one\n k = max i64 j zero\n x = load r5 k\n store r5 i x\n yield\n }", "region r5"},
		{"reads all, stores own", "for i in zero..n {\n x = load r5 i\n yield\n }\n for j in lo..hi {\n store r5 j j\n yield\n }", "region r5"},
		{"half a grain", "g = const i64 2\n a = mul i64 o g\n for i in lo..hi {\n b = sub i64 i a\n store r4 b i\n yield\n }", "region r4"},
		// Kinds.
		{"operands of two kinds", "a = add i64 zero real", "v10 is a f32 where i64 belongs"},
		{"operation of another kind", "a = sqrt i64 zero", "sqrt is not defined on i64"},
		{"remainder of floats", "a = rem f32 real real", "rem is not defined on f32"},
		{"shift of bool", "a = shl bool yes yes", "shl is not defined on bool"},
		{"index of another kind", "a = const i32 0\n x = load r0 a", "v12 is a i32 where i64 belongs"},
		{"stored kind", "store r7 zero real", "v10 is a f32 where i64 belongs"},
		{"condition", "if zero {\n yield\n } else {\n yield\n }", "v3 is a i64 where bool belongs"},
		{"branches of two kinds", "a = if yes {\n yield zero\n } else {\n yield real\n }", "v10 is a f32 where i64 belongs"},
		{"branches of two lengths", "a = if yes {\n yield zero\n } else {\n yield zero one\n }", "different numbers of results"},
		{"select of two kinds", "a = select i64 yes zero real", "where i64 belongs"},
		{"select by a number", "a = select i64 zero zero zero", "where bool belongs"},
		{"convert to itself", "a = convert i64 i64 zero", "no conversion from i64 to i64"},
		{"convert to bool", "a = convert i64 bool zero", "no conversion from i64 to bool"},
		{"convert of another kind", "a = convert i32 i64 zero", "v3 is a i64 where i32 belongs"},
		{"bitcast of another width", "a = bitcast i64 f32 zero", "do not have the same bits"},
		{"bitcast of bool", "a = bitcast bool u8 yes", "do not have the same bits"},
		{"fault of a number", "fault zero site 0", "where bool belongs"},
		{"place of a fault", "fault yes site 0 at real", "v10 is a f32 where i64 belongs"},
		{"loop over floats", "for i in zero..real {\n yield\n }", "where i64 belongs"},
		{"carried kind", "a = for i in zero..n, c f32 = zero {\n yield c\n }", "v3 is a i64 where f32 belongs"},
		{"next carried kind", "a = for i in zero..n, c f32 = real {\n yield zero\n }", "v3 is a i64 where f32 belongs"},
		{"bounded float", "a = for i in zero..n, c f32 < s0 = real {\n yield c\n }", "only integers have a bound"},
		{"stop of another kind", "for i in zero..n stop {\n yield zero\n }", "where bool belongs"},
		{"no stop", "for i in zero..n stop {\n yield\n }", "0 results where 1 belong"},
		{"folded kind", "a = fold i in zero..n, add f32 {\n yield i\n }", "v12 is a i64 where f32 belongs"},
		{"fold of another kind", "a = fold i in zero..n, and f32 {\n yield real\n }", "fold and is not defined on f32"},
		{"wide sum of narrow", "a b = fold i in zero..n, addwide i32 {\n x = const i32 0\n yield x\n }", "fold addwide is not defined on i32"},
		{"fold of nothing", "fold i in zero..n {\n yield\n }", "a fold needs an accumulator"},
		{"too many folded", "a = fold i in zero..n, add i64 {\n yield i i\n }", "2 results where 1 belong"},
		// Scopes.
		{"value of a branch", "if yes {\n a = add i64 one one\n yield\n } else {\n yield\n }\n b = add i64 a a", "v12 is not visible here"},
		{"value of the other branch", "if yes {\n a = add i64 one one\n yield\n } else {\n b = add i64 a a\n yield\n }", "v12 is not visible here"},
		{"value of a loop", "for i in zero..n {\n a = add i64 i one\n yield\n }\n b = add i64 a a", "v13 is not visible here"},
		{"variable of a loop", "for i in zero..n {\n yield\n }\n b = add i64 i i", "v12 is not visible here"},
		{"variable of a fold", "a = fold i in zero..n, add i64 {\n yield i\n }\n b = add i64 i i", "v12 is not visible here"},
		{"deep value as place", "if yes {\n a = add i64 one one\n yield\n } else {\n yield\n }\n fault yes site 0 at a", "v12 is not visible here"},
		// Work without bound.
		{"endless by data", "a = load r0 zero\n for i in zero..a {\n yield\n }", "the number of turns needs a bound over the sizes; known: it is v12"},
		{"endless by wrapping", "a = const i64 4611686018427387904\n b = add i64 a a\n for i in zero..b {\n yield\n }", "the number of turns needs a bound"},
		{"endless fold", "a = load r0 zero\n b = fold i in a..n, add i64 {\n yield i\n }", "the number of turns needs a bound"},
		{"site", "fault yes site 2", "one more than the fault site"},
	} {
		mustRefuse(t, c.name, world+usual+c.body+"\nend", c.want)
	}
}

func TestRefusesHeaders(t *testing.T) {
	base := "kernel\nsize s0 0..9\nregion readwrite i64 s0\nregion read f32 s0\nsites 0\nouter 1\ngrain 1\ncount 1\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty range", strings.Replace(base, "0..9", "9..8", 1), "a size needs a range"},
		{"giant size", strings.Replace(base, "0..9", "0..562949953421312", 1), "hi ≤ 2^48"},
		{"scalar range", base + "scalar i8 5..4\n", "needs a range lo ≤ hi inside -128..127"},
		{"scalar range too wide", base + "scalar u8 0..256\n", "inside 0..255"},
		{"bounded float region", base + "region read f32 s0 < s0\n", "only integers have a bound"},
		{"state in a missing region", base + "state i64 r9\n", "region 9, but there are 2"},
		{"state in a read region", base + "state f32 r1\n", "must be readwrite, not read"},
		{"state of another kind", base + "state i32 r0\n", "it is a i32, but region r0 holds i64"},
		{"two states in one region", base + "state i64 r0\nstate i64 r0\n", "already holds another state"},
		{"missing size", base + "region read i64 s1\n", "size 1, but there are 1"},
		{"giant length", base + "region read i64 9223372036854775807*2\n", "too large"},
		{"sites", base + "sites 70000\n", "number of sites"},
	} {
		params := strings.Repeat(" x", strings.Count(c.text, "\nstate "))
		for i := range strings.Count(params, "x") {
			params = strings.Replace(params, "x", string(rune('a'+i)), 1)
		}
		mustRefuse(t, c.name, c.text+"body o lo hi"+params+"\nend"+params, c.want)
	}
}

func TestRefusesStates(t *testing.T) {
	head := "kernel\nsize s0 0..9\nregion readwrite i64 %L < s0\nregion readwrite i64 s0\nsites 0\nouter s0\ngrain 1\ncount s0\nstate i64 r0\nbody o lo hi a\n"
	for _, c := range []refused{
		{"breaks the bound", "one = const i64 1\nb = add i64 a one\nend b", "the value stored v5 must be below s0"},
		{"reads where it rests", "z = const i64 0\nx = load r0 z\nend x", "holds a state and cannot be touched"},
		{"stores where it rests", "store r0 o a\nend a", "holds a state and cannot be touched"},
		{"next of another kind", "b = const f32 0\nend b", "v4 is a f32 where i64 belongs"},
		{"no next", "end", "0 results where 1 belong"},
	} {
		mustRefuse(t, c.name, strings.Replace(head, "%L", "1", 1)+c.body, c.want)
	}
	mustRefuse(t, "nowhere to rest", strings.Replace(head, "%L", "s0", 1)+"end a", "must have an element for state 0")
	mustRefuse(t, "scratch that breaks its bound", world+"region scratch i64 4 < s4\n"+usual+"store r12 zero zero\nend", "must be below s4")
	mustRefuse(t, "scratch that begins broken", world+"region scratch i64 4 < s4\n"+usual+"x = load r12 zero\nend", "begins as zeros")
}
