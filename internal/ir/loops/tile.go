package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Tile is a nest
//
//	for i { for j { fold over k; store at i·n + j } }
//
// in which every fold over k is independent of the others: a product of matrices, a table of distances. A tile of several i and
// j is folded at once, j's side by side in lanes, so that an element that is loaded serves several folds.
type Tile struct {
	I, J, Fold *kernel.Instr
	Inner      *Plan // of the fold
	Panels     []Panel
}

// Panel is a load of the fold's body that varies with i or with j, but not with both, and that is packed.
type Panel struct {
	Load  *kernel.Instr
	Chain []*kernel.Instr // what computes the index
	Rows  bool            // it varies with i
}

// Packs reports a load that is packed; none is without a tile.
func (t *Tile) Packs(load *kernel.Instr) bool {
	return t != nil && slices.ContainsFunc(t.Panels, func(p Panel) bool { return p.Load == load })
}

// tiled plans such a nest.
func (a *Analysis) tiled(in *kernel.Instr) *Plan {
	t := &Tile{I: in, J: Only(&in.Blocks[0], kernel.For)}
	if t.J == nil || !plainNest(in) || !plainNest(t.J) {
		return no(Scattered)
	}
	if t.Fold = Only(&t.J.Blocks[0], kernel.Fold); t.Fold == nil || !a.tileable(t) {
		return no(Scattered)
	}
	t.Inner = a.examine(t.Fold)
	if p := t.Inner; p.why != Fits || len(p.Single) > 0 || !Innermost(p.Body) || !a.Consecutive(t.Fold) {
		return no(Scattered)
	}
	t.panels()
	side := a.shaped(t.J, nil)
	if !t.abreast(side) {
		return no(Scattered)
	}
	side.Tile, side.Width = t, t.Fold.Accs[0].Kind.Size()
	side.Lanes = a.Engine.Bytes / side.Width
	return side
}

func plainNest(in *kernel.Instr) bool { return !in.Stop && len(in.Carry) == 0 }

// tileable looks at what makes the order of i and j matter: bounds that vary, and stores to the same element or to what is
// loaded.
func (a *Analysis) tileable(t *Tile) bool {
	first := t.I.Blocks[0].Params[0]
	if slices.ContainsFunc(slices.Concat(t.J.Args, t.Fold.Args), func(v kernel.Value) bool { return v >= first }) {
		return false
	}
	if acc := t.Fold.Accs[0]; len(t.Fold.Accs) > 1 || t.Fold.Tree || !acc.Op.IsOrdered(acc.Kind) {
		return false
	}
	stored, loaded := map[int]bool{}, map[int]bool{}
	ok := true
	t.I.Each(func(in *kernel.Instr) {
		switch in.Code {
		case kernel.Load:
			loaded[in.Region] = true
		case kernel.Store:
			ok = ok && !stored[in.Region] && a.rowMajor(in.Args[0], t)
			stored[in.Region] = true
		}
	})
	for r := range stored {
		ok = ok && !loaded[r]
	}
	return ok && len(stored) > 0
}

// rowMajor reports that an index is i·n + j where j goes from 0 to n at most, so that no two iterations share it.
func (a *Analysis) rowMajor(v kernel.Value, t *Tile) bool {
	i, j := t.I.Blocks[0].Params[0], t.J.Blocks[0].Params[0]
	row, ok := a.other(v, num.Add, j)
	if !ok {
		return false
	}
	n, ok := a.other(row, num.Mul, i)
	lo, known := a.ConstInt(t.J.Args[0])
	return ok && known && lo == 0 && n == t.J.Args[1]
}

// other is what an operation joins with x.
func (a *Analysis) other(v kernel.Value, op num.Op, x kernel.Value) (kernel.Value, bool) {
	d := a.PlainArith(v, op)
	switch {
	case d == nil:
	case d.Args[0] == x:
		return d.Args[1], true
	case d.Args[1] == x:
		return d.Args[0], true
	}
	return kernel.None, false
}

// panels finds the loads that are packed.
func (t *Tile) panels() {
	p := t.Inner
	i, j := t.I.Blocks[0].Params[0], t.J.Blocks[0].Params[0]
	for x := range p.Body.Instrs {
		in := &p.Body.Instrs[x]
		if in.Code != kernel.Load || p.Of.K.Regions[in.Region].Elem == num.Bool || p.Shapes[in.Args[0]] != Unit {
			continue
		}
		chain, ok := p.Of.chain(in.Args[0], i)
		if byI := p.Of.DependsOn(in.Args[0], i); ok && byI != p.Of.DependsOn(in.Args[0], j) {
			t.Panels = append(t.Panels, Panel{in, chain, byI})
		}
	}
}

// chain lists the instructions, from value first on, that an index is computed by, if all are loads or arithmetic without
// faults.
func (a *Analysis) chain(v, first kernel.Value) (list []*kernel.Instr, ok bool) {
	d := a.Def[v]
	if v < first || d == nil || d.Code == kernel.Const {
		return nil, true
	}
	if d.Code != kernel.Load && (d.Code != kernel.Arith || d.Kind != num.I64) || d.Site != kernel.NoSite {
		return nil, false
	}
	for _, v := range d.Args {
		more, ok := a.chain(v, first)
		if !ok {
			return nil, false
		}
		list = append(list, more...)
	}
	return append(list, d), true
}

// abreast reports that folds for several j can be computed side by side without a gather in the fold.
func (t *Tile) abreast(side *Plan) bool {
	for x := range side.Body.Instrs {
		in := &side.Body.Instrs[x]
		if side.Single[in] {
			return false
		}
		if in == t.Fold {
			break
		}
	}
	return !slices.ContainsFunc(t.Inner.Access, func(a Access) bool {
		return a.In.Code == kernel.Load && !t.Packs(a.In) && side.Shapes[a.In.Args[0]] > Unit
	})
}
