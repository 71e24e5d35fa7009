package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// fresh is where the second tier's kernels are counted from, so that none was seen by
// the first tier's.
const fresh = 1 << 20

// tiers measures what the second tier costs a kernel that nobody has seen, when its
// native code is there, and how soon after a second start.
func (s *session) tiers(ctx context.Context, both *fleet) error {
	native := &ready{program: []string{s.opt.Program, "codegen-child"}, dir: s.path("native")}
	defer native.close()
	info, err := native.start(ctx)
	if errors.Is(err, codegen.ErrMissing) {
		s.note("There is no libLLVM 19 here, so there is no second tier.")
		return nil
	} else if err != nil {
		return err
	}
	s.note(fmt.Sprintf("Native code by LLVM %s for %s.", info.Version, info.Host.CPU))
	alone, err := s.startFleetAs(ctx, "alone", []string{"GODWIT_LLVM=off"}, 1)
	if err != nil {
		return err
	}
	defer alone.close()
	if err := alone.load(ctx, "x", firstRows); err != nil {
		return err
	}
	with, without := &newKernels{c: both.c, set: "x", count: fresh}, &newKernels{c: alone.c, set: "x", count: fresh}
	if err := s.holdMany(ctx, Contest{Name: "kernel never seen, two tiers", Unit: "ms", Ours: with.next, Against: "WebAssembly alone", Reference: without.next}); err != nil {
		return err
	}
	native.kernels = &newKernels{c: both.c, set: "x", count: 2 * fresh}
	if err := s.holdMany(ctx, Contest{Name: "native code of a new kernel, from asking", Unit: "ms", Ours: native.compile}); err != nil {
		return err
	}
	if err := native.again(ctx); err != nil {
		return err
	}
	return s.holdMany(ctx, Contest{Name: "native code after a second start, from disk", Unit: "ms", Ours: native.load})
}

// ready has kernels compiled by an engine of this process.
type ready struct {
	program []string
	dir     string
	service *codegen.Service
	engine  *engine.Engine
	kernels *newKernels
	done    []*kernel.Kernel
}

// start is a first or a second life of the engine.
func (r *ready) start(ctx context.Context) (*codegen.Info, error) {
	r.service = codegen.New(codegen.Options{Program: r.program, Dir: r.dir})
	info, err := r.service.Info(ctx)
	if err != nil {
		return nil, err
	}
	r.service.Warm()
	r.engine, err = engine.New(engine.Options{Codegen: r.service})
	return info, err
}

func (r *ready) close() {
	if r.engine != nil {
		_ = r.engine.Close()
	}
	_ = r.service.Close()
}

func (r *ready) again(ctx context.Context) error {
	r.close()
	_, err := r.start(ctx)
	return err
}

// compile is the time from asking for native code of a kernel that runs in WebAssembly
// to its being used.
func (r *ready) compile(ctx context.Context) (time.Duration, []float64, error) {
	k, err := r.kernels.kernel()
	if err != nil {
		return 0, nil, err
	}
	c, err := r.engine.Kernel(ctx, k)
	if err != nil {
		return 0, nil, err
	}
	start := time.Now()
	err = r.engine.Promote(ctx, c)
	r.done = append(r.done, k)
	return time.Since(start), nil, err
}

// load is the time from having a verified kernel to native code that an earlier life
// left on disk.
func (r *ready) load(ctx context.Context) (time.Duration, []float64, error) {
	if len(r.done) == 0 {
		return 0, nil, errors.New("more kernels are to be loaded than were compiled")
	}
	k := r.done[0]
	r.done = r.done[1:]
	c, err := r.engine.Kernel(ctx, k)
	if err != nil {
		return 0, nil, err
	}
	if c.Tier() != engine.Native {
		return 0, nil, fmt.Errorf("kernel %s was not on disk", c.Hash.Short())
	}
	return c.Times.Compile, nil, nil
}

// kernel is the next new program's first kernel.
func (k *newKernels) kernel() (first *kernel.Kernel, err error) {
	plan, done, err := k.plan()
	if err != nil {
		return nil, err
	}
	defer done()
	schedule.Launches(plan.Schedule.Steps, func(l *schedule.Launch) {
		if first == nil {
			first = l.Kernel
		}
	})
	return first, nil
}
