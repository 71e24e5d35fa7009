package llvmir

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Turns are computed side by side up to fullBatch at a time before the
// instructions that are not for several lanes follow, turn by turn. What these
// need lies on the stack, in at most batchBytes if that leaves a group. A
// vector that is taken apart soon after it was stored keeps the processor
// waiting, so a batch is longer than a group.
const (
	fullBatch  = 128
	batchBytes = 4 << 10
)

// Up to fewSingle instructions stand turnsInText times one behind the other in the text: with four turns in it, a fifth of the time of a
// histogram went to the loop itself (Zen 4). They combine into tablesInTurn copies of a table, one after the other. All are powers of two, so
// a batch is a multiple of them.
const (
	tablesInTurn = 4
	turnsInText  = 16
	fewSingle    = 8
)

// spilled is a value whose lanes lie in memory for a batch of turns.
type spilled struct {
	v    kernel.Value
	t    typ // in memory
	addr string
}

// spaces reserves memory for a batch of groups of up to n turns.
func (p *plan) spaces(n int) {
	values := p.needed()
	size := 0
	for _, v := range values {
		size += p.kept(v).Size()
	}
	p.batch = fullBatch
	for p.batch > int64(n) && p.batch*int64(size) > batchBytes {
		p.batch /= 2
	}
	for _, v := range values {
		t := typ{p.kept(v), 1}
		p.spills = append(p.spills, spilled{v, t, p.alloca(int(p.batch), t)})
	}
}

// kept is the kind in which a value is kept: an index in half of the bytes, if
// it is small.
func (p *plan) kept(v kernel.Value) num.Kind {
	if most, ok := p.UpTo(v); ok && most <= math.MaxUint32 && p.Kind(v).Bits() > 32 {
		return num.U32
	}
	return typ{p.Kind(v), 1}.inMemory().kind
}

// sink leaves the addition of what is known outside of the loop to an index of
// a load or store to the single instructions, if nothing else uses the sum: it
// costs nothing in an address.
func (p *plan) sink() {
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		if in.Code != kernel.Arith || in.Op != num.Add || in.Kind != num.I64 || in.Site != kernel.NoSite || p.Single[in] || p.Shapes[in.Out[0]] != loops.Varying {
			continue
		}
		if min(in.Args[0], in.Args[1]) < p.Body.Params[0] && p.onlyIndex(in.Out[0]) {
			p.Single[in] = true
		}
	}
}

// onlyIndex reports that a value has no use but as an index in the single
// instructions.
func (p *plan) onlyIndex(v kernel.Value) bool {
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		access := in.Code == kernel.Load || in.Code == kernel.Store
		if loops.Uses(in, v) && !(p.Single[in] && access && !slices.Contains(in.Args[1:], v)) {
			return false
		}
	}
	return true
}

// spill stores what oneByOne needs of the n turns from i on, in a batch that
// begins with turn from.
func (p *plan) spill(i, from string, n int) {
	if len(p.spills) == 0 {
		return
	}
	p.sharing(n, func() {
		at := p.set("sub i64 %s, %s", i, from)
		for _, s := range p.spills {
			x := p.vector(s.v, n)
			if k := p.Kind(s.v); k != s.t.kind {
				x = p.resize(x, k, s.t.kind, n)
			}
			p.keep(typ{s.t.kind, n}, x, s.place(p.emitter, at))
		}
	})
}

// oneByOne runs the instructions that are not for several lanes, turn by turn.
// Where a store and a later load have met once, a processor expects it of the
// same two again, and waits; so the text has them for some turns in a row.
func (p *plan) oneByOne(from, to string, n int) {
	copies := min(n, p.copies())
	turns := 1
	if copies > 1 {
		turns = min(n, turnsInText)
	}
	p.loop(from, to, int64(turns), nil, func(i string, _ []string) ([]string, string) {
		at := p.set("sub i64 %s, %s", i, from)
		for j := range turns {
			p.inCopies(j%copies, func() { p.one(p.set("add i64 %s, %d", i, j), p.set("add i64 %s, %d", at, j), n) })
		}
		return nil, ""
	})
}

// copies is how many copies of a table the turns use in turn; 1 if single instructions stand alone.
func (p *plan) copies() int {
	if len(p.Single) > fewSingle {
		return 1
	}
	for in := range p.Single {
		if len(in.Blocks) > 0 {
			return 1
		}
	}
	return tablesInTurn
}

// one runs the single instructions of turn i, the one at a place of the batch,
// which was computed in groups of n.
func (p *plan) one(i, at string, n int) {
	outside := p.pending
	p.pending = nil
	p.bind(p.Body.Params[0], i)
	for _, s := range p.spills {
		x := p.recallLane(s.t, n, s.place(p.emitter, at))
		if k := p.Kind(s.v); k != s.t.kind {
			x = p.resize(x, s.t.kind, k, 1)
		}
		p.bind(s.v, x)
	}
	for j := range p.Body.Instrs {
		if in := &p.Body.Instrs[j]; p.Single[in] || p.again(in) {
			p.instr(in)
		}
	}
	p.flush()
	p.pending = outside
}

// again reports an instruction that is cheaper to repeat for a turn than to keep
// for it: a sum or product of integers that grows evenly from turn to turn.
func (p *plan) again(in *kernel.Instr) bool {
	if in.Code == kernel.SizeOf {
		return true
	}
	return in.Code == kernel.Arith && in.Kind == num.I64 && in.Site == kernel.NoSite && !p.Single[in] && p.Shapes[in.Out[0]] < loops.Varying &&
		(in.Op == num.Add || in.Op == num.Sub || in.Op == num.Mul) && p.isAgain(in.Args[0]) && p.isAgain(in.Args[1])
}

// isAgain reports a value that is there for single instructions without being kept.
func (p *plan) isAgain(v kernel.Value) bool {
	return v <= p.Body.Params[0] || p.Def[v] != nil && (p.Def[v].Code == kernel.Const || p.again(p.Def[v]))
}

func (s spilled) place(e *emitter, at string) string {
	return e.set("getelementptr %s, ptr %s, i64 %s", s.t, s.addr, at)
}

// needed are the values computed side by side that single instructions use.
func (p *plan) needed() []kernel.Value {
	used := map[kernel.Value]bool{}
	for in := range p.Single {
		in.Each(func(in *kernel.Instr) {
			lists := [][]kernel.Value{in.Args}
			if in.At != kernel.None {
				lists = append(lists, []kernel.Value{in.At})
			}
			for _, b := range in.Blocks {
				lists = append(lists, b.Results)
			}
			for i, a := range in.Accs {
				if a.Op == kernel.FoldMulAdd { // takes the factors, wherever they are multiplied
					lists = append(lists, p.Def[in.Blocks[0].Results[i]].Args)
				}
			}
			for _, v := range slices.Concat(lists...) {
				used[v] = true
			}
		})
	}
	var list []kernel.Value
	for i := range p.Body.Instrs {
		if in := &p.Body.Instrs[i]; !p.Single[in] && in.Code != kernel.Const && !p.again(in) {
			for _, v := range in.Out {
				if used[v] {
					list = append(list, v)
				}
			}
		}
	}
	return list
}
