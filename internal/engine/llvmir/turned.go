package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a nest of two loops, over j and in it over i, that stores row j and loads down a column (see loops.Turned). Out
// goes a nest over blocks of n × n turns: each loads n vectors as they lie and turns them around, so that of every j there
// is a vector over i.

// turning is such a nest.
type turning struct {
	*plan // of the loop over i
	*loops.Turned
	n int
}

// turned writes the nest of which a plan is for the inner loop. Nests narrower than a block run turn by turn.
func (p *plan) turned() {
	t := &turning{p, p.Turned, p.Lanes}
	lo, hi := p.scalar(t.Outer.Args[0]), p.scalar(t.Outer.Args[1])
	p.either(p.set("and i1 %s, %s", t.apart(), t.wide(lo, hi)), func() { t.write(lo, hi) }, func() { p.plainFor(t.Outer, lo, hi) })
}

func (t *turning) j() kernel.Value { return t.Outer.Blocks[0].Params[0] }

func (t *turning) elem(in *kernel.Instr) num.Kind { return t.k.Regions[in.Region].Elem }

// apart is the condition that rows are no longer than they lie apart.
func (t *turning) apart() string {
	count := t.turnCount(t.scalar(t.In.Args[0]), t.scalar(t.In.Args[1]))
	all := ""
	for _, r := range t.Rows {
		c := t.set("icmp sle i64 %s, %s", count, t.scalar(r))
		if all != "" {
			c = t.set("and i1 %s, %s", all, c)
		}
		all = c
	}
	return all
}

// wide is the condition that there is a block.
func (t *turning) wide(lo, hi string) string {
	count := t.turnCount(t.scalar(t.In.Args[0]), t.scalar(t.In.Args[1]))
	rows := t.set("icmp sge i64 %s, %d", t.turnCount(lo, hi), t.n)
	return t.set("and i1 %s, %s", rows, t.set("icmp sge i64 %s, %d", count, t.n))
}

// write covers the nest with blocks, of which the last ones begin early: what two of them compute is the same.
func (t *turning) write(lo, hi string) {
	from, to := t.scalar(t.In.Args[0]), t.scalar(t.In.Args[1])
	lastRows, lastColumns := t.set("sub i64 %s, %d", hi, t.n), t.set("sub i64 %s, %d", to, t.n)
	t.loop(lo, t.blocksEnd(lo, hi), int64(t.n), nil, func(j string, _ []string) ([]string, string) {
		t.lookAtStop()
		j = t.pure("llvm.smin", typ{num.I64, 1}, j, lastRows)
		t.strips(from, t.blocksEnd(from, to), innerStrip, t.Short(t.In, innerStrip), nil, func(from, to string, _ []state) ([]string, string) {
			t.loop(from, to, int64(t.n), nil, func(i string, _ []string) ([]string, string) {
				t.block(t.pure("llvm.smin", typ{num.I64, 1}, i, lastColumns), j)
				return nil, ""
			})
			return nil, ""
		})
		return nil, ""
	})
}

// blocksEnd is where the blocks end that cover from..to.
func (t *turning) blocksEnd(from, to string) string {
	count := t.set("add i64 %s, %d", t.turnCount(from, to), t.n-1)
	return t.set("add i64 %s, %s", from, t.set("and i64 %s, %d", count, -t.n))
}

// turn writes what stands before the loop over i.
func (t *turning) turn(j string) {
	t.bind(t.j(), j)
	for _, in := range t.Before {
		t.instr(in)
	}
}

// block writes n turns of each of n turns.
func (t *turning) block(i, j string) {
	around := make([][]string, len(t.Loads))
	for x, d := range t.Loads {
		around[x] = t.columns(d, i, j)
	}
	for more := range t.n {
		t.turn(t.set("add i64 %s, %d", j, more))
		for x, d := range t.Loads {
			t.packed[d.Load] = func() string { return around[x][more] }
		}
		t.group(i, t.n)
	}
}

// columns loads the elements of a block: for each j a vector over i.
func (t *turning) columns(d loops.Down, i, j string) []string {
	in := d.Load
	v := make([]string, t.n)
	t.bind(t.j(), j)
	t.sharing(t.n, func() {
		t.vals[t.Body.Params[0]] = operand{text: i, stride: "1"}
		for _, c := range d.Chain {
			t.instr(c)
		}
		for x := range v {
			at := t.lane(t.at(in.Args[0]), typ{num.I64, 1}, x)
			v[x] = t.loadIndex(in.Region, at, typ{t.elem(in), t.n})
		}
		for x := range v {
			t.askRow(in, t.lane(t.at(in.Args[0]), typ{num.I64, 1}, x+rowsAhead))
		}
	})
	return t.zipped(typ{t.elem(in), t.n}, v, t.n)
}

// Rows lie pages apart, so no processor fetches the next ones by itself. rowsAhead is how many rows before its turn a row is asked for. 1000 × 1000
// numbers took 0.65 ms without, 0.42 where rows were asked for into the first cache, which has few requests under way, and 0.29 into the second
// (Zen 4); 64 and 128 rows are no better.
const rowsAhead = 32

// askRow asks for the line of an element, or of the region's last one if there is no such element: to look for a page that is not there takes long.
func (t *turning) askRow(in *kernel.Instr, index string) {
	last := t.set("add i64 %s, -1", t.poly(t.k.Regions[in.Region].Len))
	at := t.set("getelementptr %s, ptr %s, i64 %s", typ{t.elem(in), 1}, t.bases[in.Region], t.pure("llvm.smin", typ{num.I64, 1}, index, last))
	t.line("%s", t.called("void", "llvm.prefetch.p0", nil, []string{"ptr " + at, "i32 0", "i32 2", "i32 1"}))
}

// zipped turns as many vectors around as they have elements, or parts of them. To zip the first half of a list of vectors
// with the second moves the highest digit of where an element lies behind the lowest; with all digits of the list's
// length moved, rows have become columns. Each block of so many lanes is turned on its own.
func (e *emitter) zipped(t typ, v []string, block int) []string {
	low, high := make([]int, t.n), make([]int, t.n)
	for x := range t.n {
		at := x % block
		low[x] = x - at + at/2 + at%2*t.n
		high[x] = low[x] + block/2
	}
	for digits := len(v); digits > 1; digits /= 2 {
		var zipped []string
		for x := range len(v) / 2 {
			for _, lanes := range [][]int{low, high} {
				zipped = append(zipped, e.set("shufflevector %s %s, %s %s, %s", t, v[x], t, v[x+len(v)/2], mask(lanes)))
			}
		}
		v = zipped
	}
	return v
}
