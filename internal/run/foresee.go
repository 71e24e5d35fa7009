package run

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
)

// In: a run that has not begun. Out: which of the programs that give the same it goes by, and what package plan has to know to say how long each
// takes. Invariant: who decides for a run and who says beforehand what it takes know the same, so that they expect the same.

// Going is what a run goes by.
type Going struct {
	own, other *Program // other in place of own, if it is not nil
	tell       func(time.Duration)
}

// Schedule is the one that the run goes by, as long as there is memory for it.
func (g *Going) Schedule() *schedule.Schedule {
	if g.other != nil {
		return g.other.s
	}
	return g.own.s
}

// Going decides what a run goes by. Options.Going has a run keep to it.
func (p *Program) Going(in *Inputs, opt Options) (*Going, error) {
	opt = opt.withDefaults()
	g, err := p.going(in, &opt)
	return &g, err
}

func (p *Program) going(in *Inputs, opt *Options) (g Going, err error) {
	if opt.Going != nil {
		return *opt.Going, nil
	}
	if g.own, err = p.leaner(in, opt); err == nil {
		g.other, g.tell, err = g.own.rival(in, opt)
	}
	return g, err
}

// Foreseen is what package plan has to know of a run: of the code that is there, of what earlier runs took, and of where arguments lie. The engine is
// for the caller to name.
func (p *Program) Foreseen(in *Inputs, opt Options) plan.Options {
	opt = opt.withDefaults()
	return p.foreseen(in, &opt)
}

func (p *Program) foreseen(in *Inputs, opt *Options) plan.Options {
	out := plan.Options{Machine: opt.Machine, Threads: opt.Threads, Most: max(opt.Threads, Threads(0)), Reach: MostResident, Lowered: p.Dear(), Places: in.place,
		Encoded: (&foreseer{in: in, have: map[asked]ruling{}}).encoded, Column: in.glances(), Scalar: in.scalar, Past: plan.Past{Seen: opt.Seen, Program: p.ID, Name: p.Name, Data: in.Name()}}
	if e := opt.Engine; e != nil {
		tiers := &tiers{p: p, e: e, kept: map[*schedule.Launch]bool{}}
		out.Cold = !e.Compiles()
		out.Kept = e.Results().Has
		out.Trial = e.Tries()
		out.Ready = func(l *schedule.Launch) bool { return tiers.of(l) != "" }
		out.Unrun = func(l *schedule.Launch) bool { return p.Compiled(e, l) == "" }
		out.Native = func(l *schedule.Launch) bool { return tiers.of(l) == engine.Native }
	}
	return out
}

// tiers are on what kernels begin. Whether native code lies on disk is looked up once.
type tiers struct {
	p    *Program
	e    *engine.Engine
	mu   sync.Mutex
	kept map[*schedule.Launch]bool
}

// of is the tier that a launch's kernel begins on; "" if it is still to be made for the engine.
func (t *tiers) of(l *schedule.Launch) engine.Tier {
	if tier := t.p.Compiled(t.e, l); tier != "" {
		return tier
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, known := t.kept[l]
	if !known {
		safe, err := t.p.code(l).proof()
		kept = err == nil && t.e.Kept(safe)
		t.kept[l] = kept
	}
	if kept {
		return engine.Native
	}
	return ""
}

// Name names what the inputs are: the files or data sets, and their columns.
func (in *Inputs) Name() string {
	var b strings.Builder
	for i := range in.Params {
		for j := range in.Params[i].Leaves {
			if l := &in.Params[i].Leaves[j]; l.Source != nil {
				fmt.Fprintf(&b, "%q %q;", l.Source.Path(), l.Source.Columns()[l.Column].Name)
			}
		}
	}
	return b.String()
}

// binding is where an input comes from; false if nothing says.
func (in *Inputs) binding(at *schedule.Input) (*Binding, bool) {
	if at.Param >= len(in.Params) || at.Leaf >= len(in.Params[at.Param].Leaves) {
		return nil, false
	}
	b := &in.Params[at.Param].Leaves[at.Leaf]
	return b, b.Source != nil
}

// Away reports that an input lies in a data set.
func (in *Inputs) Away(at *schedule.Input) bool {
	b, ok := in.binding(at)
	if !ok {
		return false
	}
	_, away := b.Source.(Remote)
	return away
}

// place is where an argument lies: in files, if it is used as these have it.
func (in *Inputs) place(at *schedule.Input) cost.Place {
	b, ok := in.binding(at)
	if !ok || in.Away(at) || !data.Plainly(b.Source, b.Column) {
		return cost.Resident
	}
	if raw, ok := b.Source.Raw(b.Column); raw.File != nil || !ok { // of one file, or of several
		return cost.File
	}
	return cost.Resident
}

// encoded says how an input is stored that has to be decoded; false of others, and where nobody knows.
func (in *Inputs) encoded(at *schedule.Input) (e plan.Encoded, ok bool) {
	b, ok := in.binding(at)
	if !ok || data.Plainly(b.Source, b.Column) {
		return e, false
	}
	e.Source = b.Source
	e.Stored, ok = data.StoredOf(b.Source, b.Column)
	e.Chunks = len(b.Source.Chunks())
	return e, ok
}

// Foreseeable reports that it is known how all inputs get here that a schedule reads; form says whether it is known what a form of files takes.
func (in *Inputs) Foreseeable(s *schedule.Schedule, form func(name string) bool) bool {
	for i := range s.Buffers {
		at := s.Buffers[i].Input
		if at == nil || in.Away(at) {
			continue
		}
		if b, ok := in.binding(at); !ok || data.Plainly(b.Source, b.Column) {
			continue
		}
		if e, ok := in.encoded(at); !ok || !form(e.Form) {
			return false
		}
	}
	return true
}

// scalar is the value of an argument that is one.
func (in *Inputs) scalar(a *schedule.ScalarArg) (int64, bool) {
	if a.From != schedule.FromParam {
		return 0, false
	}
	b := in.Params[a.Param].Leaves[a.Leaf]
	return int64(b.Bits), b.Source == nil
}

// glances says what is known of the numbers of inputs; each is looked at once.
func (in *Inputs) glances() func(of *schedule.Input) (data.Glance, bool) {
	type place struct{ param, leaf int }
	type found struct {
		data.Glance
		ok bool
	}
	var mu sync.Mutex
	have := map[place]found{}
	return func(of *schedule.Input) (data.Glance, bool) {
		l := &in.Params[of.Param].Leaves[of.Leaf]
		if l.Source == nil || l.Option || l.Presence {
			return data.Glance{}, false
		}
		mu.Lock()
		defer mu.Unlock()
		at := place{of.Param, of.Leaf}
		g, known := have[at]
		if !known {
			g.Glance, g.ok = data.GlanceAt(l.Source, l.Column)
			have[at] = g
		}
		return g.Glance, g.ok
	}
}
