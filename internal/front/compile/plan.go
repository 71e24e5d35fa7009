package compile

import (
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/run"
)

// Plan is what package run needs: a schedule and its inputs.
type Plan struct {
	Schedule *schedule.Schedule
	Program  *run.Program // of Schedule
	Inputs   *run.Inputs
	bound    *Bound // nil where arguments are like earlier ones
}

// InMemory reports that all arguments are known to lie in memory.
func (p *Plan) InMemory() bool { return p.bound == nil }

// General is the schedule for sizes that are not few; nil if Schedule is that, too.
func (p *Plan) General() *schedule.Schedule {
	if p.bound == nil {
		return nil
	}
	opt := p.bound.options()
	if !opt.Short && !opt.Brief {
		return nil
	}
	opt.Short, opt.Brief = false, false
	if l, err := p.bound.Func.lower(opt); err == nil {
		return l.schedule
	}
	return nil // Schedule is what there is
}

// Plan lowers the function for these arguments and checks that every column
// that it uses is there and of a type that converts.
func (b *Bound) Plan() (p *Plan, err error) {
	if b.made != nil {
		return b.made, nil
	}
	defer caught(nil, &err)
	if b.plan, err = b.lower(); err != nil {
		return nil, err
	}
	in := &run.Inputs{Sizes: b.sizes.known, Params: make([]run.Param, len(b.params))}
	for i := range b.params {
		if in.Params[i], err = b.input(i, b.plan.used[i]); err != nil {
			return nil, err
		}
	}
	b.made = &Plan{b.plan.schedule, b.plan.program, in, b}
	if b.shapes != nil {
		b.remember()
	}
	return b.made, nil
}

// input gives the columns of a parameter; those that are used are checked.
func (b *Bound) input(i int, used []bool) (run.Param, error) {
	name := b.Func.info(i).Name
	param := run.Param{Name: name, Leaves: make([]run.Binding, 0, len(used))}
	for j, l := range b.Func.leaves[i] {
		from := b.params[i][j]
		switch {
		case len(l.Dims) == 0:
			param.Leaves = append(param.Leaves, run.Scalar(from.bits))
			continue
		case !used[j]:
			param.Leaves = append(param.Leaves, run.Binding{})
			continue
		}
		if err := b.checkUsed(l, from); err != nil {
			return param, about(name, err)
		}
		param.Leaves = append(param.Leaves, run.Binding{Source: from.src, Column: from.column, Option: from.option, Presence: from.presence, Blanks: from.blanks})
	}
	return param, nil
}

// checkUsed reports what is wrong with a column that is used.
func (b *Bound) checkUsed(l graph.Leaf, from leaf) error {
	if from.missing != nil || from.presence {
		return from.missing
	}
	return data.Check(from.src, []data.Want{{Column: from.column, Kind: b.stored(l, from), Option: from.option, Blanks: from.blanks}})
}

// stored is the kind in which a column will be in memory: an index stays in
// whatever integer kind it is stored.
func (b *Bound) stored(l graph.Leaf, from leaf) num.Kind {
	if l.Type.Kind == graph.Index && from.src != nil && from.missing == nil {
		if k := from.src.Columns()[from.column].Kind; k.IsInt() {
			return k
		}
	}
	return l.Type.KindOf()
}

func (b *Bound) lower() (*lowered, error) { return b.Func.lower(b.options()) }

// options are what lowering depends on besides the graph.
func (b *Bound) options() lower.Options {
	stored := func(param, j int) num.Kind {
		return b.stored(b.Func.leaves[param][j], b.params[param][j])
	}
	nonZero := func(name string) bool { n, _ := b.sizes.value(name); return n > 0 }
	return lower.Options{Stored: stored, NonZero: nonZero, Short: b.within(lower.ShortSlots), Brief: b.within(lower.BriefSlots), Verify: verify.Check, Partials: b.remote()}
}

// within reports that no size and no column is longer.
func (b *Bound) within(most int64) bool {
	few := func(p size.Poly) bool { n, ok := b.sizes.eval(p); return ok && n <= most }
	for _, s := range b.Func.Graph.Sizes {
		if !few(size.Var(s.Name)) {
			return false
		}
	}
	for _, leaves := range b.Func.leaves {
		for _, l := range leaves {
			volume := size.Const(1)
			for _, d := range l.Dims {
				volume = volume.Mul(d)
			}
			if !few(volume) {
				return false
			}
		}
	}
	return true
}

// remote reports that an argument lies on other machines.
func (b *Bound) remote() bool {
	for _, p := range b.params {
		for _, l := range p {
			if remote(l.src) {
				return true
			}
		}
	}
	return false
}

// remote reports a source that lies on other machines.
func remote(src data.Source) bool {
	_, ok := src.(run.Remote)
	return ok
}

// newLowered finds out which inputs a schedule reads, and makes the buffers
// of the others no inputs any more.
func newLowered(g *graph.Graph, s *schedule.Schedule) *lowered {
	l := &lowered{schedule: s}
	for _, p := range g.Body.Params {
		l.used = append(l.used, make([]bool, len(graph.Leaves(p.Type))))
	}
	for _, in := range dropUnread(s) {
		l.used[in.Param][in.Leaf] = true
	}
	l.program = run.Prepare(s)
	return l
}

// dropUnread makes the buffers of inputs that a schedule does not read no inputs any more, and gives the others.
func dropUnread(s *schedule.Schedule) (used []*schedule.Input) {
	reads := readBuffers(s)
	for i := range s.Buffers {
		in := s.Buffers[i].Input
		switch {
		case in == nil:
		case reads[i]:
			used = append(used, in)
		default:
			s.Buffers[i].Input = nil
		}
	}
	return used
}

// readBuffers marks every buffer that any step speaks of.
func readBuffers(s *schedule.Schedule) []bool {
	read := make([]bool, len(s.Buffers))
	schedule.Uses(s.Steps, func(b int, _ schedule.Use) { read[b] = true })
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		for _, p := range l.Pruning {
			read[p.Buffer] = true
		}
	})
	for _, c := range s.Result {
		read[c.Buffer] = true
	}
	return read
}
