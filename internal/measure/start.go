package measure

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/ir/num"
)

//go:embed peer/start.c
var startSource []byte

// start compares the way from source text to a first result: of Godwit in a
// process that runs already, and of `godwit run`, with compiling the same
// program as C and running it.
func start(ctx context.Context, s *session) error {
	x, err := s.generate(ctx, "x", num.F32, 1000, 1)
	if err != nil {
		return err
	}
	in := Contest{Name: "sum of 1000, in process", Unit: "ms", Tolerance: 1e-4, Ours: inProcess(sumF32.source, x)}
	whole := Contest{Name: "sum of 1000, whole process", Unit: "ms", Tolerance: 1e-4}
	if s.peer != nil {
		c, err := compileC(ctx, s.dir, "start", startSource)
		if err != nil {
			return err
		}
		if whole.Limit, err = leastMillis(ctx, process(c, x.path)); err != nil {
			return err
		}
		for _, c := range []*Contest{&in, &whole} {
			c.Against, c.Reference = "cc -O3, then run", s.fromC(x)
		}
	}
	if err := s.hold(ctx, in); err != nil {
		return err
	}
	if s.opt.Program == "" {
		s.note("No godwit executable was named, so `godwit run` was not measured.")
		return nil
	}
	source := s.path("sum.gw")
	if err := os.WriteFile(source, []byte(sumF32.source), 0o600); err != nil {
		return err
	}
	whole.Ours = process(s.opt.Program, "run", source, "x="+x.path)
	return s.hold(ctx, whole)
}

// inProcess starts from nothing: no code is kept from the run before.
func inProcess(source string, x array) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		rt := godwit.NewRuntime()
		defer rt.Close()
		begin := time.Now()
		f, err := function(source)
		if err != nil {
			return 0, nil, err
		}
		_, result, err := Call(f, godwit.Args{"x": godwit.File(x.path)}, number, godwit.WithRuntime(rt))(ctx)
		return time.Since(begin), result, err
	}
}

// fromC compiles and runs.
func (s *session) fromC(x array) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		begin := time.Now()
		program, err := compileC(ctx, s.dir, "start", startSource)
		if err != nil {
			return 0, nil, err
		}
		_, result, err := process(program, x.path)(ctx)
		return time.Since(begin), result, err
	}
}

// process runs a program that prints one number.
func process(program string, args ...string) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		begin := time.Now()
		out, err := exec.CommandContext(ctx, program, args...).Output()
		d := time.Since(begin)
		if err != nil {
			return d, nil, fmt.Errorf("%s: %w", program, err)
		}
		result, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		return d, []float64{result}, err
	}
}

// leastMillis is the least time of several runs.
func leastMillis(ctx context.Context, run Runner) (Number, error) {
	least := unknown
	for range 10 {
		d, _, err := run(ctx)
		if err != nil {
			return unknown, err
		}
		if ms := Number(d.Seconds() * 1e3); !least.Known() || ms < least {
			least = ms
		}
	}
	return least, nil
}
