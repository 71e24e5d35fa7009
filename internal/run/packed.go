package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: what outer indices of a schedule.Packed have kept, in any order. Out: all of it, one after
// the other, in the buffers of the launch that it stands for. Until the last is there, each lies where
// it would if those before had kept everything: there is room, and memory that nobody has touched costs
// nothing.

// Packing is a Packed in flight.
type Packing struct {
	packed *schedule.Packed
	counts int     // region of the counts
	outs   []int   // regions of elements, in the order of the packed's buffers
	grain  int64   // slots of an outer index
	widths []int64 // elements of a slot in each region of outs
	parts  []packedPart
}

// packedPart is what outer indices lo..hi have kept.
type packedPart struct{ lo, hi, kept int64 }

// packedBytes is about how much memory Here takes at a time.
const packedBytes = 64 << 20

// Packed gives the same launch leaf by leaf, nil if it has no such form. Its outer indices are to
// be done each once, by Keep or Here, and then Unite puts them together.
func (p *Placed) Packed() (*Placed, error) {
	s := p.Launch.Packed
	if s == nil {
		return nil, nil
	}
	l, err := p.p.r.prepare(s.Launch)
	if err != nil {
		return nil, err
	}
	q := &Placed{Launch: s.Launch, Compiled: l.c, Sizes: l.Sizes, Scalars: l.Scalars, Outer: l.outer, p: l}
	k := &Packing{packed: s, counts: slices.Index(s.Launch.Regions, s.Counts)}
	k.grain, _ = kernel.EvalPoly(l.c.Kernel.Grain, l.Sizes)
	for _, b := range s.From {
		i := slices.Index(s.Launch.Regions, b)
		if k.counts < 0 || i < 0 || k.grain < 1 {
			return nil, nil // it keeps elements of no size
		}
		per, err := q.perOuter(i)
		if err != nil {
			return nil, err
		}
		k.outs, k.widths = append(k.outs, i), append(k.widths, per/k.grain)
	}
	q.Packing = k
	return q, nil
}

// First is how many elements are used of all that are kept, the first ones; -1 if all are.
func (p *Placed) First() (int64, error) {
	s := p.Packing.packed.First
	if s == nil || len(p.Launch.Sites) > 0 { // whether there is a fault does not depend on how many are used
		return -1, nil
	}
	n, err := p.p.r.bound(*s)
	return max(n, 0), err
}

// KeptBefore is how many elements are known to be kept before an outer index.
func (k *Packing) KeptBefore(outer int64) (n int64) {
	for _, x := range k.parts {
		if x.lo < outer {
			n += x.kept
		}
	}
	return n
}

// Counts is the region that says how much each outer index keeps.
func (k *Packing) Counts() int { return k.counts }

// Keep stores what outer indices lo..hi have kept: elements gives those of each written region
// but the counts.
func (p *Placed) Keep(lo, hi, kept int64, elements func(region int) []byte) error {
	k := p.Packing
	if lo < 0 || lo >= hi || hi > p.Outer || kept < 0 || kept > (hi-lo)*k.grain {
		return fmt.Errorf("step `%s`: outer indices %d to %d of %d cannot keep %d elements", p.Launch.Label, lo, hi, p.Outer, kept)
	}
	for j, region := range k.outs {
		b, own := elements(region), p.p.r.s.Buffers[k.packed.Into[j]].Kind
		if int64(len(b)) != kept*k.widths[j]*int64(own.Size()) {
			return fmt.Errorf("step `%s`: expected %d elements of %d values of region %d, found %d bytes", p.Launch.Label, kept, k.widths[j], region, len(b))
		}
		if err := p.p.r.roomFor(k.packed.Into[j], true); err != nil {
			return err
		}
		if err := p.deposit(region, k.packed.Into[j], lo*k.grain*k.widths[j], b); err != nil {
			return err
		}
	}
	k.parts = append(k.parts, packedPart{lo, hi, kept})
	return nil
}

