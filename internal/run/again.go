package run

import (
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/plan"
)

// In: a run whose result goes to a file, of a program that holds maps because several walk over them. Out: the program that it goes
// by: that, or the one in which all who walk over them compute them, so that nothing as long as the result is in memory.
// Invariant: the two give the same.

// leaner is the program that a run goes by.
func (p *Program) leaner(in *Inputs, opt *Options) (*Program, error) {
	if p.s.Again == nil || opt.Beside != nil || opt.Spool == nil && !opt.Again {
		return p, nil
	}
	lean, err := p.again.prepare(p.s.Again)
	if err != nil {
		return nil, err
	}
	if opt.Again {
		return lean, nil
	}
	holds := p.Peak(in.Sizes, p.passes).Bytes
	saves := holds - lean.Peak(in.Sizes, lean.passes).Bytes
	if saves < float64(opt.SpoolFrom) {
		return p, nil
	}
	if holds > float64(opt.room()) {
		return lean, nil
	}
	tier := p.best(opt)
	if opt.Engine != nil && opt.Engine.Promotes() {
		tier = engine.Native // before long
	}
	by := p.foreseen(in, opt)
	by.Engine, by.Past = string(tier), plan.Past{} // of which one may be known and the other not
	pays, err := plan.Again(p.s, lean.s, in.Sizes, saves, by)
	if err == nil && pays {
		return lean, nil
	}
	return p, err
}

// Peak is the most memory that arrays take at a time; see plan.Lives.
func (p *Program) Peak(sizes map[string]int64, passes func(buffer int) bool) plan.Peak {
	p.living.Do(func() { p.lives = plan.LivesOf(p.s) })
	return p.lives.Peak(sizes, passes)
}

// passes reports that a buffer goes to a file part by part.
func (p *Program) passes(b int) bool { return p.about[b].spoolable }

// room is how many bytes a run may take.
func (o *Options) room() int64 {
	if o.beyond {
		return left()
	}
	return o.Resident
}
