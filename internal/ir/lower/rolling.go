package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop over slots i with a fold over j in 0..W of something that depends on i + j alone, as of a
// window that slides over an array. Out: the same in a few passes over a grain instead of W: what is folded goes into
// scratch memory first. Where an element may count twice (min, max, and, or), every pass doubles how many neighbours a
// place stands for, and a window is two places that overlap. Where there is a way back (sums of integers, xor), a window is the
// difference of two running sums. Both give the bits of the fold, which has no order then. Where there is an order (sums and products
// of floats), windows have parts in common that are worked out once (windowparts.go).

// Grains are at least as long as usual ones, and so long that the neighbours of a window behind the grain are few.
const (
	mostRolled = 1 << 20 // what is longer would take too much memory of each worker
	longRolled = 1 << 16 // from here on a grain is as long as a window, before that four times as long
	// partsGrain is a grain for parts of windows. A pass ends by guesses of the processor that are wrong, so there should be few; what
	// all passes of a grain go over should stay in the second cache.
	partsGrain = 1 << 13
	// A kernel has at most so many folds in parts, of so many instructions together: it grows with them, and so does the time that code for
	// it takes.
	mostInParts, mostPartWork = 8, 1200
)

// rolled is a fold over a window.
type rolled struct {
	at    int // of the fold in the loop's block
	in    kernel.Instr
	width int64
	acc   kernel.Acc
	parts *windowSum // of a fold with an order
	kept  []bool     // the parts that have a pass of their own
	work  int64      // instructions of the passes and of a window
}

// twice reports whether an element may count twice.
func twice(op kernel.FoldOp) bool {
	return op == num.FoldMin || op == num.FoldMax || op == num.FoldAnd || op == num.FoldOr
}

// hasBack reports whether a part can be taken away again.
func hasBack(acc kernel.Acc) bool {
	return acc.Op == num.FoldAdd && acc.Kind.IsInt() || acc.Op == num.FoldAddWide || acc.Op == num.FoldXor
}

// rollingGrain is how long grains should be for the kernel's folds to roll; 0 if none does.
func (k *kern) rollingGrain() int64 {
	_, list := k.rolling()
	if len(list) == 0 {
		return 0
	}
	grain := int64(partsGrain)
	for _, r := range list {
		if r.parts == nil {
			grain = max(grain, num.Leaf)
		}
		if r.width <= longRolled {
			grain = max(grain, 4*r.width)
		} else {
			grain = max(grain, r.width)
		}
	}
	return grain
}

// rolling finds the kernel's last loop, if it is over the slots of a grain, and the folds in it that can roll.
func (k *kern) rolling() (loop kernel.Instr, list []rolled) {
	instrs := k.k.Body.Instrs
	if len(instrs) == 0 || len(k.state) > 0 {
		return loop, nil
	}
	loop = instrs[len(instrs)-1]
	if loop.Code != kernel.For || len(loop.Carry) > 0 || loop.Stop || loop.Args[0] != k.lo || loop.Args[1] != k.hi {
		return loop, nil
	}
	inside := map[kernel.Value]*kernel.Instr{}
	define(&loop.Blocks[0], inside)
	inParts, work := 0, int64(0)
	for at, in := range loop.Blocks[0].Instrs {
		r, ok := k.rolledFold(at, in, loop.Blocks[0].Params[0], inside)
		if ok && r.parts != nil {
			if inParts == mostInParts || work+r.work > mostPartWork {
				continue
			}
			inParts, work = inParts+1, work+r.work
		}
		if ok {
			list = append(list, r)
		}
	}
	return loop, list
}

// rolledFold reports a fold that is worth rolling: it takes more instructions as it is.
func (k *kern) rolledFold(at int, in kernel.Instr, i kernel.Value, inside map[kernel.Value]*kernel.Instr) (r rolled, ok bool) {
	if in.Code != kernel.Fold || in.Tree || len(in.Accs) != 1 || in.Args[0] != k.b.Int(0) {
		return r, false
	}
	r = rolled{at: at, in: in, acc: in.Accs[0]}
	ordered := r.acc.Op == num.FoldAdd && r.acc.Kind.IsFloat() || r.acc.Op == num.FoldMul && r.acc.Kind.IsFloat()
	if !twice(r.acc.Op) && !hasBack(r.acc) && !ordered {
		return r, false
	}
	p, ok := k.lengthOf(in.Args[0], in.Args[1])
	if r.width, ok = constOf(p, ok); !ok || r.width > mostRolled {
		return r, false
	}
	body := &in.Blocks[0]
	if !k.ofSum(body, i, inside) {
		return r, false
	}
	if ordered {
		return r, r.width <= num.Leaf && r.shares()
	}
	asIs := r.width * int64(len(body.Instrs))
	return r, asIs > int64(len(body.Instrs))+4*int64(r.passes())
}

