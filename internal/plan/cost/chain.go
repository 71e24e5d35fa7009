package cost

import (
	"math"
	"math/bits"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a loop. Out: the operations that lie between what it hands on and what it hands on next, on the longest way. What memory takes
// beyond the first cache is no part of it. Invariant: a condition that only says whether the loop goes on is on no way, since a
// processor guesses it.

// Steps are operations of which each waits for the one before, by class.
type Steps [classes]float64

// latencies are the cycles until another operation can use a result, about the same on processors of the last ten years (Agner Fog,
// Instruction tables). What was measured of a machine goes before them; they say which way is the longest.
var latencies = Steps{Simple: 1, Multiply: 3, High: 5, Divide: 13, Float: 4, Extreme: 3, Root: 13, Fused: 4, Convert: 4, Near: 5}

// Latency is how many cycles another operation waits for a result of a class, by the tables; 0 for what nothing waits for.
func Latency(c Class) float64 { return latencies[c] }

// Cycles is how long the steps take, by the tables.
func (s *Steps) Cycles() float64 {
	t := 0.0
	for c, n := range s {
		t += n * latencies[c]
	}
	return t
}

// add adds n times what o has.
func (s *Steps) add(o *Steps, n float64) {
	for c := range s {
		s[c] += n * o[c]
	}
}

// chain is the longest way through a block from some values to others.
func (w *walker) chain(b *kernel.Block, from, to []kernel.Value) Steps {
	c := chaining{w, map[kernel.Value]Steps{}}
	for _, v := range from {
		c.at[v] = Steps{}
	}
	c.block(b)
	most, _ := c.last(to)
	return most
}

// handed is the longest way from elements that a loop loads to those that it stores for the next iteration to load. Engines keep
// them in registers.
func (w *walker) handed(in *kernel.Instr) Steps {
	var most Steps
	for _, h := range w.loops.Handed(in) {
		for back, loads := range h.Loads {
			for _, load := range loads {
				way := w.chain(&in.Blocks[0], load.Out, []kernel.Value{h.Store.Args[1]})
				var each Steps
				if each.add(&way, 1/float64(back+1)); each.Cycles() > most.Cycles() {
					most = each
				}
			}
		}
	}
	return most
}

// chaining has the way to each value that depends on what is handed on.
type chaining struct {
	w  *walker
	at map[kernel.Value]Steps
}

// last is the longest way to one of some values; not ok if there is none.
func (c *chaining) last(list []kernel.Value) (most Steps, ok bool) {
	longest := math.Inf(-1)
	for _, v := range list {
		if s, found := c.at[v]; found && s.Cycles() > longest {
			most, longest, ok = s, s.Cycles(), true
		}
	}
	return most, ok
}

func (c *chaining) block(b *kernel.Block) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if have := len(in.Out) == 1 && c.has(in.Out[0]); have { // where the way begins
			continue
		}
		before := in.Args
		for j := range in.Blocks {
			c.block(&in.Blocks[j])
			before = append(before[:len(before):len(before)], in.Blocks[j].Results...)
		}
		begin, ok := c.last(before)
		if !ok {
			continue
		}
		for _, class := range c.w.step(in) {
			begin[class]++
		}
		for _, v := range in.Out {
			c.at[v] = begin
		}
	}
}

func (c *chaining) has(v kernel.Value) bool {
	_, ok := c.at[v]
	return ok
}

// step is the operations by which an instruction's result follows from what it waits for.
func (w *walker) step(in *kernel.Instr) []Class {
	switch in.Code {
	case kernel.Load:
		return []Class{Near}
	case kernel.Convert:
		if in.From.IsFloat() || in.Kind.IsFloat() {
			return []Class{Convert}
		}
	case kernel.Bitcast, kernel.Bound, kernel.Fault, kernel.Store, kernel.For, kernel.Fold:
		return nil
	case kernel.Arith:
		if c := classOf(in); c != Divide {
			return []Class{c}
		}
		switch by, ok := w.loops.ConstInt(in.Args[1]); {
		case !ok:
			return []Class{Divide}
		case power(by):
			return []Class{Simple, Simple}
		case in.Kind.Size() == 8:
			return []Class{High, Simple, Simple}
		}
		return []Class{Multiply, Simple, Simple}
	}
	return []Class{Simple}
}

// power reports a power of two.
func power(x int64) bool { return x > 0 && bits.OnesCount64(uint64(x)) == 1 }

// overlap is how many times a loop that is entered n times goes on at the same time, because nothing that it hands on goes from one
// time to the next and the processor looks so far ahead. operations are those of one time.
func (w *walker) overlap(in *kernel.Instr, n, operations float64) float64 {
	if w.serial > 0 || in.Stop { // guessed wrong at its end, mostly
		return 1
	}
	return math.Max(1, math.Min(n, window/math.Max(operations, 1)))
}

// operations is how many were counted.
func (m *Mix) operations() float64 {
	all := 0.0
	for c, n := range m.Counts {
		if Class(c) != Outer {
			all += n.One + n.Vector
		}
	}
	return all
}
