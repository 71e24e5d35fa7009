package verify

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// In: a kernel with state. Out: which regions' stores stay apart though outer indices run at the same time: because of
// the outer index, or because of a position that a state has counted.

// Separation says how the stores to each region stay apart.
type Separation struct {
	// ByOuter has the regions where what one outer index touches no other one does.
	ByOuter []bool
	// ByPosition has the regions where every store keeps to the row of its position: to elements W·p up to W·(p+1),
	// with the same W for all.
	ByPosition []bool
	// Needs must stay within ±prove.Limit for all of this to hold.
	Needs []size.Poly
}

// row is where a store keeps to, and whether it is known to.
type row struct {
	width size.Poly
	kept  bool
}

// Separate finds that out for a kernel that Check has accepted. position says which value is that of a store, if it has one.
func Separate(k *kernel.Kernel, position map[*kernel.Instr]kernel.Value) (s *Separation, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			panic(e)
		}
	}()
	c := &checker{k: k, safe: &Safe{Kernel: k}, placed: position, sides: map[sideOf]side{}}
	c.kindsOfAll()
	c.startProofs()
	c.body()
	byRegion := make([][]access, len(k.Regions))
	for _, a := range c.accesses {
		byRegion[a.region] = append(byRegion[a.region], a)
	}
	s = &Separation{ByOuter: make([]bool, len(k.Regions)), ByPosition: make([]bool, len(k.Regions))}
	for r, as := range byRegion {
		if len(as) > 0 && !c.isState(r) {
			s.ByOuter[r], s.ByPosition[r] = c.partitioned(as), inRows(as)
		}
	}
	s.Needs = c.Required()
	return s, nil
}

// inRows reports that all accesses are stores to rows of the same width.
func inRows(as []access) bool {
	for _, a := range as {
		if !a.row.kept || !a.row.width.Equal(as[0].row.width) {
			return false
		}
	}
	return true
}

// rowOf finds the row of a position that a store keeps to.
func (c *checker) rowOf(in *kernel.Instr) row {
	at, ok := c.placed[in]
	if !ok {
		return row{}
	}
	index, q := c.form[in.Args[0]], c.form[at]
	x, ok := q.IsVar()
	if !ok {
		return row{}
	}
	width := index.Replace(x, q.AddConst(1)).Sub(index)
	if _, symbolic := prove.Latest(width, 0); symbolic {
		return row{}
	}
	first := q.Mul(width)
	kept := c.keepsTo(index, first, prove.Below, at) && c.keepsTo(index, first.Add(width).AddConst(-1), prove.Above, at)
	return row{width, kept}
}

// keepsTo shows that an index does not go beyond p, which is over values up to at.
func (c *checker) keepsTo(index, p size.Poly, d prove.Direction, at kernel.Value) bool {
	for _, b := range c.Bounds(index, d, int(at)+1) {
		if c.Proves(prove.Gap(p, b.P, d)) {
			c.Rely(b.Needs)
			return true
		}
	}
	return false
}
