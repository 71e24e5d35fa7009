package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a loop with a fixed number of iterations, such as a search that takes as many steps as the longest array needs. Out: the
// condition after which the iterations that are left change nothing.
//
//	for … carry c { if going(c) { c = next(c) } }
//
// Invariant: the condition follows from what is carried alone. Once it is false, nothing changes what is carried, so it stays
// false; and such an iteration has no effect and meets no fault. Whoever ends the loop there gets the same.

// Going gives the value in a loop's body that is false in an iteration which changes nothing, as none after it does. It reports
// false if the loop has none.
func (a *Analysis) Going(in *kernel.Instr) (kernel.Value, bool) {
	if in.Code != kernel.For || in.Stop || len(in.Carry) == 0 {
		return kernel.None, false
	}
	b := &in.Blocks[0]
	at := slices.IndexFunc(b.Instrs, func(x kernel.Instr) bool { return x.Code == kernel.If })
	if at < 0 || !a.keeps(b, &b.Instrs[at]) {
		return kernel.None, false
	}
	going := b.Instrs[at].Args[0]
	_, pure := a.pureChain(going, b, nil)
	return going, pure && going > b.Params[0] && !dependents(b, b.Params[:1])[going]
}

// keeps reports that a body has no effects but in one arm of a branch, whose other arm leaves what is carried as it is.
func (a *Analysis) keeps(b *kernel.Block, branch *kernel.Instr) bool {
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in != branch && effectful(in) {
			return false
		}
	}
	rest := &branch.Blocks[1]
	for i := range rest.Instrs {
		if effectful(&rest.Instrs[i]) {
			return false
		}
	}
	for j, v := range b.Results {
		own := b.Params[1+j]
		if out := slices.Index(branch.Out, v); out >= 0 {
			v = rest.Results[out]
		}
		if v != own {
			return false
		}
	}
	return true
}

// effectful reports that an instruction, or one inside, stores or may note a fault.
func effectful(in *kernel.Instr) (found bool) {
	in.Each(func(in *kernel.Instr) { found = found || HasEffect(*in) && in.Code != kernel.Load })
	return found
}
