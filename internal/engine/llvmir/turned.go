package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a nest of two loops, over j and in it over i, that stores row j and loads down a column, as a transposition
// does: elements of one row lie where j leads from one to the next. Out goes a nest over blocks of n × n turns: each loads n
// vectors as they lie and turns them around, so that of every j there is a vector over i. The bits are the same, whatever
// the order of the turns is, because no turn stores what another loads or stores: regions that are stored to are not
// loaded from, and rows do not meet, which is looked at before.

// mostTurned bounds the side of a block, whose turns are written out one by one.
const mostTurned = 16

// turning is such a nest.
type turning struct {
	*plan  // of the loop over i
	outer  *kernel.Instr
	before []*kernel.Instr // of the body of the loop over j
	loads  []*kernel.Instr // that are turned around
	rows   []kernel.Value  // how far the rows of each region that is stored to lie apart
	n      int
}

// turned writes a nest in blocks, if it is one.
func (e *emitter) turned(in *kernel.Instr) bool {
	t, ok := e.turning(in)
	if !ok {
		return false
	}
	lo, hi := e.scalar(in.Args[0]), e.scalar(in.Args[1])
	e.either(t.apart(), func() { t.write(lo, hi) }, func() { e.plainFor(in, lo, hi) })
	return true
}

func (e *emitter) turning(in *kernel.Instr) (*turning, bool) {
	t := &turning{outer: in}
	inner := t.nest()
	if inner == nil || inner.Args[0] >= t.j() || inner.Args[1] >= t.j() {
		return nil, false
	}
	t.plan = e.planOf(inner, nil)
	if len(t.single) > 0 || slices.ContainsFunc(t.body.Instrs, func(in kernel.Instr) bool { return len(in.Blocks) > 0 }) || !t.finds() {
		return nil, false
	}
	t.n = min(mostTurned, t.limit)
	for _, in := range t.loads {
		t.n = min(t.n, t.t.VectorBytes/t.elem(in).Size())
	}
	return t, t.n > 1 && t.n*t.weigh().work() <= mostWork
}

// nest gives the only loop in the outer one's body, beside what has no effect.
func (t *turning) nest() (inner *kernel.Instr) {
	b := &t.outer.Blocks[0]
	if t.outer.Stop || len(t.outer.Carry) > 0 {
		return nil
	}
	for i := range b.Instrs {
		switch in := &b.Instrs[i]; {
		case in.Code == kernel.For && inner == nil && !in.Stop && len(in.Carry) == 0:
			inner = in
		case hasEffect(*in) || inner != nil:
			return nil
		default:
			t.before = append(t.before, in)
		}
	}
	return inner
}

func (t *turning) j() kernel.Value { return t.outer.Blocks[0].Params[0] }

func (t *turning) elem(in *kernel.Instr) num.Kind { return t.k.Regions[in.Region].Elem }

// finds looks at every load and store of the nest.
func (t *turning) finds() bool {
	stored := map[int]bool{}
	for i := range t.body.Instrs {
		in := &t.body.Instrs[i]
		if in.Code != kernel.Store {
			continue
		}
		row, ok := t.row(in.Args[0])
		if !ok || stored[in.Region] {
			return false
		}
		stored[in.Region], t.rows = true, append(t.rows, row)
	}
	for i := range t.body.Instrs {
		in := &t.body.Instrs[i]
		if in.Code != kernel.Load {
			continue
		}
		if stored[in.Region] {
			return false
		}
		if t.goesDown(in) {
			t.loads = append(t.loads, in)
		}
	}
	return len(stored) > 0 && len(t.loads) > 0
}

// row finds the distance of rows in an index that is j·distance + i, and more that is known before the nest.
func (t *turning) row(index kernel.Value) (distance kernel.Value, ok bool) {
	a, ok := t.affine(index, t.body)
	if !ok || a.turn != 1 {
		return kernel.None, false
	}
	distance = kernel.None
	for v, times := range a.terms {
		if v < t.j() {
			continue
		}
		d := t.def[v]
		if d == nil || distance != kernel.None || times != 1 || d.Code != kernel.Arith || d.Op != num.Mul || d.Kind != num.I64 || d.Site != kernel.NoSite {
			return kernel.None, false
		}
		at := slices.Index(d.Args, t.j())
		if at < 0 || d.Args[1-at] >= t.j() {
			return kernel.None, false
		}
		distance = d.Args[1-at]
	}
	return distance, distance != kernel.None
}

