package llvmir

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// logarithms are kernels that ask whether a float is zero, negative, subnormal or infinite: ln of f64 and f32; log10, log2 and ln_1p of the same
// number; ln of two others, of which one is made by an exponential;
// and folds of ln: a sum of products, and both extremes beside a sum.
var logarithms = []string{"log", "log32", "logs", "softplus", "logdot", "logends"}

// powers are all powers of two of a kind, with their neighbours, and what is no number of which there is a logarithm.
func powers(k num.Kind) []float64 {
	list := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32}
	for e := -1074; e < 1024; e++ {
		x := math.Ldexp(1, e)
		next, before := math.Nextafter(x, 2*x), math.Nextafter(x, 0)
		if k == num.F32 {
			next, before = float64(math.Nextafter32(float32(x), float32(2*x))), float64(math.Nextafter32(float32(x), 0))
		}
		list = append(list, x, next, before, -x, -next, x*math.Sqrt2, x/math.Sqrt2)
	}
	return list
}

// TestLogarithmsAtEdges has groups in which no number is regular, and ones in which a single one is not.
func TestLogarithmsAtEdges(t *testing.T) { agreeAtEdges(t, logarithms, powers, 64, regularNumber) }

func regularNumber(i int) float64 { return 3.5 + float64(i%170) }

// TestRegularIsFound: of these, the shorter text has no questions, and no choice of the one NaN.
func TestRegularIsFound(t *testing.T) {
	for _, name := range []string{"log", "log32"} {
		k := parse(t, name)
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		short := shortText(t, text)
		for _, no := range []string{"fcmp o", "select"} {
			if strings.Contains(short, no) {
				t.Errorf("%s asks where all lanes are regular:\n%s", name, short)
			}
		}
		if !strings.Contains(short, "fdiv <") {
			t.Errorf("expected the logarithm in the shorter text of %s, found\n%s", name, short)
		}
	}
}

// shortText is what follows the first look for lanes that are not regular.
func shortText(t *testing.T, text string) string {
	_, rest, ok := strings.Cut(text, "icmp ugt <")
	_, rest, _ = strings.Cut(rest, "!prof !0")
	if !ok {
		t.Fatal("there is no text for regular numbers alone")
	}
	_, rest, _ = strings.Cut(rest, ":\n")
	rest, _, _ = strings.Cut(rest, "  br ")
	return rest
}

// inBits is a kernel's text with a map of floats stored as bits: of floats the harness makes all NaN alike.
func inBits(text string) string {
	kind := "32"
	if strings.Contains(text, "region write f64 s0\n") {
		kind = "64"
	}
	text = strings.Replace(text, "region write f"+kind+" s0\n", "region write i"+kind+" s0\n", 1)
	return regexp.MustCompile(`store r1 (v\d+) (v\d+)\n`).ReplaceAllString(text, "v900 = bitcast f"+kind+" i"+kind+" $2\n    store r1 $1 v900\n")
}

// TestRegularNeedsProof changes what a logarithm compares with and what it is made of: nothing may be left out then that matters.
func TestRegularNeedsProof(t *testing.T) {
	b := newBackend(t, 64)
	text := kernel.Text(parse(t, "log"))
	for _, c := range [][2]string{
		{"const f64 0x10000000000000 (2.2250738585072014e-308)", "const f64 0x3ff0000000000000 (1)"},
		{"const f64 0x10000000000000 (2.2250738585072014e-308)", "const f64 0x10000000000001 (2.225073858507202e-308)"},
		{"lt f64 v31 v3", "le f64 v31 v3"},
		{"eq f64 v31 v26", "ne f64 v31 v26"},
		{"eq f64 v31 v26", "eq f64 v31 v3"},
		{"lt f64 v31 v29", "lt f64 v29 v31"},
		{"lt f64 v31 v26", "gt f64 v31 v26"},
		{"const f64 0x7ff0000000000000 (+Inf)", "const f64 0x7fe0000000000000 (8.98846567431158e+307)"},
		{"const i64 4843621399236968448", "const i64 9218868437227405312"}, // n is infinite, or NaN
		{"const i64 4604544269498187776", "const i64 9218868437227405312"}, // g is NaN
		{"const i64 4604544269498187776", "const i64 -4618827767356588032"},
		{"const i64 2638149301829632", "const i64 9214363041826897920"}, // it goes around
		{"const i64 4503599627370495", "const i64 -4503599627370497"},
		{"const f64 0x3fe62e42fee00000 (0.6931471803691238)", "const f64 0x7fe0000000000000 (8.98846567431158e+307)"},
		{"const f64 0x4000000000000000 (2)", "const f64 0x0 (0)"},
	} {
		other := strings.ReplaceAll(text, c[0], c[1])
		if other == text {
			t.Fatalf("a logarithm has no %s:\n%s", c[0], text)
		}
		// What is stored has one NaN, as the compiler makes it.
		other = inBits(strings.Replace(other, "    store r1 v30 v81\n", "    v82 = ne f64 v81 v81\n    v83 = select f64 v82 v28 v81\n    store r1 v30 v83\n", 1))
		k, err := kernel.ParseText(other)
		if err != nil {
			t.Fatal(err)
		}
		list := powers(num.F64)
		for _, xs := range [][]float64{list, sparsely(list, 64, regularNumber)} {
			at := filled(t, "log", int64(len(xs)), 0, xs)
			at.Kernel = k
			if err := b.agree(t, at); err != nil {
				t.Errorf("with %s for %s: %v", c[1], c[0], err)
			}
		}
	}
}
