// Package run executes schedules over files and memory: it decides for every
// launch which inputs lie in kernel memory as a whole and which pass through
// it in windows, and keeps all threads at work.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// Options are the choices of a run; zero values mean the defaults.
type Options struct {
	Threads int            // GOMAXPROCS; see the function
	Engine  *engine.Engine // one of the run's own
	Tier    engine.Tier    // of the run's own engine
	// Resident limits the bytes of whole arguments and intermediate results
	// that are in memory at once. By default they are 2.5 GiB in the arena and, for
	// native code, what the machine has beside it.
	Resident int64
	beyond   bool
	// Windows limits the bytes of decoded windows; 256 MiB. A single chunk
	// of a file may exceed it.
	Windows int64
	// Room, if set, gives memory for what RunPiece gives, of so many bytes.
	Room func(bytes int) []byte
	// WindowRows is the number of rows in a window; by size if 0.
	WindowRows int64
	// Stretch, if set, has launches that carry state by a law run in stretches of so many outer indices on all threads,
	// and what threads can share shared, whatever the plan says.
	Stretch int64
	// Shared has launches that can be shared run on all threads, whatever the plan says.
	Shared bool
	// Weave, if not 0, is how many iterations that follow references native code has under way at the same time, whatever the plan
	// says; WebAssembly then has them go on in step. Below 0 they run one after the other.
	Weave int
	// Going, if set, is what was decided that the run goes by: see Program.Going.
	Going *Going
	// Again has what could be held computed again by all who need it, whatever the plan says.
	Again bool
	// Progress, if set, is told now and then how many of the rows that pass
	// through in windows are done. Calls do not overlap.
	Progress func(done, total int64)
	// Beside, if set, may take over launches whose inputs lie elsewhere.
	Beside Beside
	// Claim, if set, is the run's part in the processors, which others use too.
	Claim *engine.Claim
	// Spool, if set, takes columns of the result that have at least SpoolFrom bytes, 64 MiB if that is 0.
	Spool     Spool
	SpoolFrom int64
	// Machine is what launches are planned for; that which the process runs on, as far as it was measured.
	Machine *machine.Machine
	// Seen, if set, is what earlier runs of kernels took.
	Seen *seen.Memory
	// Limits are what a kernel may cost; those of package verify if zero.
	Limits engine.Limits
}

// MostResident is the default of Options.Resident.
const MostResident = 5 << 29

func (o Options) withDefaults() Options {
	o.Threads = Threads(o.Threads)
	if o.beyond = o.Resident <= 0; o.beyond {
		o.Resident = MostResident
	}
	if o.Machine == nil {
		o.Machine = machine.Here()
	}
	if o.Windows <= 0 {
		o.Windows = 256 << 20
	}
	if o.SpoolFrom <= 0 {
		o.SpoolFrom = spoolFrom
	}
	return o
}

// Result is what a run gives: the columns of the result in the order of
// graph.Leaves.
type Result struct {
	Columns []column.Column
	Stats   Stats

	results *mem.Results // of the engine that ran it
	owned   [][]byte     // memory of columns, for Close
}

// Stats tells what a run did.
type Stats struct {
	Seconds   float64
	BytesRead int64 // from files and from memory outside the engine's
	Threads   int
	Schedule  *schedule.Schedule // that it went by
	Launches  []LaunchStats      // one per launch of that, in order
	// Parts are what data has decided of: by plan.OfLoop and plan.OfSize, which part of the turns a loop had that it could have, and of its
	// greatest value a size. Nil if there is nothing of that.
	Parts map[string]float64
	// Decoded is what was decoded of arguments; nil if there was nothing.
	Decoded []Decoded
	// First says that the run before was on another engine, or there was none: kernels were made ready beside its launches.
	First bool
}

