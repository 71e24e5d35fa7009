package data

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// span is what statistics say about a column of a row group. Integers are in
// lo and hi, floats in from and to.
type span struct {
	known    bool // lo and hi, or from and to, bound every value
	noNulls  bool
	nulls    int64 // how many; -1 if that is not known
	isFloat  bool
	unsigned bool // lo and hi are the bits of a uint64
	lo, hi   int64
	from, to float64
}

// span reads the statistics of a column chunk. Bounds that are NaN or the
// wrong way round say nothing.
func (s *parquetFile) span(chunk, column int) (sp span) {
	defer func() {
		if recover() != nil {
			sp = span{nulls: -1}
		}
	}()
	leaf := s.leaves[column]
	sp.nulls = -1
	if leaf.index < 0 || leaf.maxRep > 0 || s.cols[column].Unknown {
		return sp
	}
	meta, err := s.reader.RowGroup(s.groups[chunk]).MetaData().ColumnChunk(leaf.index)
	if err != nil {
		return sp
	}
	if sp.noNulls = leaf.maxDef == 0; sp.noNulls {
		sp.nulls = 0
	}
	if ok, err := meta.StatsSet(); err != nil || !ok {
		return sp
	}
	st, err := meta.Statistics()
	if err != nil || st == nil {
		return sp
	}
	sp.noNulls = sp.noNulls || st.HasNullCount() && st.NullCount() == 0
	if st.HasNullCount() && st.NullCount() >= 0 {
		sp.nulls = st.NullCount()
	}
	if st.HasMinMax() {
		sp.bounds(leaf.physical, st.EncodeMin(), st.EncodeMax())
	}
	return sp
}

func (sp *span) bounds(k num.Kind, lo, hi []byte) {
	if len(lo) != k.Size() || len(hi) != k.Size() {
		return
	}
	sp.isFloat, sp.unsigned = k.IsFloat(), k == num.U64
	switch k {
	case num.I32:
		sp.lo, sp.hi = int64(int32(binary.LittleEndian.Uint32(lo))), int64(int32(binary.LittleEndian.Uint32(hi)))
	case num.U32:
		sp.lo, sp.hi = int64(binary.LittleEndian.Uint32(lo)), int64(binary.LittleEndian.Uint32(hi))
	case num.I64, num.U64:
		sp.lo, sp.hi = int64(binary.LittleEndian.Uint64(lo)), int64(binary.LittleEndian.Uint64(hi))
	case num.F32:
		sp.from = float64(math.Float32frombits(binary.LittleEndian.Uint32(lo)))
		sp.to = float64(math.Float32frombits(binary.LittleEndian.Uint32(hi)))
	case num.F64:
		sp.from = math.Float64frombits(binary.LittleEndian.Uint64(lo))
		sp.to = math.Float64frombits(binary.LittleEndian.Uint64(hi))
	default:
		return
	}
	sp.known = sp.lo <= sp.hi && sp.from <= sp.to
	if sp.unsigned {
		sp.known = uint64(sp.lo) <= uint64(sp.hi)
	}
}

// fails reports whether no value in the span satisfies the predicate. A NaN
// is in no span; it satisfies only Ne, which floats are therefore never
// pruned by.
func (sp *span) fails(p Pred) bool {
	if !sp.known || !sp.noNulls || p.IsFloat != sp.isFloat {
		return false
	}
	var lo, hi int // the span's ends, compared with the constant
	switch {
	case sp.isFloat:
		if math.IsNaN(p.Float) || p.Op == Ne {
			return false
		}
		lo, hi = cmp.Compare(sp.from, p.Float), cmp.Compare(sp.to, p.Float)
	case sp.unsigned:
		lo, hi = compareUnsigned(uint64(sp.lo), p.Int), compareUnsigned(uint64(sp.hi), p.Int)
	default:
		lo, hi = cmp.Compare(sp.lo, p.Int), cmp.Compare(sp.hi, p.Int)
	}
	switch p.Op {
	case Lt:
		return lo >= 0
	case Le:
		return lo > 0
	case Gt:
		return hi <= 0
	case Ge:
		return hi < 0
	case Eq:
		return lo > 0 || hi < 0
	case Ne:
		return lo == 0 && hi == 0
	}
	return false
}

