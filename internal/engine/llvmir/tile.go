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
// so that an element that is loaded serves several folds. Tiles go down i
// first, see
// stripBytes.
type tiling struct {
	*plan   // of the fold
	i, j    *kernel.Instr
	fold    *kernel.Instr
	accs    []accumulator
	rows    int // i's of a tile
	columns int // j's of a tile
	pieces  int // vectors that make up a row of lanes
	n       int // lanes of a vector
	memory  *tileMemory

	bandPanels, stripPanels []*panel
	// In the text: first slot of the folds, first after whole rows of lanes,
	// number of such rows and of sections, and the tile of the strip at hand.
	from, mid, slots, sections, tile string
	iend, jend                       string // of all rows and columns
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
	t.plan = p
	t.size()
	t.write()
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

// shapes are tiles as rows and columns, in order of preference: a tile loads
// rows + columns elements for rows · columns folds.
var shapes = [][2]int{{4, 4}, {6, 2}, {4, 2}}

// size chooses the first tile that stays in vector registers, of which there
// are 32, or 16 on amd64 without vectors of 64 bytes. The last one is for
// bodies so long that no tile does.
func (t *tiling) size() {
	t.accs, _ = t.accumulators(t.fold)
	k := t.accs[0].Kind
	t.n = t.t.VectorBytes / k.Size()
	t.pieces = num.Lanes(k) / t.n
	registers := 32
	if t.t.Arch == "amd64" && t.t.VectorBytes < 64 {
		registers = 16
	}
	for _, s := range shapes {
		t.rows, t.columns = s[0], s[1]
		if t.registers() <= registers {
			break
		}
	}
	if most, ok := t.maxTurns(t.i); ok {
		t.rows = int(min(int64(t.rows), max(most, 1)))
	}
}

// registers is how many vectors a turn of the inner loop has at a time: a row
// of lanes for each fold, what is loaded for all columns and for one row, and
// the value that is computed.
func (t *tiling) registers() int {
	n := t.rows*t.columns + 1
	i, j := t.i.Blocks[0].Params[0], t.j.Blocks[0].Params[0]
	for x := range t.body.Instrs {
		in := &t.body.Instrs[x]
		switch {
		case in.Code != kernel.Load:
		case t.varies(in.Args[0], j) && !t.varies(in.Args[0], i):
			n += t.columns
		default:
			n++
		}
	}
	return n
}
