package llvmir

import (
	"encoding/binary"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// exponentials are kernels with a scaling by a power of two.
var exponentials = []string{"exp", "expfused", "expsum", "exp64", "exp64fused", "sigmoidfused", "tanh"}

// edges are arguments of exponentials about which something changes, with their neighbours on both sides.
func edges(k num.Kind) []float64 {
	list := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1)}
	next := func(x, to float64) float64 {
		if k == num.F32 {
			return float64(math.Nextafter32(float32(x), float32(to)))
		}
		return math.Nextafter(x, to)
	}
	around := func(x float64) {
		x = num.ToFloat(k, num.FromFloat(k, x))
		for _, y := range []float64{x, next(x, 1e30), next(x, -1e30)} {
			list = append(list, y, -y)
		}
	}
	for e := -149; e < 128; e++ { // every exponent of f32
		around(math.Ldexp(1, e))
	}
	for n := range 1100 { // where the power changes, and results become infinite, subnormal and 0
		around(float64(n) * math.Ln2)
		around((float64(n) + 0.5) * math.Ln2)
	}
	for _, x := range []float64{95, 110, 720, 760, math.MaxFloat32, math.MaxFloat64, 5e-324} { // limits
		around(x)
	}
	return list
}

// filled is a case with these arguments from slot at on, among ordinary ones.
func filled(t *testing.T, name string, n, at int64, xs []float64) *kerneltest.Case {
	sizes, outer := leaves(n)
	c := caseOf(parse(t, name), sizes, outer)
	k, width := c.Kernel.Regions[0].Elem, c.Kernel.Regions[0].Elem.Size()
	for i, x := range xs {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], num.FromFloat(k, x))
		copy(c.Regions[0][(int(at)+i)*width:], b[:width])
	}
	return c
}

// TestExponentialsAtEdges has groups in which all lanes are odd or some.
func TestExponentialsAtEdges(t *testing.T) {
	agreeAtEdges(t, exponentials, edges, 128, func(i int) float64 { return float64(i%170 - 85) })
}

// agreeAtEdges runs kernels on edges alone, and on each of them far apart among ordinary numbers, in all places of a group.
func agreeAtEdges(t *testing.T, names []string, edges func(num.Kind) []float64, apart int, ordinary func(i int) float64) {
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, name := range names {
			n, err := b.compile(parse(t, name))
			if err != nil {
				t.Fatal(err)
			}
			list := edges(n.k.Regions[0].Elem)
			for _, xs := range [][]float64{list, sparsely(list, apart, ordinary)} {
				if err := n.agrees(t, filled(t, name, int64(len(xs)), 0, xs)); err != nil {
					t.Errorf("%s of %d numbers: %v", name, len(xs), err)
				}
			}
			n.close()
		}
	})
}

// sparsely has these numbers far apart among ordinary ones.
func sparsely(list []float64, apart int, ordinary func(i int) float64) (xs []float64) {
	for i, x := range list {
		if len(xs) > 1<<17 {
			break
		}
		xs = append(xs, x)
		for range apart + i%3 {
			xs = append(xs, ordinary(len(xs)))
		}
	}
	return xs
}

// TestOneNaN: of NaN, infinities and what overflows, what is stored of an exponential has the one NaN, if its text says so.
func TestOneNaN(t *testing.T) {
	b := newBackend(t, 64)
	for _, name := range exponentials {
		text := kernel.Text(parse(t, name))
		if !regexp.MustCompile(`region write f\d+ s0\n`).MatchString(text) {
			continue
		}
		k, err := kernel.ParseText(inBits(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list := edges(k.Regions[0].Elem)
		c := filled(t, name, int64(len(list)), 0, list)
		c.Kernel, c.Regions[1] = k, make([]byte, len(c.Regions[1]))
		if err := b.agree(t, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStrangeNaN: signs and payloads of NaN do not show, whatever bits a region has.
func TestStrangeNaN(t *testing.T) {
	b := newBackend(t, 64)
	c := filled(t, "exp", 1000, 0, nil)
	for i, bits := range []uint32{0x7f800001, 0xffc00000, 0xff800001, 0x7fffffff, 0xffffffff, 0xcb400080, 0x4b4000fe} {
		binary.LittleEndian.PutUint32(c.Regions[0][4*(100*i+i):], bits)
	}
	if err := b.agree(t, c); err != nil {
		t.Error(err)
	}
}

// asksForOrdinary is where a text compares with the greatest distance between two ordinary n.
const asksForOrdinary = " 250)"

// TestOrdinaryIsProved: each of these is found, with one step, and so are values that are no NaN.
func TestOrdinaryIsProved(t *testing.T) {
	for _, name := range exponentials {
		text, err := Emit(parse(t, name), Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, asksForOrdinary) {
			t.Errorf("%s is not written for ordinary lanes", name)
		}
	}
}

// TestOrdinaryNeedsProof changes one constant at a time of what exp is made of: with steps that do not
// multiply to 2^n or a polynomial that is not near 1, nothing is left out.
func TestOrdinaryNeedsProof(t *testing.T) {
	b := newBackend(t, 64)
	for _, c := range [][2]string{
		{"const i32 22", "const i32 21"},
		{"const i32 23", "const i32 24"},
		{"const f32 0x3f800000 (1)", "const f32 0x00800000 (1.1754943508222875e-38)"},
		{"const f32 0x4b4000fe", "const f32 0x4bc000fe"},
		{"const f32 0x3f318000", "const f32 0x3f018000"},
	} {
		k := changed(t, c[0], c[1])
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, asksForOrdinary) {
			t.Errorf("with %s for %s it is taken for ordinary", c[1], c[0])
		}
		if err := b.agree(t, atEdges(t, k)); err != nil {
			t.Errorf("with %s for %s: %v", c[1], c[0], err)
		}
	}
}

// TestOrdinaryWithinLimits: limits that reach into what is ordinary stay.
func TestOrdinaryWithinLimits(t *testing.T) {
	b := newBackend(t, 64)
	for _, c := range [][2]string{
		{"const f32 0x42be0000 (95)", "const f32 0x42aa0000 (85)"},
		{"const f32 0xc2dc0000 (-110)", "const f32 0xc2480000 (-50)"},
	} {
		if err := b.agree(t, atEdges(t, changed(t, c[0], c[1]))); err != nil {
			t.Errorf("with %s for %s: %v", c[1], c[0], err)
		}
	}
}

// changed is exp with another constant.
func changed(t *testing.T, old, new string) *kernel.Kernel {
	text := kernel.Text(parse(t, "exp"))
	if !strings.Contains(text, old) {
		t.Fatalf("exp has no %s:\n%s", old, text)
	}
	k, err := kernel.ParseText(inBits(strings.ReplaceAll(text, old, new)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func atEdges(t *testing.T, k *kernel.Kernel) *kerneltest.Case {
	list := edges(num.F32)
	c := filled(t, "exp", int64(len(list)), 0, list)
	c.Kernel = k
	return c
}
