package loops

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a loop. Out: whether an engine computes its iterations side by side, and how; or why not. It is asked of loops that are
// not themselves computed in the lanes of one around them.

// Plan says how iterations of a loop are computed side by side: which of the body's instructions all at once, and which
// afterwards, one lane after the other.
type Plan struct {
	Of     *Analysis
	In     *kernel.Instr // whose iterations they are
	Body   *kernel.Block
	Shapes []Shape
	Single map[*kernel.Instr]bool // of the body: one lane after the other
	Access []Access
	Meet   *Meetings // what is relied on of accesses to one region; nil for nothing
	// Reduced is what the loop carries, one for each value.
	Reduced []kernel.Acc
	// Prefixed is what the loop carries and uses in every iteration, one for each value.
	Prefixed []Prefix
	// Appended is what the loop appends where a condition holds; nil if it is no such loop.
	Appended *Appended
	// Lanes is how many iterations go side by side; 0 where the emitter decides.
	Lanes int
	// Width is the size of most values in lanes, in bytes.
	Width int
	Work  *Work
	// Check lists loops inside that must not have more than ShortEnough iterations, or the loop is better computed one
	// iteration after the other.
	Check []*kernel.Instr
	// Tile is the nest of which these are the columns, if it is computed in tiles.
	Tile *Tile
	// Turned is the nest of which this is the inner loop, if blocks of it are turned around.
	Turned *Turned

	depth int // of loops inside, at this point of the analysis
	why   Why
}

// Why is the reason for which a loop has no plan.
type Why string

// The reasons.
const (
	Fits      Why = "" // it has one
	Stops     Why = "an iteration may be the last"
	Carries   Why = "an iteration needs what the one before has left"
	Ordered   Why = "the order of the fold has no lanes"
	Few       Why = "it has too few iterations"
	Scattered Why = "nothing of it can be computed for several iterations at once"
	Little    Why = "too little of it can be computed for several iterations at once"
	Inner     Why = "a loop inside is better computed side by side itself"
	Alien     Why = "the engine has no vector code for all of it"
)

// Plan gives the plan for a loop; nil, and the reason, if there is none. It is safe for concurrent use, unless AtMost is written to.
func (a *Analysis) Plan(in *kernel.Instr) (*Plan, Why) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.plans[in]
	if p == nil || len(a.AtMost) > 0 {
		p = a.planOf(in)
	}
	if len(a.AtMost) == 0 {
		a.plans[in] = p
	}
	if p.why != Fits {
		return nil, p.why
	}
	return p, Fits
}

func (a *Analysis) planOf(in *kernel.Instr) *Plan {
	var p *Plan
	switch {
	case !a.Engine.Nests:
		p = a.straight(in)
	case in.Code == kernel.Fold:
		p = a.rows(in)
	default:
		if p = a.tiled(in); p.why != Fits {
			p = a.turned(in)
		}
		if p.why != Fits {
			p = a.nest(in)
		}
	}
	return p
}

func no(why Why) *Plan { return &Plan{why: why} }

// fewest is how many iterations a loop over straight code must have at least, if that is known.
const fewest = 8

// straight plans a loop for an engine that takes straight bodies only.
func (a *Analysis) straight(in *kernel.Instr) *Plan {
	switch {
	case in.Stop:
		return no(Stops)
	case len(in.Carry) > 0:
		return no(Carries)
	case in.Tree:
		return no(Ordered)
	case a.Short(in, fewest-1):
		return no(Few)
	}
	p := a.shaped(in, nil)
	switch {
	case len(p.Single) > 0 || !p.again():
		return no(Scattered)
	case a.Engine.Support != nil && !a.Engine.Support.Takes(p):
		return no(Alien)
	}
	return p
}

// again reports that iterations may be gone over once more for their faults: what they store they do not load.
func (p *Plan) again() bool {
	stored, loaded, faulty := map[int]bool{}, map[int]bool{}, false
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		switch in.Code {
		case kernel.Store:
			stored[in.Region] = true
		case kernel.Load:
			loaded[in.Region] = true
		}
		faulty = faulty || in.Site != kernel.NoSite
	}
	for r := range stored {
		if faulty && loaded[r] {
			return false
		}
	}
	return true
}

