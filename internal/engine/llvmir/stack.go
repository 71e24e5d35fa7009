package llvmir

import "fmt"

// alloca reserves memory on the stack for n values of a type, in the entry
// block so that a loop does not reserve it again.
func (e *emitter) alloca(n int, t typ) string {
	v := e.fresh()
	e.stack = append(e.stack, fmt.Sprintf("  %s = alloca [%d x %s], align %d", v, n, t.inMemory(), stackAlign))
	return v
}

// stackAlign is a cache line.
const stackAlign = 64

// align is the alignment of a value among others of its type on the stack.
func align(t typ) int { return min(stackAlign, t.n*t.kind.Size()) }

// keep stores a value on the stack, recall loads it. No region lies there.
func (e *emitter) keep(t typ, v, at string) {
	e.line("store %s %s, ptr %s, align %d", t, v, at, align(t))
}

func (e *emitter) recall(t typ, at string) string {
	return e.set("load %s, ptr %s, align %d", t, at, align(t))
}

// recallLane is recall of one lane of a vector with n.
func (e *emitter) recallLane(t typ, n int, at string) string {
	return e.set("%s %s, ptr %s, align %d", loadLane(n*t.kind.Size() < fed), t, at, align(t))
}

// fed is from how many bytes on a vector that is stored does not come back as the
// integer that is loaded from its place in the same block. Shorter ones are an
// integer to LLVM 19 for x86. If their lanes had been masked, it takes all of that
// for the lowest lane where it becomes an address; random programs found it. A
// volatile load is not fed by a store.
const fed = 16

// loadLane is the instruction that loads a lane of what may have been stored as a
// vector shorter than fed.
func loadLane(short bool) string {
	if short {
		return "load volatile"
	}
	return "load"
}
