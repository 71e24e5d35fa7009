package suspend

import (
	"maps"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// site is a place in the program where a state may have to stop: far loads at
// one index, which are executed together where the first of them stands.
// Sites are numbered in the order of the program. Where a state stopped at
// one, those before it that were executed have been remembered, unless nothing
// that follows them could stop elsewhere.
type site struct {
	number int
	index  kernel.Value // of the element, in the original
	width  int64        // elements in a row
	row    row
	loads  []*kernel.Instr
	memos  []int // columns of their values, nil if they need not be remembered
	memo   bool
}

// row tells rows apart: sites with equal rows want the same one, others
// perhaps not.
type row struct {
	at      kernel.Value // of the original
	element int64        // 0: at is the row. Otherwise at is an element's index, and this the width of its row
}

// rowOf sees the row in an index that is row·width + offset.
func (s *shape) rowOf(index kernel.Value, width int64) row {
	if width == 1 {
		return row{at: index}
	}
	l := s.linear(index)
	most := l.offset // greatest offset in the row
	if in := s.def[l.base]; in != nil && l.scale == 1 && in.Code == kernel.Arith && in.Op == num.Add && in.Kind == num.I64 {
		for i, v := range in.Args {
			if n, ok := s.below(v); ok && n <= width {
				l = s.linear(in.Args[1-i])
				l.offset, most = l.offset+most, l.offset+most+n-1
				break
			}
		}
	}
	if l.base != kernel.None && l.scale == width && l.offset >= 0 && most >= l.offset && most < width {
		return row{at: l.base}
	}
	return row{index, width}
}

// below gives n where 0 ≤ v < n is evident.
func (s *shape) below(v kernel.Value) (n int64, ok bool) {
	if in := s.def[v]; in != nil && in.Code == kernel.Bound {
		return in.Poly.Const()
	}
	return 0, false
}

// sites finds the far loads, and which of them must be remembered.
type sites struct {
	s      *shape
	all    []*site
	of     map[*kernel.Instr]*site
	inTurn int // number of the first site of the loop
}

// place is what the far loads of one site have in common.
type place struct {
	index kernel.Value
	width int64
}

func newSites(s *shape) *sites {
	f := &sites{s: s, of: map[*kernel.Instr]*site{}}
	known := map[place]*site{}
	f.find(s.pre, known)
	f.inTurn = len(f.all)
	f.find(s.turn(), maps.Clone(known))
	f.find(s.post, known)
	if len(f.all) == 0 {
		refuse("no row of the data set is read by an index")
	}
	later := f.following(s.post, map[row]bool{})
	maps.Copy(later, f.following(s.turn(), map[row]bool{}))
	f.following(s.pre, later)
	return f
}

// turn is the instructions of the loop.
func (s *shape) turn() []*kernel.Instr {
	if s.loop == nil {
		return nil
	}
	return pointers(&s.loop.Blocks[0])
}

// find makes a site of each far load, or adds it to one that is surely
// executed before; known are those.
func (f *sites) find(ins []*kernel.Instr, known map[place]*site) {
	for _, in := range ins {
		switch {
		case !f.s.isFar(in):
		case in.Code == kernel.Load:
			p := place{in.Args[0], f.s.far[in.Region]}
			if known[p] == nil {
				known[p] = &site{number: len(f.all), index: p.index, width: p.width, row: f.s.rowOf(p.index, p.width)}
				f.all = append(f.all, known[p])
			}
			known[p].loads = append(known[p].loads, in)
			f.of[in] = known[p]
		case in.Code == kernel.If:
			f.find(pointers(&in.Blocks[0]), maps.Clone(known))
			f.find(pointers(&in.Blocks[1]), maps.Clone(known))
		default:
			refuse("a loop inside a loop or a branch reads rows of the data set, and a walk can wait for rows only in a loop that every walk goes through, outside of others")
		}
	}
}

// starts gives the site that begins with a load.
func (f *sites) starts(in *kernel.Instr) (*site, bool) {
	s := f.of[in]
	return s, s != nil && s.loads[0] == in
}

// following goes backwards with the rows that later sites may want, and marks
// the sites that must be remembered because one of these is another row.
func (f *sites) following(ins []*kernel.Instr, later map[row]bool) map[row]bool {
	for i := len(ins) - 1; i >= 0; i-- {
		in := ins[i]
		if s, ok := f.starts(in); ok {
			s.memo = len(later) > 1 || len(later) == 1 && !later[s.row]
			later[s.row] = true
		} else if in.Code == kernel.If {
			other := f.following(pointers(&in.Blocks[1]), maps.Clone(later))
			later = f.following(pointers(&in.Blocks[0]), later)
			maps.Copy(later, other)
		}
	}
	return later
}

// remembered lists the sites in ins that must be remembered.
func (f *sites) remembered(ins []*kernel.Instr) []*site {
	var out []*site
	for _, in := range ins {
		if s, ok := f.starts(in); ok && s.memo {
			out = append(out, s)
		} else if in.Code == kernel.If {
			out = append(out, f.remembered(pointers(&in.Blocks[0]))...)
			out = append(out, f.remembered(pointers(&in.Blocks[1]))...)
		}
	}
	return out
}

// quiet reports that instructions may be executed in vain once a state has
// stopped: they neither stop it again nor fault.
func (f *sites) quiet(ins []*kernel.Instr) bool {
	for _, in := range ins {
		if f.s.isFar(in) && f.of[in] == nil || kernel.HasEffect(in) {
			return false
		}
		if _, starts := f.starts(in); starts {
			return false
		}
	}
	return true
}