func compareUnsigned(a uint64, b int64) int {
	if b < 0 {
		return 1
	}
	return cmp.Compare(a, uint64(b))
}

// accepts reports whether Fill would take every value of the span as w.
func (sp *span) accepts(w Want, from num.Kind) bool {
	switch {
	case !w.Option && !sp.noNulls, w.rescaled(from):
		return false
	case from == num.Bool || from.IsFloat():
		return true
	case from == w.Kind && w.Bound <= 0:
		return true
	case !sp.known:
		return false
	case w.Kind == num.Bool:
		return sp.lo >= 0 && sp.hi >= 0 && sp.hi <= 1
	case w.Kind.IsFloat():
		most := int64(1) << mantissa(w.Kind)
		return sp.lo >= -most && sp.lo <= sp.hi && sp.hi <= most
	case sp.unsigned:
		return uint64(sp.hi) <= w.Kind.MaxInt() && (w.Bound <= 0 || uint64(sp.hi) < uint64(w.Bound))
	}
	return fits(sp.lo, w.Kind) && fits(sp.hi, w.Kind) && (w.Bound <= 0 || sp.lo >= 0 && sp.hi < w.Bound)
}

func (s *parquetFile) Prune(preds []Pred) []bool {
	pruned, any := make([]bool, len(s.chunks)), false
	for i := range s.chunks {
		pruned[i] = s.failing(i, preds) >= 0
		any = any || pruned[i]
	}
	if !any {
		return nil
	}
	return pruned
}

// accepts implements accepter.
func (s *parquetFile) accepts(chunk int, w Want) bool {
	sp := s.span(chunk, w.Column)
	return sp.accepts(w, s.leaves[w.Column].physical)
}

// failing is a predicate that no row of the chunk satisfies, -1 if none is
// known.
func (s *parquetFile) failing(chunk int, preds []Pred) int {
	for i, p := range preds {
		if p.Column < 0 || p.Column >= len(s.cols) {
			continue
		}
		if sp := s.span(chunk, p.Column); sp.fails(p) {
			return i
		}
	}
	return -1
}

func (s *parquetFile) FillPruned(chunk int, preds []Pred, wants []Want, dst []Dest) error {
	if _, err := checkFill(s, chunk, wants, dst); err != nil {
		return err
	}
	f := s.failing(chunk, preds)
	if f < 0 {
		return fail(s.input.path, "chunk %d cannot be pruned: its statistics do not rule the predicates out", chunk)
	}
	for i, w := range prepared(s.cols, wants) {
		sp := s.span(chunk, w.Column)
		if !sp.accepts(w, s.leaves[w.Column].physical) {
			if _, err := s.Fill(context.Background(), chunk, wants[i:i+1], dst[i:i+1]); err != nil {
				return err
			}
			continue
		}
		clear(dst[i].Values)
		if w.Option {
			fillOnes(dst[i].Valid)
		}
		if w.Column == preds[f].Column {
			fillConstant(dst[i].Values, w.Kind, &sp)
		}
	}
	return nil
}

// fillConstant fills b with the span's lower end. A predicate that no value
// of the span satisfies is not satisfied by this one.
func fillConstant(b []byte, k num.Kind, sp *span) {
	var one [8]byte
	from := sp.from
	if !sp.isFloat {
		from = float64(sp.lo)
	}
	switch k {
	case num.F32:
		binary.LittleEndian.PutUint32(one[:], math.Float32bits(float32(from)))
	case num.F64:
		binary.LittleEndian.PutUint64(one[:], math.Float64bits(from))
	default:
		binary.LittleEndian.PutUint64(one[:], uint64(sp.lo))
	}
	for n := k.Size(); len(b) >= n; b = b[n:] {
		copy(b, one[:n])
	}
}
