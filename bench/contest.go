package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/measure"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// bench is a benchmark of kernels in progress.
type bench struct {
	choices
	*memory
	peer   *peer
	dir    string // gone afterwards
	report *measure.Report
	tiers  []ran
}

// ran says on what a row's kernels ran.
type ran struct {
	row  string
	tier engine.Tier
	why  error // it was not Native
}

// task is a program with its arguments, and the C operation that computes the
// same.
type task struct {
	name, source string
	op           string // of the C reference
	in           []operand
	n            int64  // elements for the C reference
	unit         string // 10⁹ of these a second
	work         int64  // of the unit in a run
	// Results differ by at most abs + rel·|reference|, as the orders of
	// operations differ.
	abs, rel float64
	limit    func(threads int) (measure.Number, error) // in 10⁹ of the unit a second
}

// newBench has the reference compiled and kernel memory reserved.
func newBench(ctx context.Context, c choices, name string) (b *bench, err error) {
	b = &bench{choices: c, report: &measure.Report{Bench: name, Machine: measure.ThisMachine()}}
	load, _ := os.ReadFile("/proc/loadavg")
	if b.dir, err = os.MkdirTemp("", "godwit-bench-"); err != nil {
		return nil, err
	}
	if b.memory, err = newMemory(!c.wasm); err != nil {
		os.RemoveAll(b.dir)
		return nil, err
	}
	b.progress("compiling the C reference")
	var notes []string
	if b.peer, notes, err = loadPeer(ctx, b.dir); err != nil {
		b.close()
		return nil, err
	}
	b.note("C: %s; the faster of both compilers' best form is the reference. Results are compared, and in place on both sides: no memory is made or copied within the time. `godwit bench stream` has whole calls.", b.peer.about)
	if f := strings.Fields(string(load)); len(f) > 0 {
		b.note("Before the start, %s threads wanted one of the %d processors on average.", f[0], runtime.NumCPU())
	}
	b.report.Notes = append(b.report.Notes, notes...)
	return b, nil
}

func (b *bench) close() {
	b.memory.close()
	os.RemoveAll(b.dir)
}

func (b *bench) note(format string, args ...any) {
	b.report.Notes = append(b.report.Notes, fmt.Sprintf(format, args...))
}

// finish says on which tier ours ran.
func (b *bench) finish() *measure.Report {
	var native []string
	for _, r := range b.tiers {
		if r.tier == engine.Native {
			native = append(native, r.row)
			continue
		}
		b.note("Ours ran on %s, not on native code, in %s: %v", r.tier, r.row, r.why)
	}
	if len(native) > 0 {
		b.note("Ours ran on native code in %d of %d rows: %s.", len(native), len(b.tiers), strings.Join(native, "; "))
	}
	return b.report
}

// hold compares a task for each number of threads.
func (b *bench) hold(ctx context.Context, t task, threads ...int) error {
	defer b.release(b.mark())
	p, err := b.prepare(ctx, t.source, t.in...)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	out, theirs, err := b.room(p.result())
	if err != nil {
		return err
	}
	w := work{x: t.in[0].data, out: out, n: t.n}
	if len(t.in) > 1 {
		w.y = t.in[1].data
	}
	for _, n := range threads {
		if err := b.row(ctx, t, p, n, w, theirs); err != nil {
			return fmt.Errorf("%s, %s: %w", t.name, count(n), err)
		}
	}
	return nil
}

// room makes memory for the reference's result: like ours, but a number by
// itself is an f64.
func (b *bench) room(ours []vector) (out []byte, theirs []vector, err error) {
	total := 8
	for _, v := range ours {
		total += len(v.data)
	}
	if _, out, err = b.alloc(int64(total)); err != nil {
		return nil, nil, err
	}
	if len(ours) == 1 && ours[0].len() == 1 {
		return out, []vector{scalar(out)}, nil
	}
	at := 0
	for _, v := range ours {
		theirs = append(theirs, vector{kind: v.kind, data: out[at : at+len(v.data)]})
		at += len(v.data)
	}
	return out, theirs, nil
}

// row has ours, and the fastest form of the reference, take turns.
func (b *bench) row(ctx context.Context, t task, p *prepared, threads int, w work, theirs []vector) error {
	c := measure.Contest{Name: t.name + ", " + count(threads), Unit: t.unit, Bytes: t.work, Pairs: b.pairs()}
	pool := engine.NewPool(threads)
	pool.KeepAwake(time.Duration(machine.Here().Wake)) // as between the launches of a call
	defer pool.Close()
	repeat, err := b.ours(ctx, &c, p, pool)
	if err != nil {
		return err
	}
	if list := b.peer.of(t.op); len(list) > 0 {
		for _, f := range list {
			if c.Tolerance, err = b.compare(t, f, threads, w, p.result(), theirs); err != nil {
				return err
			}
		}
		f, err := b.peer.best(list, threads, w, repeat)
		if err != nil {
			return err
		}
		c.Against = "C " + f.String()
		c.Reference = repeated(repeat, theirs, func() (time.Duration, error) { return b.peer.time(f, threads, w) })
	}
	return b.enter(ctx, c, t, threads)
}

// ours makes a warm program the contest's, with so many runs in a turn.
func (b *bench) ours(ctx context.Context, c *measure.Contest, p *prepared, pool *engine.Pool) (repeat int, err error) {
	b.progress(c.Name)
	tier, why, err := p.warm(ctx, pool, b.patience())
	if err != nil {
		return 0, err
	}
	b.tiers = append(b.tiers, ran{c.Name, tier, why})
	d, err := p.run(ctx, pool)
	if err != nil {
		return 0, err
	}
	if d > time.Second/2 {
		c.Pairs = 5
	}
	repeat = runs(d)
	c.Ours = repeated(repeat, p.result(), func() (time.Duration, error) { return p.run(ctx, pool) })
	return repeat, nil
}

// enter holds a contest and reports it.
func (b *bench) enter(ctx context.Context, c measure.Contest, t task, threads int) (err error) {
	if t.limit != nil {
		if c.Limit, err = t.limit(threads); err != nil {
			return err
		}
	}
	r, err := c.Row(ctx)
	if err == nil {
		b.report.Rows = append(b.report.Rows, r)
	}
	return err
}

func count(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", threads)
}

// numbers are the numbers of threads to try.
func (c choices) numbers() []int {
	return slices.Compact([]int{1, max(c.threads, 1)})
}

func (c choices) pairs() int {
	if c.quick {
		return 5
	}
	return 15
}

func (c choices) progress(what string) {
	if !c.silent {
		fmt.Fprintln(os.Stderr, what)
	}
}