// goesDown reports a load whose elements lie apart for each i, and one behind the other for each j.
func (t *turning) goesDown(in *kernel.Instr) bool {
	_, plain := t.chain(in.Args[0], t.j())
	return plain && t.elem(in) != num.Bool && t.shapes[in.Args[0]] == strided && t.growsBy1(in.Args[0])
}

// growsBy1 reports an index that is j and what does not depend on j.
func (t *turning) growsBy1(v kernel.Value) bool {
	if v == t.j() {
		return true
	}
	d := t.def[v]
	if d == nil || d.Code != kernel.Arith || d.Kind != num.I64 || d.Site != kernel.NoSite || d.Op != num.Add && d.Op != num.Sub {
		return false
	}
	x, y := d.Args[0], d.Args[1]
	return t.growsBy1(x) && !t.varies(y, t.j()) || d.Op == num.Add && t.growsBy1(y) && !t.varies(x, t.j())
}

// apart is the condition that rows are no longer than they lie apart.
func (t *turning) apart() string {
	count := t.turnCount(t.scalar(t.in.Args[0]), t.scalar(t.in.Args[1]))
	all := ""
	for _, r := range t.rows {
		c := t.set("icmp sle i64 %s, %s", count, t.scalar(r))
		if all != "" {
			c = t.set("and i1 %s, %s", all, c)
		}
		all = c
	}
	return all
}

// write gives whole blocks to vectors and runs the turns that are left.
func (t *turning) write(lo, hi string) {
	from, to := t.scalar(t.in.Args[0]), t.scalar(t.in.Args[1])
	last, mid := t.groupsEnd(lo, hi, t.n), t.groupsEnd(from, to, t.n)
	t.loop(lo, last, int64(t.n), nil, func(j string, _ []string) ([]string, string) {
		t.lookAtStop()
		t.strips(from, mid, innerStrip, t.short(t.in, innerStrip), nil, func(from, to string, _ []state) ([]string, string) {
			t.loop(from, to, int64(t.n), nil, func(i string, _ []string) ([]string, string) {
				t.block(i, j)
				return nil, ""
			})
			return nil, ""
		})
		t.when(t.set("icmp slt i64 %s, %s", mid, to), nil, func() []string {
			t.loop("0", strconv.Itoa(t.n), 1, nil, func(more string, _ []string) ([]string, string) {
				t.turn(t.set("add i64 %s, %s", j, more))
				t.leftOver(mid, to)
				return nil, ""
			})
			return nil
		})
		return nil, ""
	})
	t.plainFor(t.outer, last, hi)
}

// turn writes what stands before the loop over i.
func (t *turning) turn(j string) {
	t.bind(t.j(), j)
	for _, in := range t.before {
		t.instr(in)
	}
}

// block writes n turns of each of n turns.
func (t *turning) block(i, j string) {
	around := make([][]string, len(t.loads))
	for x, in := range t.loads {
		around[x] = t.columns(in, i, j)
	}
	for more := range t.n {
		t.turn(t.set("add i64 %s, %d", j, more))
		for x, in := range t.loads {
			t.packed[in] = func() string { return around[x][more] }
		}
		t.group(i, t.n)
	}
}

// columns loads the elements of a block: for each j a vector over i.
func (t *turning) columns(in *kernel.Instr, i, j string) []string {
	chain, _ := t.chain(in.Args[0], t.j())
	v := make([]string, t.n)
	t.bind(t.j(), j)
	t.sharing(t.n, func() {
		t.vals[t.body.Params[0]] = operand{text: i, stride: "1"}
		for _, c := range chain {
			t.instr(c)
		}
		for x := range v {
			at := t.lane(t.at(in.Args[0]), typ{num.I64, 1}, x)
			v[x] = t.loadIndex(in.Region, at, typ{t.elem(in), t.n})
		}
	})
	return t.zipped(typ{t.elem(in), t.n}, v)
}

// zipped turns as many vectors around as they have elements, or parts of them. To zip the first half of a list of vectors
// with the second moves the highest digit of where an element lies behind the lowest; with all digits of the list's
// length moved, rows have become columns.
func (e *emitter) zipped(t typ, v []string) []string {
	low, high := make([]int, t.n), make([]int, t.n)
	for x := range t.n {
		low[x] = x/2 + x%2*t.n
		high[x] = low[x] + t.n/2
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
