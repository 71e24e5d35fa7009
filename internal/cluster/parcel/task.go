package parcel

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Append adds the task's bytes, a Run's payload, to dst.
func (t *Task) Append(dst []byte) []byte {
	dst = appendSpan(t.appendHead(dst), t.Lo, t.Hi)
	for i := range t.Operands {
		if o := &t.Operands[i]; o.How == Out {
			dst = appendSpan(dst, o.First, o.First+o.Count)
		}
	}
	return dst
}

// Written is how many elements the task gives memory to, or MaxInt64 if they are more.
func (t *Task) Written() (n int64) {
	for i := range t.Operands {
		if o := &t.Operands[i]; o.How == Out {
			if n += o.Count; n < 0 || o.Count < 0 {
				return math.MaxInt64
			}
		}
	}
	return n
}

// appendHead is all of a task but the extents, which a Tree has for each piece.
func (t *Task) appendHead(dst []byte) []byte {
	dst = appendUint(dst, uint64(t.Set))
	dst = appendNumbers(dst, t.Sizes)
	dst = appendNumbers(dst, t.Scalars)
	dst = appendUint(dst, uint64(len(t.Operands)))
	for i := range t.Operands {
		dst = t.Operands[i].append(dst)
	}
	if k := t.Keep; k != nil {
		if k.First > 0 {
			return appendUint(k.append(append(dst, keepsFirst)), uint64(k.First))
		}
		return k.append(append(dst, keeps))
	}
	return t.Partial.append(dst)
}

// The first byte of a Keep, in the place of a Partial's flag.
const (
	keeps      = 2
	keepsFirst = 3 // and First comes last
)

func (k *Keep) append(dst []byte) []byte {
	return appendUint(appendUint(dst, uint64(k.Counts)), uint64(k.Most))
}

// ReadTask reads a Run's payload. Bytes of operands and of the partial kernel
// alias b.
func ReadTask(b []byte) (*Task, error) {
	r := reader{b: b, part: "task"}
	t := new(Task)
	r.task(t)
	t.Lo, t.Hi = r.span("outer indices")
	for i := range t.Operands {
		if o := &t.Operands[i]; o.How == Out {
			e := r.extent()
			o.First, o.Count = e.First, e.Count
		}
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return t, nil
}

func (r *reader) task(t *Task) {
	t.Set = r.word("set")
	t.Sizes = r.sizes(nil)
	t.Scalars = r.scalars(nil)
	if n := r.count(maxRegions, 1, "operands"); n > 0 {
		t.Operands = make([]Operand, n)
	}
	for i := range t.Operands {
		r.operand(&t.Operands[i])
	}
	if r.at < len(r.b) && (r.b[r.at] == keeps || r.b[r.at] == keepsFirst) {
		r.keep(t)
		return
	}
	r.partial(&t.Partial)
}

func (r *reader) keep(t *Task) {
	how := r.byte(keepsFirst, "keep")
	start := r.at
	k := &Keep{Counts: int(r.uint(maxRegions, "counts")), Most: r.natural("most bytes")}
	if k.Counts >= len(t.Operands) || t.Operands[k.Counts].How != Out {
		r.fail(start, "counts", "the number of an operand that is out, which says how many are kept", number(uint64(k.Counts)))
	}
	if how == keepsFirst {
		start = r.at
		if k.First = r.natural("first"); k.First == 0 {
			r.fail(start, "first", "how many elements are needed, at least 1", "0")
		}
	}
	t.Keep = k
}

// An operand's first byte is How and, of a Stored one, these.
const (
	optionBit   = 1 << 3
	presenceBit = 1 << 4
	blanksShift = 5 // two bits
)

// mostBlanks is the greatest of data.Blanks.
const mostBlanks = 2

func (o *Operand) append(dst []byte) []byte {
	first := byte(o.How)
	if o.Option {
		first |= optionBit
	}
	if o.Presence {
		first |= presenceBit
	}
	dst = append(dst, first|o.Blanks<<blanksShift)
	switch o.How {
	case Stored:
		dst = appendUint(appendUint(dst, uint64(o.Column)), uint64(o.Bound))
	case Inline, InOut:
		dst = appendBlob(appendUint(dst, uint64(o.First)), o.Bytes)
	}
	return dst
}

func (r *reader) operand(o *Operand) {
	start := r.at
	first := r.byte(math.MaxUint8, "operand")
	o.How = How(first & (optionBit - 1))
	flags := first &^ (optionBit - 1)
	blanks := first >> blanksShift
	if o.How >= hows || flags != 0 && o.How != Stored || blanks > mostBlanks || blanks > 0 && flags&(optionBit|presenceBit) != 0 {
		r.fail(start, "operand", "a way to bind it, with flags only if it is stored", number(uint64(first)))
	}
	switch o.How {
	case Stored:
		o.Option, o.Presence, o.Blanks = flags&optionBit != 0, flags&presenceBit != 0, blanks
		o.Column = r.column()
		o.Bound = r.natural("bound")
	case Inline, InOut:
		o.First = r.natural("first element")
		o.Bytes = r.blob("operand")
	}
}

// Blocks are the outer indices of a task's partial kernel, and whether the task's rows are a block alone, counted from 0. Block is not 0.
func (t *Task) Blocks() (lo, hi int64, alone bool) {
	b := t.Partial.Block
	if t.Lo%b != 0 {
		return 0, 1, true
	}
	return t.Lo / b, t.Hi/b + min(t.Hi%b, 1), false
}

func (p *Partial) append(dst []byte) []byte {
	dst = appendBool(dst, p.Code != 0)
	if p.Code == 0 {
		return dst
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(p.Code))
	dst = appendBlob(dst, p.Kernel)
	dst = appendNumbers(dst, p.Sizes)
	return appendUint(dst, uint64(p.Block))
}

func (r *reader) partial(p *Partial) {
	if !r.bool("partial") {
		return
	}
	start := r.at
	if p.Code = r.prefix("code"); p.Code == 0 {
		r.fail(start, "code", "the prefix of a kernel's hash", "0")
	}
	p.Kernel = r.blob("partial kernel")
	p.Sizes = r.sizes(nil)
	start = r.at
	if p.Block = r.natural("block"); bits.OnesCount64(uint64(p.Block)) != 1 {
		r.fail(start, "block", "a power of two", number(uint64(p.Block)))
	}
}

func (r *reader) extent() Extent {
	lo, hi := r.span("extent")
	return Extent{lo, hi - lo}
}

func (e Extent) append(dst []byte) []byte { return appendSpan(dst, e.First, e.First+e.Count) }
