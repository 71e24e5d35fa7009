package interp

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// held is an array that somebody holds, with what is in it, copied.
type held struct {
	a    *array
	cols [][]uint64
}

func copied(cols [][]uint64) (out [][]uint64) {
	for _, c := range cols {
		out = append(out, slices.Clone(c))
	}
	return out
}

// TestSharedValuesStay changes arrays at random, among them older ones, rows and rows of rows,
// with parts that are read from them, and looks at all values that were made before.
func TestSharedValuesStay(t *testing.T) {
	row := &graph.Type{Kind: graph.Array, Elems: []*graph.Type{graph.I64Type}, Size: size.Const(3)}
	elem := newShape(graph.TupleOf(graph.I64Type, row, row), func(t *graph.Type) int64 { return 3 })
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		a := newArray(elem, 1+r.Int64N(4))
		for _, c := range a.mem.cols {
			for i := range c {
				c[i] = r.Uint64N(1000)
			}
		}
		all := []held{{a, copied(a.mem.cols)}}
		var rows []held
		for range 40 {
			h := all[r.IntN(len(all))]
			if r.IntN(2) == 0 {
				h = all[len(all)-1]
			}
			i := r.Int64N(h.a.n)
			switch r.IntN(5) {
			case 0:
				two := h.a.at(i).parts[1+r.IntN(2)].array
				rows = append(rows, held{two, copied(two.cols())})
			case 1: // both rows change places in their element
				e := h.a.at(i)
				b := h.a.changedAt(elem, 0, i, val{parts: []val{e.parts[0], e.parts[2], e.parts[1]}})
				want := copied(h.cols)
				copy(want[1][3*i:3*i+3], h.cols[2][3*i:])
				copy(want[2][3*i:3*i+3], h.cols[1][3*i:])
				all = append(all, held{b, want})
			case 2:
				if len(rows) == 0 {
					continue
				}
				from, leaf := rows[r.IntN(len(rows))], 1+r.IntN(2)
				b := h.a.changedAt(elem.elems[leaf], leaf, i, val{array: from.a})
				want := copied(h.cols)
				copy(want[leaf][3*i:3*i+3], from.cols[0])
				all = append(all, held{b, want})
			case 3: // an element of a row, which is an array by itself
				if len(rows) == 0 {
					continue
				}
				from, j := rows[r.IntN(len(rows))], r.Int64N(3)
				b := from.a.changedAt(&shape{strides: []int64{1}}, 0, j, val{bits: 5000})
				want := copied(from.cols)
				want[0][j] = 5000
				rows = append(rows, held{b, want})
			default:
				leaf, v := 1+r.IntN(2), r.Uint64N(1000)
				j := 3*i + r.Int64N(3)
				b := h.a.changedAt(&shape{strides: []int64{1}}, leaf, j, val{bits: v})
				want := copied(h.cols)
				want[leaf][j] = v
				all = append(all, held{b, want})
			}
			if r.IntN(3) > 0 {
				continue // so that long chains of changes come about
			}
			for k, x := range slices.Concat(all, rows) {
				if r.IntN(2) == 0 && !slices.EqualFunc(x.a.cols(), x.cols, slices.Equal) {
					t.Fatalf("value %d of %d arrays and %d rows is %v, was %v", k, len(all), len(rows), x.a.cols(), x.cols)
				}
			}
		}
		for _, x := range slices.Concat(all, rows) {
			if !slices.EqualFunc(x.a.cols(), x.cols, slices.Equal) {
				t.Fatalf("a value is %v, was %v", x.a.cols(), x.cols)
			}
		}
	}
}

// TestChangesCostWhatChanges runs a loop that changes every element of an array once in each of
// 64 turns around it, on one side of an if, and swaps two rows of a matrix.
func TestChangesCostWhatChanges(t *testing.T) {
	const n = 1 << 12
	b := graph.NewBuilder("f", nil)
	x := b.Param("x", graph.ArrayOf(graph.I64Type, size.Const(n)))
	outer := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 64), nil, false, func(p []*graph.Node) []*graph.Node {
		inner := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, n/16), nil, false, func(q []*graph.Node) []*graph.Node {
			at := b.ToIndex(graph.Wrap, b.Arith(num.Add, b.Arith(num.Mul, q[0], b.Int(num.I64, 5)), p[0]), size.Const(n))
			at.Site = -1
			return []*graph.Node{b.If(b.Arith(num.Ge, b.At(q[1], at), b.Int(num.I64, 0)),
				func() *graph.Node { return b.Update(q[1], q[0], []int{graph.ByIndex}, at) }, func() *graph.Node { return q[1] })}
		}, p[1])
		inner.Max = n / 16
		return []*graph.Node{b.Get(inner, 0)}
	}, x)
	outer.Max = 64
	g := b.Return(outer)
	if err := graph.Verify(g); err != nil {
		t.Fatal(err)
	}
	v, err := value.New(graph.ArrayOf(graph.I64Type, size.Const(n)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, fault, err := Run(g, nil, []*value.Value{v}, Options{}); fault != nil || err != nil {
		t.Fatal(fault, err)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / (64 * n / 16); each > 2000 {
		t.Errorf("a change allocates %d bytes, of an array of %d", each, 8*n)
	}
}
