package data

import (
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a column of integers. Out: about what is in it, for predictions: by the statistics of its file, or by a few of its values where each can be read
// by itself. Nothing may depend on it but times.

// Glance is about what a column holds.
type Glance struct {
	Least, Greatest float64
	// Alike says that some of the values that were looked at are equal, of at most glanced; false where statistics told.
	Alike bool
	// Looked says that values were looked at.
	Looked bool
}

// glanced is how many values are looked at. Each may cost a cache miss, or a read of a page.
const glanced = 128

// GlanceAt says about what a column holds; false if that takes more than a moment.
func GlanceAt(src Source, i int) (g Glance, ok bool) {
	if i < 0 || i >= len(src.Columns()) {
		return g, false
	}
	c := &src.Columns()[i]
	if !c.Kind.IsInt() || len(c.Dims) > 0 || src.Rows() == 0 {
		return g, false
	}
	if s, isStatist := src.(statist); isStatist {
		if lo, hi, _, known := s.about(i); known {
			return Glance{Least: number(c.Kind, lo), Greatest: number(c.Kind, hi)}, true
		}
	}
	raw, ok := src.Raw(i)
	if !ok {
		return g, false
	}
	return glance(raw, c.Kind, src.Rows())
}

// glance looks at values here and there: those a fixed distance apart would be alike in what repeats.
func glance(raw Raw, kind num.Kind, rows int64) (g Glance, ok bool) {
	size := int64(kind.Size())
	seen, b := map[uint64]bool{}, make([]byte, size)
	for i := range min(glanced, rows) {
		at := i
		if rows > glanced {
			at = int64(uint64(i) * 0x9e3779b97f4a7c15 % uint64(rows))
		}
		if n, err := raw.ReadAt(b, at*size); err != nil || n < len(b) {
			return g, false
		}
		bits := column.Get(kind, b, 0)
		v := number(kind, bits)
		if g.Looked = true; i == 0 || v < g.Least {
			g.Least = v
		}
		if i == 0 || v > g.Greatest {
			g.Greatest = v
		}
		g.Alike = g.Alike || seen[bits]
		seen[bits] = true
	}
	return g, true
}

// number is an integer of a kind.
func number(k num.Kind, bits uint64) float64 {
	if k == num.U64 {
		return float64(bits)
	}
	return float64(int64(bits))
}