// shares reports a fold whose windows have so much in common that a quarter of the instructions is saved.
func (r *rolled) shares() bool {
	element := int64(max(1, len(r.in.Blocks[0].Instrs)-1)) // without the sum of indices
	r.parts = windowParts(r.width, r.acc.Kind)
	r.kept, r.work = r.parts.keep(element)
	return 4*r.work < 3*r.width*(element+1)
}

func constOf(p size.Poly, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	return p.Const()
}

// passes is how many passes over scratch memory follow the first.
func (r *rolled) passes() int {
	if !twice(r.acc.Op) {
		return 2
	}
	n := 1
	for d := int64(1); 2*d <= r.width; d *= 2 {
		n++
	}
	return n
}

// ofSum reports that a fold's body computes something of i + j only, without faults or effects.
func (k *kern) ofSum(body *kernel.Block, i kernel.Value, inside map[kernel.Value]*kernel.Instr) bool {
	j := body.Params[0]
	for x := range body.Instrs {
		in := &body.Instrs[x]
		if isSum(in, i, j) {
			continue
		}
		if !kernel.IsPure(k.k, in) || in.Site != kernel.NoSite || slices.ContainsFunc(in.Args, func(a kernel.Value) bool { return !k.sameForAll(a, i, j, inside, body) }) {
			return false
		}
	}
	return k.sameForAll(body.Results[0], i, j, inside, body)
}

// sameForAll reports a value that comes from the fold's body, or from outside of the loop.
func (k *kern) sameForAll(v, i, j kernel.Value, inside map[kernel.Value]*kernel.Instr, body *kernel.Block) bool {
	if v == i || v == j {
		return false
	}
	return inside[v] == nil || slices.ContainsFunc(body.Instrs, func(x kernel.Instr) bool { return len(x.Out) == 1 && x.Out[0] == v })
}

func isSum(in *kernel.Instr, i, j kernel.Value) bool {
	return in.Code == kernel.Arith && in.Op == num.Add && in.Site == kernel.NoSite && (in.Args[0] == i && in.Args[1] == j || in.Args[0] == j && in.Args[1] == i)
}

// roll rewrites the kernel's last loop, in a kernel made for it.
func (k *kern) roll() {
	grain, ok := k.k.Grain.Const()
	loop, list := k.rolling()
	if k.rollGrain == 0 || !ok || grain != k.rollGrain || len(list) == 0 {
		return
	}
	k.k.Body.Instrs = k.k.Body.Instrs[:len(k.k.Body.Instrs)-1]
	results := make([]func(slot kernel.Value) []kernel.Value, len(list))
	for x := range list {
		results[x] = k.windows(&list[x], loop.Blocks[0].Params[0], grain)
	}
	body := &loop.Blocks[0]
	cut, keep, apart := k.awaited(body, list)
	kept := map[kernel.Value]int{} // regions
	if apart {
		for _, v := range keep {
			kept[v] = k.scratchOf(k.b.Kind(v), size.Const(grain))
		}
		k.b.Each(k.b.Int(0), k.b.Wrap(num.Sub, k.hi, k.lo), func(slot kernel.Value) {
			to := k.rolledBody(body.Instrs[:cut], body.Params[0], k.b.Wrap(num.Add, k.lo, slot), slot, list, results)
			for _, v := range keep {
				k.b.Store(kept[v], slot, kernel.Replaced([]kernel.Value{v}, to)[0])
			}
		})
	}
	k.b.Each(k.lo, k.hi, func(i kernel.Value) {
		slot := k.b.Wrap(num.Sub, i, k.lo)
		if !apart {
			k.rolledBody(body.Instrs, body.Params[0], i, slot, list, results)
			return
		}
		to := map[kernel.Value]kernel.Value{body.Params[0]: i}
		for _, v := range keep {
			to[v] = k.b.Load(kept[v], slot)
		}
		k.copyNeeded(body.Instrs, cut, to)
	})
}

// rolledBody copies instructions of the loop's body for one slot, with what the windows give in the place of their folds.
func (k *kern) rolledBody(instrs []kernel.Instr, param, i, slot kernel.Value, list []rolled, results []func(slot kernel.Value) []kernel.Value) map[kernel.Value]kernel.Value {
	to := map[kernel.Value]kernel.Value{param: i}
	from := 0
	for x, r := range list {
		k.b.Copy(instrs[from:r.at], to)
		for w, v := range results[x](slot) {
			to[r.in.Out[w]] = v
		}
		from = r.at + 1
	}
	k.b.Copy(instrs[from:], to)
	return to
}

