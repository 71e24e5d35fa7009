package run

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a program that does something by one thread that several can share, such as a sort, or that holds maps which could be computed
// again, and a run of it. Out: whether the run goes by the schedule in which that is so: by what both are expected to take, and where a
// program runs again and again, by what they took. Invariant: the two give the same.

// pair is another program, and which of the two runs have gone by.
type pair struct {
	other

	found engine.Recent[rivals]
	spent atomic.Int64 // nanoseconds of runs by the program itself
}

// dear is what it would take to make the other program, in nanoseconds, as far as runs have not taken as long; 0 if it is there.
func (s *pair) dear(p *Program) float64 {
	if s.other.p.Load() != nil {
		return 0
	}
	return max(0, float64(p.s.Took)-float64(s.spent.Load()))
}

// Dear is what it would take to make the schedule in which threads share; see plan.Options.Lowered.
func (p *Program) Dear() float64 { return p.sharing.dear(p) }

// rivals are the two ways of runs that look the same: by the program itself, and by another.
type rivals struct {
	machine *machine.Machine
	tier    engine.Tier
	threads int
	sizes   map[string]int64

	open     bool // the other way might take less, too
	early    bool // when they were weighed, to make the other one would have taken too long
	expected int  // the way that is expected to

	mu   sync.Mutex
	runs [2]int
	took [2]time.Duration // the shortest
}

// turns is how many runs go one way before the other has a turn, the first of which is slower than those that follow.
const turns = 4

// next is the way of the next run: the one that took less, as far as both had a turn. The other has one more whenever there are twice as many runs,
// since it may run on better code by then. It has one at a time: whoever waits for answers does not wait for several that are slow.
func (v *rivals) next() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	first, other := v.expected, 1-v.expected
	switch {
	case !v.open || v.runs[first] < turns:
		return first
	case v.runs[other] > 0 && v.took[other] < v.took[first]:
		first, other = other, first
	}
	if v.runs[first]>>min(v.runs[other], 60) >= turns {
		return other
	}
	return first
}

// ran notes what a run took.
func (v *rivals) ran(way int, took time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.runs[way]++; v.runs[way] == 1 || took < v.took[way] {
		v.took[way] = took
	}
}

// rival is the program that the run goes by in place of p, and whom to tell what it took; nil if it goes by p and nobody asks.
func (p *Program) rival(in *Inputs, opt *Options) (*Program, func(time.Duration), error) {
	switch {
	case opt.Beside != nil:
		return nil, nil, nil
	case p.s.Shared != nil && opt.Threads > 1:
		if opt.Stretch > 0 || opt.Shared {
			other, err := p.sharing.prepare(p.s.Shared)
			return other, nil, err
		}
		return p.sharing.next(p, p.s.Shared, in, opt, func(by plan.Options) (share, close bool, err error) {
			if opt.Engine != nil && opt.Engine.Promotes() {
				by.Engine = "auto" // as whoever lists the plans has it
			}
			if share, close, err = plan.Shares(p.s, in.Sizes, by); err != nil || !share && !close {
				return false, false, err
			}
			fits, err := p.fitsShared(in, opt)
			return share && fits, close && fits, err
		})
	case p.s.Again != nil && opt.Spool == nil && in.long() && p.best(opt) == engine.Native:
		return p.again.next(p, p.s.Again, in, opt, func(by plan.Options) (again, close bool, err error) {
			lean, err := p.again.prepare(p.s.Again)
			if err != nil {
				return false, false, err
			}
			by.Past = plan.Past{} // of which one may be known and the other not
			return plan.Quicker(p.s, lean.s, in.Sizes, by)
		})
	}
	return nil, nil, nil
}

// longFrom is from how many elements on an array may be longer than the caches.
const longFrom = 1 << 20

// long reports that some array may be longer than the caches.
func (in *Inputs) long() bool {
	for _, n := range in.Sizes {
		if n >= longFrom {
			return true
		}
	}
	return false
}

// next is the program of the next run.
func (s *pair) next(p *Program, lower func() (*schedule.Schedule, error), in *Inputs, opt *Options, weigh func(plan.Options) (other, close bool, err error)) (*Program, func(time.Duration), error) {
	v, err := s.rivals(p, in, opt, weigh)
	if err != nil {
		return nil, nil, err
	}
	way := v.next()
	tell := func(took time.Duration) {
		if v.ran(way, took); way == 0 {
			s.spent.Add(int64(took))
		}
	}
	if way == 0 {
		return nil, tell, nil
	}
	other, err := s.prepare(lower)
	return other, tell, err
}

// shares has the program in which threads share made, if there is one.
func (p *Program) shares() {
	if p.s.Shared != nil {
		_, _ = p.sharing.prepare(p.s.Shared) // a run will tell of an error
	}
}

// rivals finds the two ways of a run. Kernels are verified once for all runs.
func (s *pair) rivals(p *Program, in *Inputs, opt *Options, weigh func(plan.Options) (other, close bool, err error)) (*rivals, error) {
	tier := p.best(opt)
	v := s.found.Find(func(o *rivals) bool {
		return o.machine == opt.Machine && o.tier == tier && o.threads == opt.Threads && maps.Equal(o.sizes, in.Sizes)
	})
	dear := s.dear(p)
	if v != nil && (!v.early || dear > 0) {
		return v, nil
	}
	by := p.foreseen(in, opt)
	by.Engine, by.Lowered = string(tier), dear
	other, close, err := weigh(by)
	if err != nil {
		return nil, err
	}
	v = &rivals{machine: opt.Machine, tier: tier, threads: opt.Threads, sizes: maps.Clone(in.Sizes), open: close, early: dear > 0 && !other && !close}
	if other {
		v.expected = 1
	}
	s.found.Add(v)
	return v, nil
}

// fitsShared reports that what threads share fits into memory: a part is there as a whole, where one thread may go through its
// argument in windows.
func (p *Program) fitsShared(in *Inputs, opt *Options) (bool, error) {
	shared, err := p.sharing.prepare(p.s.Shared)
	if err != nil {
		return false, err
	}
	return shared.Peak(in.Sizes, nil).Bytes <= float64(opt.room()), nil
}

// best is what the kernels run on: native code where one that reads the arguments has it.
func (p *Program) best(opt *Options) engine.Tier {
	if opt.Engine == nil {
		return opt.Tier
	}
	if c, ok := p.kernels[0].lookup(opt.Engine); ok && c.Tier() == engine.Native {
		return engine.Native
	}
	return opt.Engine.Tier()
}
