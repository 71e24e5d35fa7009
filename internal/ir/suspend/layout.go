package suspend

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Columns that every batch has. The loop's turn comes next, where there is a
// loop, then the number of the site at which a state stopped, where anything
// is remembered.
const (
	wantColumn = 0
	idColumn   = 1
)

// The turn column counts the turns that a state has taken, up to maxTurns;
// besides, it has these values.
const (
	notBegun = -1
	over     = maxTurns
	maxTurns = 1 << 59
)

// layout is the columns of a batch and what they are for.
type layout struct {
	*shape
	*sites
	columns    []Column
	turnColumn int     // 0 for none
	siteColumn int     // 0 for none
	inputs     []input // loads of what is there for each id
	carries    []int
	fresh      []bool // the carry's first value is computed, not in the column
	near       []int
	results    []Result
	stored     []*kernel.Instr // the store behind each result
}

// input is a load that became a column.
type input struct {
	load   *kernel.Instr
	column int
}

func newLayout(s *shape, f *sites) *layout {
	l := &layout{shape: s, sites: f}
	l.column(Column{Kind: num.I64, Region: -1})
	l.column(Column{Kind: num.I64, Region: -1})
	if s.loop != nil {
		l.turnColumn = l.column(Column{Kind: num.I64, Region: -1, Bits: 1<<64 + notBegun})
	}
	if slices.ContainsFunc(f.all, func(s *site) bool { return s.memo }) {
		l.siteColumn = l.column(Column{Kind: num.I64, Region: -1})
	}
	l.carried()
	l.loads(&s.k.Body)
	for _, at := range f.all {
		if at.memo {
			for _, in := range at.loads {
				at.memos = append(at.memos, l.column(Column{Kind: in.Kind, Region: -1}))
			}
		}
	}
	l.stores(&s.k.Body)
	if len(l.columns) > kernel.MaxColumns {
		refuse("a walk has %d numbers with it; at most %d are possible", len(l.columns), kernel.MaxColumns)
	}
	return l
}

func (l *layout) column(c Column) int {
	l.columns = append(l.columns, c)
	return len(l.columns) - 1
}

// carried gives each carried value a column, which starts as the value
// itself where that is a constant or an input.
func (l *layout) carried() {
	if l.loop == nil {
		return
	}
	for j, c := range l.loop.Carry {
		first, fresh := Column{Kind: c.Kind, Region: -1}, false
		switch in := l.def[l.loop.Args[2+j]]; {
		case in != nil && in.Code == kernel.Const:
			first.Bits = in.Bits
		case in != nil && l.isInput(in):
			first = l.input(in)
		default:
			fresh = true
		}
		l.carries = append(l.carries, l.column(first))
		l.fresh = append(l.fresh, fresh)
	}
}

// isInput reports a load that gives the same for an id at any time and could
// be executed for every id.
func (l *layout) isInput(in *kernel.Instr) bool {
	if in.Code != kernel.Load || l.far[in.Region] > 0 {
		return false
	}
	scale, offset, ok := l.affine(in.Args[0])
	return ok && (l.always[in] || scale == 1 && offset == 0 && l.k.Regions[in.Region].Len.Equal(l.ids))
}

func (l *layout) input(in *kernel.Instr) Column {
	scale, offset, _ := l.affine(in.Args[0])
	return Column{Kind: in.Kind, Region: in.Region, Scale: scale, Offset: offset}
}

// loads gives inputs their columns and finds the regions that must be near.
func (l *layout) loads(b *kernel.Block) {
	for _, in := range pointers(b) {
		switch {
		case in.Code == kernel.Load && l.far[in.Region] > 0:
		case in.Code == kernel.Load && l.isInput(in):
			if l.uses[in.Out[0]] > l.startsAs(in.Out[0]) {
				l.inputs = append(l.inputs, input{in, l.inputColumn(in)})
			}
		case in.Code == kernel.Load && !slices.Contains(l.near, in.Region):
			l.near = append(l.near, in.Region)
		}
		for j := range in.Blocks {
			l.loads(&in.Blocks[j])
		}
	}
	slices.Sort(l.near)
}

// inputColumn shares the column of an equal input.
func (l *layout) inputColumn(in *kernel.Instr) int {
	c := l.input(in)
	for _, have := range l.inputs {
		if l.columns[have.column] == c {
			return have.column
		}
	}
	return l.column(c)
}

// startsAs counts the carried values that start as v.
func (l *layout) startsAs(v kernel.Value) (n int) {
	if l.loop != nil {
		for _, init := range l.loop.Args[2:] {
			if init == v {
				n++
			}
		}
	}
	return n
}

// stores makes each store a result. What a state keeps while it is under way
// is not needed when it is done, so that results lie there where they can.
func (l *layout) stores(b *kernel.Block) {
	free := append([]int(nil), l.carries...)
	for c := idColumn + 1; c < len(l.columns); c++ {
		if !slices.Contains(l.carries, c) {
			free = append(free, c)
		}
	}
	l.eachStore(b, func(in *kernel.Instr) {
		scale, offset, ok := l.affine(in.Args[0])
		if !ok || !l.always[in] {
			refuse("a walk stores a result more than once, or not at all, or at a place that does not follow from its number")
		}
		r := Result{Region: in.Region, Scale: scale, Offset: offset}
		i := slices.IndexFunc(free, func(c int) bool { return l.columns[c].Kind == in.Kind })
		if i >= 0 {
			r.Column = free[i]
			free = slices.Delete(free, i, i+1)
		} else {
			r.Column = l.column(Column{Kind: in.Kind, Region: -1})
		}
		l.stored = append(l.stored, in)
		l.results = append(l.results, r)
	})
}

func (l *layout) eachStore(b *kernel.Block, visit func(in *kernel.Instr)) {
	for _, in := range pointers(b) {
		if in.Code == kernel.Store {
			visit(in)
		}
		for j := range in.Blocks {
			l.eachStore(&in.Blocks[j], visit)
		}
	}
}