// windows writes the passes of a fold; what it gives is the result for a slot, counted from the grain's first.
func (k *kern) windows(r *rolled, i kernel.Value, grain int64) func(slot kernel.Value) []kernel.Value {
	places := size.Const(grain + r.width)
	slots := k.b.Wrap(num.Sub, k.hi, k.lo)
	if r.parts != nil {
		return k.inParts(r, i, places, slots)
	}
	if !twice(r.acc.Op) {
		return k.runningSums(r, i, places, slots)
	}
	first := k.scratchOf(r.acc.Kind, places)
	k.b.Each(k.b.Int(0), k.b.Wrap(num.Add, slots, k.b.Int(r.width-1)), func(t kernel.Value) {
		k.b.Store(first, t, k.single(r, i, t))
	})
	other, d := k.scratchOf(r.acc.Kind, places), int64(1)
	for ; 2*d <= r.width; d *= 2 {
		k.b.Each(k.b.Int(0), k.b.Wrap(num.Add, slots, k.b.Int(r.width-2*d)), func(t kernel.Value) {
			k.b.Store(other, t, k.joined(r, first, t, d))
		})
		first, other = other, first
	}
	return func(slot kernel.Value) []kernel.Value {
		if d == r.width {
			return []kernel.Value{k.b.Load(first, slot)}
		}
		return []kernel.Value{k.joined(r, first, slot, r.width-d)}
	}
}

// single is what is folded for place t of the grain.
func (k *kern) single(r *rolled, i, t kernel.Value) kernel.Value {
	body := &r.in.Blocks[0]
	place := k.b.Wrap(num.Add, k.lo, t)
	to := map[kernel.Value]kernel.Value{}
	for x := range body.Instrs {
		if in := &body.Instrs[x]; isSum(in, i, body.Params[0]) {
			to[in.Out[0]] = place
			continue
		}
		k.b.Copy(body.Instrs[x:x+1], to)
	}
	return kernel.Replaced(body.Results, to)[0]
}

// joined is what places t and t + d stand for together.
func (k *kern) joined(r *rolled, region int, t kernel.Value, d int64) kernel.Value {
	return k.b.Wrap(r.acc.Op.Scalar(), k.b.Load(region, t), k.b.Load(region, k.b.Wrap(num.Add, t, k.b.Int(d))))
}

// runningSums stores at t what all places before t make together; what it gives is the difference of two of them.
func (k *kern) runningSums(r *rolled, i kernel.Value, places size.Poly, slots kernel.Value) func(slot kernel.Value) []kernel.Value {
	var regions []int
	var carry []kernel.Carry
	var none []kernel.Value
	for w, kind := range r.acc.Outs() {
		regions = append(regions, k.scratchOf(kind, places))
		carry = append(carry, kernel.Carry{Kind: kind})
		none = append(none, k.b.Const(kind, r.acc.Op.Identity(r.acc.Kind, 0)[w]))
		k.b.Store(regions[w], k.b.Int(0), none[w])
	}
	end := k.b.Wrap(num.Add, slots, k.b.Int(r.width-1))
	k.b.For(k.b.Int(0), end, carry, none, func(t kernel.Value, sum []kernel.Value) ([]kernel.Value, kernel.Value) {
		next := k.added(r.acc, sum, k.single(r, i, t))
		for w, region := range regions {
			k.b.Store(region, k.b.Wrap(num.Add, t, k.b.Int(1)), next[w])
		}
		return next, kernel.None
	})
	return func(slot kernel.Value) []kernel.Value {
		var at, after []kernel.Value
		for _, region := range regions {
			at = append(at, k.b.Load(region, slot))
			after = append(after, k.b.Load(region, k.b.Wrap(num.Add, slot, k.b.Int(r.width))))
		}
		return k.takenAway(r.acc, after, at)
	}
}

// added is a sum of one word, or two, with x.
func (k *kern) added(acc kernel.Acc, sum []kernel.Value, x kernel.Value) []kernel.Value {
	if acc.Op != num.FoldAddWide {
		return []kernel.Value{k.b.Wrap(acc.Op.Scalar(), sum[0], x)}
	}
	low, high := k.addWide(acc.Kind, x, sum[0], sum[1])
	return []kernel.Value{low, high}
}

// takenAway is a sum without a part of it.
func (k *kern) takenAway(acc kernel.Acc, sum, part []kernel.Value) []kernel.Value {
	if acc.Op == num.FoldXor {
		return []kernel.Value{k.b.Wrap(num.Xor, sum[0], part[0])}
	}
	rest := k.b.Wrap(num.Sub, sum[0], part[0])
	if acc.Op != num.FoldAddWide {
		return []kernel.Value{rest}
	}
	borrow := k.b.Convert(k.b.Wrap(num.Lt, sum[0], part[0]), num.I64, false)
	return []kernel.Value{rest, k.b.Wrap(num.Sub, k.b.Wrap(num.Sub, sum[1], part[1]), borrow)}
}
