package daemon

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a task that keeps some of the elements that it walks over, however many these are. Out: what the first
// outer indices keep, up to what the caller takes. Outer indices run some at a time, as many as will
// presumably fill the answer, so the memory for what they write is bounded, and little
// is computed in vain.

const (
	// stepLeast and stepMost bound the bytes that outer indices write in a step.
	stepLeast, stepMost = 256 << 10, 16 << 20
	// keptMost is how many bytes of elements an answer has at most.
	keptMost = parcel.MaxBytes - answerRest
)

// keeping is such a task in flight.
type keeping struct {
	d      *Daemon
	task   *parcel.Task
	piece  *run.Piece
	grain  int64
	each   []int64 // bytes that an outer index writes of each operand, 0 if it is not written
	slot   int64   // bytes of one slot, all operands together
	answer parcel.Answer
	kept   int64
}

func (d *Daemon) kept(ctx context.Context, t *parcel.Task, p *run.Piece) (*parcel.Answer, error) {
	k := &keeping{d: d, task: t, piece: p}
	if err := k.measure(); err != nil {
		return nil, err
	}
	most := min(t.Keep.Most, keptMost)
	stretch := k.slot * k.grain
	all := stretch * min(t.Hi-t.Lo, stepMost)
	free, err := d.rooms.take(ownerOf(ctx), min(all, max(stretch, stepMost))+min(all, max(stretch, most)))
	if err != nil {
		return nil, err
	}
	defer free()
	likely := most // bytes
	if t.Keep.First > 0 {
		likely = min(most, t.Keep.First*k.slot)
	}
	step, lo := max(1, min(likely, stepMost)/stretch), t.Lo
	for lo < t.Hi {
		hi := min(t.Hi, lo+step)
		end, err := k.run(ctx, lo, hi, most/k.slot-k.kept)
		if err != nil {
			return nil, err
		}
		enough := k.enough()
		if lo = end; end < hi || k.kept >= most/k.slot || enough {
			break
		}
		// As many outer indices as will fill the rest at the rate so far, and at most four times as many
		// as before.
		rest := (likely/k.slot - k.kept) * (lo - t.Lo) / (k.kept + 1)
		step = max(1, min(4*step, rest, stepMost/stretch), stepLeast/stretch)
	}
	return k.done(lo), nil
}

// enough cuts off what is kept beyond what is needed, and reports that there is as much.
func (k *keeping) enough() bool {
	first := k.task.Keep.First
	if first <= 0 || k.kept < first {
		return false
	}
	j := 0
	for i, o := range k.task.Operands {
		if o.How != parcel.Out {
			continue
		}
		if i != k.task.Keep.Counts {
			k.answer.Columns[j] = k.answer.Columns[j][:first*(k.each[i]/k.grain)]
		}
		j++
	}
	k.kept = first
	return true
}

// measure finds what an outer index writes, and refuses what does not keep to the form.
func (k *keeping) measure() error {
	c, t := k.piece.Kernel, k.task
	k.grain, _ = kernel.EvalPoly(c.Kernel.Grain, t.Sizes)
	if t.Lo < 0 || t.Lo >= t.Hi || k.grain < 1 || len(t.Sizes) != len(c.Kernel.Sizes) || c.Sequential() {
		return refused("outer indices %d to %d with leaves of %d slots keep nothing; send some of a kernel without state", t.Lo, t.Hi, k.grain)
	}
	for i, o := range t.Operands {
		k.each = append(k.each, 0)
		if o.How == parcel.InOut {
			return refused("operand %d is in and out, which a task that keeps elements cannot have", i)
		}
		if o.How != parcel.Out {
			continue
		}
		first, end := c.Reach(i, t.Sizes, t.Lo, t.Lo+1)
		size := int64(c.Kernel.Regions[i].Elem.Size())
		n := end - first
		counts := i == t.Keep.Counts
		fits := n%k.grain == 0 && n <= rowsMost/size
		if counts {
			fits = n == 1 && c.Kernel.Regions[i].Elem == num.I64
		}
		if !fits || !c.Streams(i) {
			return refused("outer index %d writes %d elements of region %d, expected the same number for each of its %d slots, at most %d bytes", t.Lo, n, i, k.grain, rowsMost)
		}
		k.each[i] = n * size
		if !counts {
			k.slot += n / k.grain * size
		}
	}
	if n := c.Safe.Outer.Eval(t.Sizes); k.d.cfg.Limits.Steps > 0 && n > k.d.cfg.Limits.Steps/(t.Hi-t.Lo) {
		return refused("%d outer indices may need %d steps each, the limit is %d in all; send fewer", t.Hi-t.Lo, n, k.d.cfg.Limits.Steps)
	}
	if k.slot < 1 || k.slot*k.grain > rowsMost {
		return refused("a slot of what is kept has %d bytes, and %d slots go together; at most %d bytes may", k.slot, k.grain, rowsMost)
	}
	return nil
}

// run does outer indices lo..hi and takes what they keep, up to most elements. It gives the outer
// index up to which that is all.
func (k *keeping) run(ctx context.Context, lo, hi, most int64) (end int64, err error) {
	p := *k.piece
	p.Lo, p.Hi, p.Operands = lo, hi, slices.Clone(k.piece.Operands)
	var outs []int
	for i := range p.Operands {
		if _, ok := p.Operands[i].(run.Out); ok {
			first, end := p.Kernel.Reach(i, p.Sizes, lo, hi)
			p.Operands[i] = run.Out{First: first, Count: end - first}
			outs = append(outs, i)
		}
	}
	a, err := k.d.runPiece(ctx, &p)
	if err != nil {
		return 0, err
	}
	counts := a.Columns[slices.Index(outs, k.task.Keep.Counts)]
	if k.answer.Columns == nil {
		k.answer.Columns = make([][]byte, len(outs))
	}
	if lo == k.task.Lo {
		most = max(most, 0)
	} else if first := int64(binary.LittleEndian.Uint64(counts)); first > most {
		return lo, nil // Pack takes the first in any case
	}
	n := int64(0)
	for j, i := range outs {
		if i == k.task.Keep.Counts {
			continue
		}
		var b []byte
		if b, n, end, err = run.Pack(a.Columns[j], counts, k.each[i], k.grain, lo, hi, most); err != nil {
			return 0, refused("%v", err)
		}
		if k.answer.Columns[j] == nil {
			k.answer.Columns[j] = b[:len(b):len(b)] // what comes behind it has memory of its own
		} else {
			k.answer.Columns[j] = append(k.answer.Columns[j], b...)
		}
	}
	k.answer.Lent = append(k.answer.Lent, a.Lent...)
	k.kept += n
	k.answer.Faults = node.LeastFaults(k.answer.Faults, a.Faults)
	return end, nil
}

// done is the answer about outer indices up to end.
func (k *keeping) done(end int64) *parcel.Answer {
	j := 0
	for i, o := range k.task.Operands {
		if o.How != parcel.Out {
			continue
		}
		size := int64(k.piece.Kernel.Kernel.Regions[i].Elem.Size())
		e := parcel.Extent{First: k.task.Lo, Count: end - k.task.Lo}
		if i == k.task.Keep.Counts {
			k.answer.Columns[j] = binary.LittleEndian.AppendUint64(nil, uint64(k.kept))
		} else {
			e = parcel.Extent{First: k.task.Lo * (k.each[i] / size), Count: int64(len(k.answer.Columns[j])) / size}
		}
		k.answer.Extents = append(k.answer.Extents, e)
		j++
	}
	return &k.answer
}
