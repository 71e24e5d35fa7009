package run

import (
	"sync"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
)

// In: a launch that has not begun, and an argument that has to be decoded. Out: the share of the argument that the launch will leave undecoded, since
// its predicates rule chunks out. Invariant: what a run decides of such a chunk, by decide and prune, is foreseen here; where a run can still decide
// otherwise, as for want of memory, nothing is.

// foreseer says how arguments are stored and how much of them is decoded. Each source is asked once for what a launch rules out.
type foreseer struct {
	in   *Inputs
	mu   sync.Mutex
	have map[asked]ruling
}

// asked is a launch that reads the columns of a source for a parameter.
type asked struct {
	l     *schedule.Launch
	src   data.Source
	param int
}

// ruling is what is ruled out of a source, and how many chunks are not.
type ruling struct {
	out    float64 // share of the rows
	chunks int
}

// encoded says how a buffer's argument is stored that has to be decoded; false of others, and where nobody knows.
func (f *foreseer) encoded(s *schedule.Schedule, l *schedule.Launch, buffer int) (plan.Encoded, bool) {
	buf := &s.Buffers[buffer]
	e, ok := f.in.encoded(buf.Input)
	if !ok || len(l.Pruning) == 0 || e.Values*float64(buf.Kind.Size()) <= smallInput || !passesBy(s, buffer) {
		return e, ok
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := asked{l, e.Source, buf.Input.Param}
	of, known := f.have[at]
	if !known {
		of = f.in.ruling(s, at)
		f.have[at] = of
	}
	e.RuledOut, e.Chunks = of.out, of.chunks
	return e, ok
}

// passesBy reports that a schedule goes through an input piece by piece, in order, and once.
func passesBy(s *schedule.Schedule, buffer int) bool {
	var uses []schedule.Use
	inOrder := true
	schedule.Uses(s.Steps, func(b int, u schedule.Use) {
		if b != buffer || !inOrder {
			return
		}
		uses = append(uses, u)
		if inOrder = u.Launch != nil; inOrder {
			safe, err := u.Launch.Proof()
			inOrder = err == nil && u.Launch.Kernel.Regions[u.Region].Access == kernel.Read && safe.Footprint[u.Region].Streamed
		}
	})
	return inOrder && passes(uses) < decodedPasses
}

// ruling asks a source for the chunks that a launch's predicates rule out, by those whose numbers are known beforehand.
func (in *Inputs) ruling(s *schedule.Schedule, at asked) (of ruling) {
	chunks := at.src.Chunks()
	of.chunks = len(chunks)
	var preds []data.Pred
	for _, pr := range at.l.Pruning {
		buf := &s.Buffers[pr.Buffer]
		if buf.Input == nil || buf.Input.Param != at.param {
			continue
		}
		if b, ok := in.binding(buf.Input); ok && b.Source == at.src && in.knows(&pr) {
			if pred, ok := toPred(b, buf.Kind, pr); ok {
				preds = append(preds, pred)
			}
		}
	}
	if len(preds) == 0 {
		return of
	}
	rows := int64(0)
	for i, out := range at.src.Prune(preds) {
		if out {
			rows += chunks[i].Rows()
			of.chunks--
		}
	}
	of.out = float64(rows) / float64(max(1, at.src.Rows()))
	return of
}

// knows fills in the number that a predicate compares with, and reports false where only the run has it.
func (in *Inputs) knows(pr *schedule.Predicate) bool {
	if pr.Scalar == nil {
		return true
	}
	v, ok := in.scalar(pr.Scalar)
	pr.Bits = uint64(v)
	return ok
}
