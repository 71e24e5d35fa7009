// Package loops knows what the loops of a kernel are like: how many iterations they have, how each value goes from one
// iteration to the next, what memory their iterations share, and which iterations an engine computes side by side, in lanes.
// Emitters write what it decides, and the cost model counts what it decides, so both speak of the same code.
//
//	verified kernel, Engine ──Of──► Analysis ──Plan(loop)──► Plan, or why there is none
//
// In come a kernel that package verify has accepted, and what an engine can do (Engine). Out come
//
//   - of every value its kind, what defines it, and whether a loop carries it (Analysis);
//   - of every loop the most iterations that it can have (Most), and an index as a sum of the loop's counter and values known
//     before it (Sum);
//   - of every value of a loop its Shape: the same in all iterations, one more from each to the next, and so on;
//   - of a loop its Plan: how many lanes, which instructions run one lane after the other, what must be looked at before the
//     loop so that lanes do not meet in memory, which loops inside have to be short; or a Why.
//
// A new engine needs an Engine and an emitter, and no analysis of its own. Invariant: a plan keeps the bits and the faults that
// iterations have which run one after the other.
package loops

import (
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Engine says what an emitter can do with iterations side by side. It can be compared.
type Engine struct {
	Bytes int // of a vector
	// Nests says that loops and conditions inside of a loop are computed for all lanes at once, and that what cannot be is
	// computed afterwards, one lane after the other. Otherwise only straight bodies go into lanes, all of them.
	Nests     bool
	Registers int // for vectors; of an engine that Nests
	MostLanes int // of an engine that Nests
	// Fuses says that one loop over the slots of all outer indices takes the place of those over the slots of each.
	Fuses bool
	// Weaves says that iterations that follow references are interleaved, see Weave.
	Weaves bool
	// Compresses says that lanes for which a condition holds move together at once.
	Compresses bool
	// Steps says that several such iterations go on in step in code of its own, see Weave.Abreast.
	Steps bool
	// Support is what else must be so of a straight body; nil for nothing, and of an engine that Nests.
	Support Support
}

// Support is an emitter's own part of the decision about a straight body: whether it has vector code for all of it, and the
// Width of that.
type Support interface{ Takes(p *Plan) bool }

// Analysis is what is known of a kernel, as an engine runs it.
type Analysis struct {
	K       *kernel.Kernel
	Engine  Engine
	Kinds   []num.Kind      // by value
	Def     []*kernel.Instr // by value; nil of parameters
	Carried []bool          // by value: a parameter that a loop, or the kernel's state, carries
	Data    []bool          // by value: it depends on what is loaded, carried or folded, not on counters, sizes and arguments alone
	// Slots is the loop over the slots of all outer indices, if the engine Fuses and there is one.
	Slots *kernel.Instr
	// AtMost bounds iterations where a check before the loop has shown it; an emitter that makes one notes it here.
	AtMost map[*kernel.Instr]int64

	mu    sync.Mutex
	plans map[*kernel.Instr]*Plan
	once  sync.Once
	woven []*Weave
	told  map[*kernel.Instr][]Ahead
	asks  sync.Once
	tells bool // some loop's indices tell places beforehand
}

// Of looks at a kernel that verify has accepted.
func Of(k *kernel.Kernel, e Engine) *Analysis {
	n := k.Values()
	a := &Analysis{Engine: e, Kinds: make([]num.Kind, n), Def: k.Defs(), Carried: make([]bool, n), Data: make([]bool, n), AtMost: map[*kernel.Instr]int64{}, K: k, plans: map[*kernel.Instr]*Plan{}}
	for i, p := range k.Body.Params {
		a.Kinds[p] = num.I64
		if i >= 3 {
			a.Kinds[p], a.Carried[p], a.Data[p] = k.State[i-3].Kind, true, true
		}
	}
	a.define(&k.Body)
	if e.Fuses {
		a.Slots = slotLoop(k)
	}
	return a
}

func (a *Analysis) define(b *kernel.Block) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		for j := range in.Blocks {
			for p, v := range in.Blocks[j].Params {
				a.Kinds[v], a.Data[v] = num.I64, a.Data[in.Args[0]]
				if p > 0 {
					a.Kinds[v], a.Carried[v], a.Data[v] = in.Carry[p-1].Kind, true, true
				}
			}
			a.define(&in.Blocks[j])
		}
		for j, v := range in.Out {
			a.Kinds[v], a.Data[v] = a.outKind(in, j), a.isData(in, j)
		}
	}
}

