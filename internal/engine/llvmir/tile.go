package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// tiling is a nest that is computed in tiles, see loops.Tile. The slots of two lanes
// of the canonical order are folded one after the other in registers, and then those of
// the next two.
type tiling struct {
	*plan         // of the fold
	side    *plan // of the loop over j
	i, j    *kernel.Instr
	fold    *kernel.Instr
	acc     accumulator
	rows    int // i's of a tile
	portion int // of these, how many are folded at a time
	vectors int // that make up a row of a tile
	n       int // j's of a vector
	memory  string
	ask     func(step string) // of a step, for what is needed later

	bandPanels, stripPanels []*panel
	slots                   slotting
	ihi, jhi                string // ends of all rows and columns
	ilo                     string
}

// tiles is the nest in tiles of which a plan is for the columns.
func (p *plan) tiles() *tiling {
	t := &tiling{plan: p.of(p.Tile.Inner), side: p, i: p.Tile.I, j: p.Tile.J, fold: p.Tile.Fold}
	t.size()
	return t
}

// shapes are tiles as rows and vectors of columns, in order of preference: a
// tile loads rows + vectors times for rows · vectors folds of a vector. Grains of
// rows are a multiple of a tile's.
var shapes = [][2]int{{8, 3}, {4, 3}, {4, 2}}

// size chooses the first tile that stays in vector registers. The last one is for
// bodies so long that no tile does.
func (t *tiling) size() {
	accs, _ := t.accumulators(t.fold)
	t.acc = accs[0]
	t.n = t.side.Lanes
	for _, s := range shapes {
		t.rows, t.vectors = s[0], s[1]
		if t.registers() <= t.Engine.Registers {
			break
		}
	}
	t.portion = t.rows / 2 // for two lanes
}

// registers is how many vectors a turn of the inner loop has at a time: one for
// each of the tile's, what is loaded for all columns and for one row, and, if it
// is not folded as it is multiplied, the value that is computed.
func (t *tiling) registers() int {
	n := t.rows * t.vectors
	i, j := t.i.Blocks[0].Params[0], t.j.Blocks[0].Params[0]
	for x := range t.Body.Instrs {
		in := &t.Body.Instrs[x]
		switch {
		case in.Code == kernel.Load && t.DependsOn(in.Args[0], j) && !t.DependsOn(in.Args[0], i):
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