// LaunchStats sums up all runs of one launch.
type LaunchStats struct {
	Label  string
	Hash   kernel.ID
	Name   string      // Hash as text
	Bytes  int         // the kernel's length
	Tier   engine.Tier // that its last slice ran on; "" if none ran here
	Runs   int64
	Beside int64 // of these runs, those that Options.Beside took over
	Slices int64
	Native int64 // of these slices, those that ran as native code
	// Stepped are those of the runs that were interpreted, if not as a whole, and SteppedSeconds what that took.
	Stepped        int64
	SteppedSeconds float64
	stepped        bool // so was some part of the present run
	Threads        int  // the most of a run here
	// Totals is the kernel that went ahead of the last run here, so that threads could carry state; none if it is "".
	Totals string
	// Weave is how many iterations that follow references were under way at the same time in the last run here.
	Weave   int
	Seconds float64
	Compile float64 // of these seconds, those in which the kernel was made ready
	Decoded float64 // of these seconds, those in which arguments were decoded, about
	Crowded float64 // of these seconds, those in which native code was made, of any kernel
	// Sizes and Scalars are the arguments of a run, for a launch that takes at least Telling; a scalar that may differ from
	// run to run is not in Lasts.
	Sizes   []int64
	Scalars []uint64
	Lasts   []bool
	// Expected is what the last run here was expected to take, and Took what it did, without what went before it, in seconds; zero
	// where nothing was expected.
	Expected machine.Spread
	Took     float64
	// Paces are the seconds that a run takes at the pace of the slices of each tier, where the last run here went over from one to the other.
	Paces map[engine.Tier]float64
}

// Telling is from how many seconds on a launch's time tells of its kernel.
const Telling = seen.Least * 1e-9

// FaultError is a fault of the program: the first site (see
// schedule.Schedule.FirstFault), and there the least
// place.
type FaultError struct {
	Site  int
	Index int64 // -1 when the fault has no place
}

func (e *FaultError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("fault at site %d", e.Site)
	}
	return fmt.Sprintf("fault at site %d, element %d", e.Site, e.Index)
}

// Run executes the program. The inputs stay open and unchanged. If other runs have the
// engine's memory it begins anew when one of them has ended.
func (p *Program) Run(ctx context.Context, in *Inputs, opt Options) (res *Result, err error) {
	start := time.Since(began)
	opt = opt.withDefaults()
	going, err := p.going(in, &opt)
	if err != nil {
		return nil, err
	}
	p, other, tell := going.own, going.other, going.tell
	ran := p
	if other == nil {
		res, err = p.execute(ctx, in, &opt)
	} else {
		ran = other
		res, err = other.execute(ctx, in, &opt)
		if full := (*SpaceError)(nil); errors.As(err, &full) && opt.Spool == nil { // by one thread it may take less memory
			ran = p
			res, err = p.execute(ctx, in, &opt)
		}
	}
	if err == nil {
		took := time.Since(began) - start
		if res.Stats.Seconds = took.Seconds(); tell != nil {
			tell(took)
		}
		res.Stats.First = ran.last.Load() != opt.Engine && ran.last.Swap(opt.Engine) != opt.Engine
	}
	return res, err
}

// began is what durations are counted from: time.Now takes twice as long as time.Since, since it looks at two clocks.
var began = time.Now()

func (p *Program) execute(ctx context.Context, in *Inputs, opt *Options) (*Result, error) {
	if opt.Engine == nil {
		return p.attempt(ctx, in, opt)
	}
	return p.attempts(ctx, in, opt)
}

// attempts executes the program in an engine that others use as well.
func (p *Program) attempts(ctx context.Context, in *Inputs, opt *Options) (*Result, error) {
	stay := opt.Engine.Enter()
	defer opt.Engine.Leave()
	if res, done, err := p.short(ctx, in, opt); done {
		return res, err
	}
	for whole := false; ; { // the arena, with no hole that a spare span keeps
		res, err := p.attempt(ctx, in, opt)
		full := (*SpaceError)(nil)
		if !errors.As(err, &full) || !full.Crowded || opt.Spool != nil { // what was written to a file stays there
			return res, err
		}
		next, others, ended := opt.Engine.Again(ctx, stay)
		switch {
		case ended != nil:
			return nil, fmt.Errorf("%w, while others had the memory: %w", ended, err)
		case !others && whole:
			return nil, err
		}
		stay, whole = next, !others
		opt.Engine.Arena().DropSpare()
	}
}

// attempt executes the program as long as there is memory.
func (p *Program) attempt(ctx context.Context, in *Inputs, opt *Options) (res *Result, err error) {
	r, err := newRunner(ctx, p, in, *opt)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := r.close(); err == nil && cerr != nil {
			res, err = nil, cerr
		}
	}()
	if err := r.steps(p.s.Steps, p.dies); err != nil {
		return nil, r.cause(err)
	}
	p.remember(r)
	if f := r.fault(); f != nil {
		return nil, cmp.Or(r.unchanged(), error(f))
	}
	if res, err = r.result(); err == nil {
		err = r.unchanged()
	}
	if err != nil {
		return nil, r.cause(err)
	}
	return res, nil
}