// keepHere does outer indices lo..hi on this machine.
func (p *Placed) keepHere(lo, hi int64) error {
	each := int64(1)
	for j, region := range p.Packing.outs {
		each += p.Packing.grain * p.Packing.widths[j] * int64(p.Compiled.Kernel.Regions[region].Elem.Size())
	}
	for step := max(1, packedBytes/each); lo < hi; lo += step {
		if err := p.keepPart(lo, min(lo+step, hi)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Placed) keepPart(lo, hi int64) error {
	rows, err := p.rowsFor(lo, hi)
	if err != nil {
		return err
	}
	defer rows.free(p.p.r)
	if err := p.p.here(lo, hi, rows); err != nil {
		return err
	}
	arena := p.p.r.eng.Arena()
	contents := func(region int, per int64) []byte {
		size := int64(p.Compiled.Kernel.Regions[region].Elem.Size())
		return arena.Bytes(rows.bases[region]+lo*per*size, (hi-lo)*per*size)
	}
	counts := contents(p.Packing.counts, 1)
	var packed [][]byte
	kept := int64(0)
	for j, region := range p.Packing.outs {
		per := p.Packing.grain * p.Packing.widths[j]
		b := contents(region, per)
		stretch := per * int64(p.Compiled.Kernel.Regions[region].Elem.Size())
		if b, kept, _, err = Pack(b, counts, stretch, p.Packing.grain, lo, hi, -1); err != nil {
			return bug("launch %q: %w", p.Launch.Label, err)
		}
		packed = append(packed, b)
	}
	return p.Keep(lo, hi, kept, func(region int) []byte { return packed[slices.Index(p.Packing.outs, region)] })
}

// Pack moves what outer indices lo..hi have kept to the front of b, which has a stretch of bytes for
// each of them, of as many slots as grain. counts says how many each has kept. If most is not negative,
// it ends before the outer index, but the first, with which more than most elements would be kept.
func Pack(b, counts []byte, stretch, grain, lo, hi, most int64) (packed []byte, kept, end int64, err error) {
	at := int64(0)
	for o := range hi - lo {
		n := int64(column.Get(num.I64, counts, o))
		if n < 0 || n > grain {
			return nil, 0, 0, fmt.Errorf("outer index %d keeps %d elements, it has %d slots", lo+o, n, grain)
		}
		if most >= 0 && o > 0 && kept+n > most {
			return b[:at], kept, lo + o, nil
		}
		kept += n
		at += int64(copy(b[at:], b[o*stretch:o*stretch+stretch/grain*n]))
	}
	return b[:at], kept, hi, nil
}

// Unite puts what was kept together, when all outer indices are done, or if first is not negative those that
// keep so many before any that is not.
func (p *Placed) Unite(first int64) error {
	k, r := p.Packing, p.p.r
	slices.SortFunc(k.parts, func(x, y packedPart) int { return cmp.Compare(x.lo, y.lo) })
	end, total := int64(0), int64(0)
	for i, x := range k.parts {
		if x.lo > end && first >= 0 && total >= first {
			k.parts = k.parts[:i]
			break
		}
		if x.lo != end {
			return fmt.Errorf("step `%s`: outer indices %d to %d are missing or were done twice", p.Launch.Label, min(end, x.lo), max(end, x.lo))
		}
		end, total = x.hi, total+x.kept
	}
	if end != p.Outer && (first < 0 || total < first) {
		return fmt.Errorf("step `%s`: outer indices %d to %d are missing", p.Launch.Label, end, p.Outer)
	}
	for j, b := range k.packed.Into {
		if err := r.roomFor(b, true); err != nil {
			return err
		}
		if err := p.close(b, k.widths[j]*int64(r.s.Buffers[b].Kind.Size())); err != nil {
			return err
		}
		r.buffers[b].blocks = 0
	}
	if err := r.room(k.packed.Total, 1, ""); err != nil {
		return err
	}
	column.Put(num.I64, r.bytes(k.packed.Total), 0, uint64(total))
	return nil
}

// close moves the parts together, the first first.
func (p *Placed) close(b int, slot int64) error {
	r, at, move := p.p.r, int64(0), p.p.r.mover(b)
	for _, x := range p.Packing.parts {
		from, n := x.lo*p.Packing.grain*slot, x.kept*slot
		for done := int64(0); done < n && at < from; done += copyBlock {
			if r.ctx.Err() != nil {
				return r.ctx.Err()
			}
			if err := move(at+done, from+done, min(n-done, copyBlock)); err != nil {
				return err
			}
		}
		at += n
	}
	return nil
}

// mover moves n bytes of a buffer, at most copyBlock, from a place to one before it.
func (r *runner) mover(b int) func(to, from, n int64) error {
	s := r.buffers[b].spool
	if s == nil {
		all := r.bytes(b)
		return func(to, from, n int64) error { copy(all[to:], all[from:from+n]); return nil }
	}
	block := make([]byte, copyBlock)
	return func(to, from, n int64) error {
		if _, err := s.ReadAt(block[:n], from); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		_, err := s.WriteAt(block[:n], to)
		return err
	}
}
