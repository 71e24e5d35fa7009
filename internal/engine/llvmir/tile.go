package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// tiling is a nest
//
//	for i { for j { fold over k; store at i·n + j } }
//
// in which every fold over k is independent of the others: a product of
// matrices, a table of distances. A tile of several i and j is folded at once,
// j's side by side in vectors, so that an element that is loaded serves several
// folds. The slots of a lane of the canonical order are folded one after the
// other in registers, and then the next lane's.
type tiling struct {
	*plan         // of the fold
	side    *plan // of the loop over j
	i, j    *kernel.Instr
	fold    *kernel.Instr
	acc     accumulator
	rows    int // i's of a tile
	vectors int // that make up a row of a tile
	n       int // j's of a vector
	memory  string

	bandPanels, stripPanels []*panel
	slots                   slotting
	ihi, jhi                string // ends of all rows and columns
	ilo                     string
}

// tile writes a For as tiles, if it is such a nest.
func (e *emitter) tile(in *kernel.Instr) bool {
	t := &tiling{i: in}
	t.j, _ = only(&in.Blocks[0], kernel.For)
	if t.j == nil || !plainNest(in) || !plainNest(t.j) {
		return false
	}
	t.fold, _ = only(&t.j.Blocks[0], kernel.Fold)
	if t.fold == nil || !e.tileable(t) {
		return false
	}
	p, ok := e.examine(t.fold)
	if !ok || len(p.single) > 0 || !innermost(p.body) || !e.consecutive(t.fold) {
		return false
	}
	t.plan, t.side = p, e.planOf(t.j, nil)
	t.size()
	if !t.abreast() {
		return false
	}
	t.write()
	return true
}

// abreast reports that folds for several j can be computed side by side without
// a gather in the fold.
func (t *tiling) abreast() bool {
	for x := range t.j.Blocks[0].Instrs {
		in := &t.j.Blocks[0].Instrs[x]
		if t.side.single[in] {
			return false
		}
		if in == t.fold {
			break
		}
	}
	rows, columns := t.panels()
	packed := map[*kernel.Instr]bool{}
	for _, p := range slices.Concat(rows, columns) {
		packed[p.load] = true
	}
	for x := range t.body.Instrs {
		if in := &t.body.Instrs[x]; in.Code == kernel.Load && !packed[in] && t.side.shapes[in.Args[0]] > unit {
			return false
		}
	}
	return true
}

// only finds the one instruction of a code in a block whose others are
// straight; nil if there is not exactly one.
func only(b *kernel.Block, code kernel.Code) (found *kernel.Instr, at int) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch {
		case in.Code == code && found == nil:
			found, at = in, i
		case len(in.Blocks) > 0:
			return nil, 0
		}
	}
	return found, at
}

func plainNest(in *kernel.Instr) bool { return !in.Stop && len(in.Carry) == 0 }

// tileable looks at what makes the order of i and j matter: bounds that vary,
// and stores to the same element or to what is loaded.
func (e *emitter) tileable(t *tiling) bool {
	first := t.i.Blocks[0].Params[0]
	for _, v := range slices.Concat(t.j.Args, t.fold.Args) {
		if v >= first {
			return false
		}
	}
	for _, a := range t.fold.Accs {
		if !a.Op.IsOrdered(a.Kind) || a.Kind != t.fold.Accs[0].Kind || t.fold.Tree || len(t.fold.Accs) > 1 {
			return false
		}
	}
	stored, loaded := map[int]bool{}, map[int]bool{}
	ok := true
	each(t.i, func(in *kernel.Instr) {
		switch in.Code {
		case kernel.Load:
			loaded[in.Region] = true
		case kernel.Store:
			ok = ok && !stored[in.Region] && e.rowMajor(in.Args[0], t)
			stored[in.Region] = true
		}
	})
	for r := range stored {
		ok = ok && !loaded[r]
	}
	return ok && len(stored) > 0
}

// rowMajor reports that an index is i·n + j where j goes from 0 to n at most,
// so that no two turns share it.
func (e *emitter) rowMajor(v kernel.Value, t *tiling) bool {
	d := e.plainArith(v, num.Add)
	if d == nil {
		return false
	}
	i, j := t.i.Blocks[0].Params[0], t.j.Blocks[0].Params[0]
	row := d.Args[0]
	if row == j {
		row = d.Args[1]
	}
	m := e.plainArith(row, num.Mul)
	if m == nil || !slices.Contains(d.Args, j) || !slices.Contains(m.Args, i) {
		return false
	}
	n := m.Args[0]
	if n == i {
		n = m.Args[1]
	}
	lo, known := e.constInt(t.j.Args[0])
	return known && lo == 0 && n == t.j.Args[1]
}

// plainArith is the definition of an index if it is this operation.
func (e *emitter) plainArith(v kernel.Value, op num.Op) *kernel.Instr {
	if d := e.def[v]; d != nil && d.Code == kernel.Arith && d.Op == op && d.Kind == num.I64 && d.Site == kernel.NoSite {
		return d
	}
	return nil
}

// shapes are tiles as rows and vectors of columns, in order of preference: a
// tile loads rows + vectors times for rows · vectors folds of a vector. Grains of
// rows are a multiple of a tile's.
var shapes = [][2]int{{8, 3}, {4, 3}, {4, 2}}

// size chooses the first tile that stays in vector registers, of which there
// are 32, or 16 on amd64 without vectors of 64 bytes. The last one is for
// bodies so long that no tile does.
func (t *tiling) size() {
	accs, _ := t.accumulators(t.fold)
	t.acc = accs[0]
	t.n = t.t.VectorBytes / t.acc.Kind.Size()
	registers := 32
	if t.t.Arch == "amd64" && t.t.VectorBytes < 64 {
		registers = 16
	}
	for _, s := range shapes {
		t.rows, t.vectors = s[0], s[1]
		if t.registers() <= registers {
			break
		}
	}
}

// registers is how many vectors a turn of the inner loop has at a time: one for
// each of the tile's, what is loaded for all columns and for one row, and, if it
// is not folded as it is multiplied, the value that is computed.
func (t *tiling) registers() int {
	n := t.rows * t.vectors
	i, j := t.i.Blocks[0].Params[0], t.j.Blocks[0].Params[0]
	for x := range t.body.Instrs {
		in := &t.body.Instrs[x]
		switch {
		case in.Code == kernel.Load && t.varies(in.Args[0], j) && !t.varies(in.Args[0], i):
			n += t.vectors
		case in.Code == kernel.Load:
			n++
		}
	}
	if t.acc.factors == nil {
		n++
	}
	return n
}

// narrowed is the same nest in tiles that are one vector of n columns wide.
func (t *tiling) narrowed(n int) *tiling {
	c := *t
	c.n, c.vectors = n, 1
	c.bandPanels, c.stripPanels = nil, nil
	return &c
}

// columns is the number of columns of a tile.
func (t *tiling) columns() int { return t.vectors * t.n }