// isData reports that an instruction's result j depends on data.
func (a *Analysis) isData(in *kernel.Instr, j int) bool {
	is := in.Code == kernel.Load || IsLoop(in) || slices.ContainsFunc(in.Args, func(v kernel.Value) bool { return a.Data[v] })
	if in.Code == kernel.If {
		is = is || a.Data[in.Blocks[0].Results[j]] || a.Data[in.Blocks[1].Results[j]]
	}
	return is
}

// outKind is the kind of an instruction's result j.
func (a *Analysis) outKind(in *kernel.Instr, j int) num.Kind {
	switch in.Code {
	case kernel.Load:
		return a.K.Regions[in.Region].Elem
	case kernel.SizeOf, kernel.Bound:
		return num.I64
	case kernel.Positive:
		return num.Bool
	case kernel.Arith:
		if in.Op.IsCompare() {
			return num.Bool
		}
	case kernel.ScalarArg:
		return a.K.Scalars[in.Index].Kind
	case kernel.Select:
		return a.Kinds[in.Args[1]]
	case kernel.If:
		return a.Kinds[in.Blocks[0].Results[j]]
	case kernel.For:
		return in.Carry[j].Kind
	case kernel.Fold:
		var kinds []num.Kind
		for _, acc := range in.Accs {
			kinds = append(kinds, acc.Outs()...)
		}
		return kinds[j]
	}
	return in.Kind
}

// Kind is the kind of a value.
func (a *Analysis) Kind(v kernel.Value) num.Kind { return a.Kinds[v] }

// Const is the bits of a constant, extended to 64.
func (a *Analysis) Const(v kernel.Value) (bits uint64, ok bool) {
	if d := a.Def[v]; d != nil && d.Code == kernel.Const {
		return d.Bits, true
	}
	return 0, false
}

// ConstInt is the value of an integer constant.
func (a *Analysis) ConstInt(v kernel.Value) (int64, bool) {
	bits, ok := a.Const(v)
	return int64(bits), ok && a.Kinds[v].IsInt()
}

// PlainArith is the definition of an I64 if it is this operation, without faults.
func (a *Analysis) PlainArith(v kernel.Value, op num.Op) *kernel.Instr {
	if d := a.Def[v]; d != nil && d.Code == kernel.Arith && d.Op == op && d.Kind == num.I64 && d.Site == kernel.NoSite {
		return d
	}
	return nil
}

// IsLoop reports a For or Fold.
func IsLoop(in *kernel.Instr) bool { return in.Code == kernel.For || in.Code == kernel.Fold }

// Innermost reports that a block has no loops inside.
func Innermost(b *kernel.Block) bool {
	return !slices.ContainsFunc(b.Instrs, func(in kernel.Instr) bool {
		return IsLoop(&in) || slices.ContainsFunc(in.Blocks, func(b kernel.Block) bool { return !Innermost(&b) })
	})
}

// Only finds the one instruction of a code in a block; nil if there is none, or if another has blocks of its own.
func Only(b *kernel.Block, code kernel.Code) (found *kernel.Instr) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch {
		case in.Code == code && found == nil:
			found = in
		case len(in.Blocks) > 0:
			return nil
		}
	}
	return found
}

// Uses reports that an instruction, or one inside, has one of these operands.
func Uses(in *kernel.Instr, vs ...kernel.Value) bool {
	found := false
	in.Each(func(in *kernel.Instr) {
		for _, v := range vs {
			found = found || in.At == v || slices.Contains(in.Args, v)
			for _, b := range in.Blocks {
				found = found || slices.Contains(b.Results, v)
			}
		}
	})
	return found
}

// HasEffect reports that an instruction does more than compute, or may fault or have blocks. Which of these must not run for a lane that does not come
// to them is pinned's question.
func HasEffect(in kernel.Instr) bool {
	switch in.Code {
	case kernel.Load, kernel.Store, kernel.Fault, kernel.If, kernel.For, kernel.Fold:
		return true
	}
	return in.Site != kernel.NoSite
}

// HasEffectInOrder reports that it matters when an instruction comes.
func HasEffectInOrder(in kernel.Instr) bool { return in.Code != kernel.Load && HasEffect(in) }
