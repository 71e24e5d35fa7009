package parcel

import (
	"math"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Append adds the tree's bytes, a Fan's payload, to dst. Every piece has one
// extent per Out operand of the task.
func (t *Tree) Append(dst []byte) []byte {
	dst = appendUint(t.Task.appendHead(dst), uint64(len(t.Pieces)))
	for i := range t.Pieces {
		p := &t.Pieces[i]
		dst = appendUint(appendUint(dst, uint64(p.Owner)), uint64(p.Shard))
		dst = appendSpan(dst, p.Lo, p.Hi)
		for _, e := range p.Outs {
			dst = e.append(dst)
		}
	}
	return appendUint(dst, uint64(t.For))
}

// ReadTree reads a Fan's payload; bytes of the task alias b. There is at least
// one piece, and the pieces' outer indices ascend.
func ReadTree(b []byte) (*Tree, error) {
	r := reader{b: b, part: "tree"}
	t := new(Tree)
	r.task(&t.Task)
	outs := t.Outs()
	start := r.at
	n := r.count(MaxPieces, 4+2*outs, "pieces")
	if n == 0 {
		r.fail(start, "pieces", atLeast(1), "0")
	}
	t.Pieces = make([]Piece, n)
	extents := make([]Extent, n*outs)
	for i := range t.Pieces {
		p := &t.Pieces[i]
		p.Owner = catalog.Peer(r.word("owner"))
		p.Shard = uint32(r.uint(math.MaxInt32, "shard"))
		start := r.at
		p.Lo, p.Hi = r.span("outer indices")
		if i > 0 && p.Lo < t.Pieces[i-1].Hi {
			r.fail(start, "outer indices", atLeast(uint64(t.Pieces[i-1].Hi))+", where the piece before ends", number(uint64(p.Lo)))
		}
		if outs > 0 {
			p.Outs = extents[i*outs : (i+1)*outs : (i+1)*outs]
		}
		for j := range p.Outs {
			p.Outs[j] = r.extent()
		}
	}
	t.For = catalog.Peer(r.word("client"))
	if err := r.end(); err != nil {
		return nil, err
	}
	return t, nil
}

// Outs is how many operands of the task are Out: of so many, in order, each
// piece has extents, and a group of an answer columns.
func (t *Tree) Outs() int {
	n := 0
	for i := range t.Task.Operands {
		if t.Task.Operands[i].How == Out {
			n++
		}
	}
	return n
}

// Piece is the task of one piece. It shares what the pieces have in common.
func (t *Tree) Piece(i int) *Task {
	task, p := t.Task, &t.Pieces[i]
	task.Lo, task.Hi = p.Lo, p.Hi
	task.Operands = append([]Operand(nil), task.Operands...)
	next := 0
	for i := range task.Operands {
		if o := &task.Operands[i]; o.How == Out && next < len(p.Outs) {
			o.First, o.Count = p.Outs[next].First, p.Outs[next].Count
			next++
		}
	}
	return &task
}