// examine finds what of a loop can be computed side by side.
func (a *Analysis) examine(in *kernel.Instr) *Plan {
	if in.Stop {
		return no(Stops)
	}
	if len(in.Carry) > 0 {
		if p := a.reduced(in); p.why == Fits {
			return p
		}
		if p := a.prefixed(in); p.why == Fits {
			return p
		}
		return a.planAppended(in)
	}
	if Innermost(&in.Blocks[0]) {
		if p := a.shaped(in, &Meetings{Closest: int64(a.Engine.MostLanes)}); len(p.Single) == 0 {
			return p
		}
	}
	p := a.shaped(in, nil)
	if len(p.Single) == len(p.Body.Instrs) {
		return no(Scattered)
	}
	return p
}

// reduced is for a loop that carries values. Elements that lie one behind the other must be among what it loads: to gather all
// takes as long as the loop itself.
func (a *Analysis) reduced(in *kernel.Instr) *Plan {
	accs, ok := reductions(in)
	if !ok || !Innermost(&in.Blocks[0]) || !a.Consecutive(in) {
		return no(Carries)
	}
	p := a.shaped(in, nil)
	if p.Reduced = accs; len(p.Single) > 0 {
		return no(Scattered)
	}
	return p
}

// prefixed is for a loop that carries values which every iteration uses. Elements that lie one behind the other must be among what
// it loads or stores.
func (a *Analysis) prefixed(in *kernel.Instr) *Plan {
	list, ok := a.prefixes(in)
	if !ok || !Innermost(&in.Blocks[0]) || !a.Consecutive(in) {
		return no(Carries)
	}
	p := a.shaped(in, nil)
	if p.Prefixed = list; len(p.Single) > 0 {
		return no(Scattered)
	}
	return p
}

// nest plans a For with loops inside run once for all lanes. What cannot be computed so is, one lane after the other, behind that.
func (a *Analysis) nest(in *kernel.Instr) *Plan {
	p := a.examine(in)
	if p.why != Fits || p.Appended != nil {
		return p
	}
	p.weigh()
	if w := p.Work; w.Data == 0 || len(p.Single) > 0 && !w.Loops && (w.Data < leastWork || p.dominated()) {
		return no(Little)
	}
	p.Lanes = p.lanes()
	check, ok := p.shortOnly()
	switch {
	case p.Lanes == 0:
		return no(Few)
	case !ok:
		return no(Inner)
	}
	p.Check = check
	return p
}

// rows plans a Fold over consecutive slots with a straight body.
func (a *Analysis) rows(in *kernel.Instr) *Plan {
	p := a.examine(in)
	switch {
	case p.why != Fits:
		return p
	case len(p.Single) > 0 || !Innermost(p.Body):
		return no(Scattered)
	}
	ordered := 0 // lanes of the narrowest kind in canonical order
	for _, acc := range in.Accs {
		if acc.Op.IsOrdered(acc.Kind) {
			ordered = max(ordered, lanesOf(acc))
		}
	}
	p.weigh()
	switch {
	case in.Tree && ordered > 0:
		return no(Ordered)
	case p.Work.Data == 0:
		return no(Little)
	}
	if p.Lanes = ordered; ordered == 0 {
		p.Lanes = p.unordered()
	}
	if p.Lanes == 0 || a.Short(in, int64(p.Lanes)-1) {
		return no(Few)
	}
	return p
}

// shortOnly lists the loops inside that would better be computed side by side themselves, if they are long; ok is false if they
// are.
func (p *Plan) shortOnly() (check []*kernel.Instr, ok bool) {
	ok = true
	for i := range p.Body.Instrs {
		if top := &p.Body.Instrs[i]; !p.Single[top] {
			top.Each(func(in *kernel.Instr) {
				if !IsLoop(in) {
					return
				}
				_, known := p.Of.Length(in)
				if !Innermost(&in.Blocks[0]) || !p.Of.Consecutive(in) || p.Of.Short(in, ShortEnough(in)) || known && p.Of.Short(in, WrittenOut) {
					return
				}
				check = append(check, in)
				first := p.Body.Params[0]
				ok = ok && in.Args[0] < first && in.Args[1] < first && !known
			})
		}
	}
	return check, ok
}

// dominated reports that the single instructions take the time, whatever else is computed side by side: a loop, or a chain from
// iteration to iteration.
func (p *Plan) dominated() bool {
	for in := range p.Single {
		loops := false
		in.Each(func(in *kernel.Instr) { loops = loops || IsLoop(in) })
		if loops {
			return true
		}
	}
	return p.Work.All() <= shadow && len(p.Of.Handed(p.In)) > 0
}
