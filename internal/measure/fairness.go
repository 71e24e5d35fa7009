package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a cluster of two nodes on this machine. Out: what one client feels of another that
// keeps all processors at work, and what a client that is alone gets out of a node.

// burnSource keeps processors at work: one outer index is a leaf of 4096 rows, which
// takes seconds and cannot be cut.
const burnSource = `fn burn(v: &[f64; N] @ Cluster) -> f64 @ RAM {
    v.map(|x| { let mut a = x; for _ in 0..500_000 { a = a * 0.9999 + 0.5; } a }).sum()
}
`

const fairFold = "fn total(v: &[f64; N] @ Cluster) -> f64 @ RAM { v.iter().sum() }\n"

const (
	fairRows  = 1 << 20
	aloneRows = 1 << 24
	burning   = 6                // calls at once
	begins    = 3 * time.Second  // until they have everything that they get
	enough    = 20 * time.Second // a call that takes longer is not waited for
)

// fairness measures a fold and a status beside six long maps of one other client and
// then of six, and how many folds a client gets that is alone.
func fairness(ctx context.Context, s *session) error {
	f, err := s.startFleet(ctx, 2)
	if err != nil {
		return err
	}
	defer f.close()
	b, err := s.newFairBed(ctx, f)
	if err != nil {
		return err
	}
	defer b.c.Close()
	if err := s.alone(ctx, b); err != nil {
		return err
	}
	quiet, err := b.all(ctx, s.pairs())
	if err != nil {
		return err
	}
	for _, clients := range []int{1, burning} {
		s.progress("%d long maps of %d clients", burning, clients)
		end, err := b.burn(ctx, clients)
		if err != nil {
			return err
		}
		busy, err := b.all(ctx, s.pairs())
		if err = errors.Join(err, end()); err != nil {
			return err
		}
		for i, q := range quiet {
			s.report.Rows = append(s.report.Rows, q.beside(busy[i], fmt.Sprintf("%d long maps of %d other clients", burning, clients)))
		}
	}
	return nil
}

// fairBed is what is measured on.
type fairBed struct {
	dir, program, source string
	c                    *godwit.Cluster
	fold                 *godwit.Func
}

func (s *session) newFairBed(ctx context.Context, f *fleet) (*fairBed, error) {
	b := &fairBed{dir: f.dir, program: s.opt.Program, source: s.path("fold.gw")}
	if err := os.WriteFile(b.source, []byte(fairFold), 0o600); err != nil {
		return nil, err
	}
	v, err := s.generate(ctx, "v", num.F64, fairRows, 1)
	if err != nil {
		return nil, err
	}
	long, err := s.generate(ctx, "long", num.F64, aloneRows, 2)
	if err != nil {
		return nil, err
	}
	few, err := s.generate(ctx, "few", num.F64, firstRows, 3)
	if err != nil {
		return nil, err
	}
	if b.fold, err = function(fairFold); err != nil {
		return nil, err
	}
	if b.c, err = godwit.Connect(ctx, f.dir, godwit.ConnectOptions{}); err != nil {
		return nil, err
	}
	for name, a := range map[string]array{"v": v, "long": long, "few": few} {
		if _, err := b.c.Load(ctx, a.path, name, godwit.LoadOptions{}); err != nil {
			return nil, errors.Join(err, b.c.Close())
		}
	}
	return b, nil
}

// burn has long maps run until end is called.
func (b *fairBed) burn(ctx context.Context, clients int) (end func() error, err error) {
	f, err := function(burnSource)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	var list []*godwit.Cluster
	end = func() error {
		cancel()
		calls.Wait()
		var errs []error
		for _, c := range list {
			errs = append(errs, c.Close())
		}
		return errors.Join(errs...)
	}
	for range clients {
		c, err := godwit.Connect(ctx, b.dir, godwit.ConnectOptions{})
		if err != nil {
			return nil, errors.Join(err, end())
		}
		list = append(list, c)
	}
	for i := range burning {
		calls.Go(func() {
			// It ends by being cancelled.
			_, _ = f.Call(ctx, godwit.Args{"v": godwit.DataSet("v")}, godwit.WithCluster(list[i%clients]), godwit.WithStrategy(godwit.Ship))
		})
	}
	time.Sleep(begins)
	return end, nil
}

// felt is how long one kind of call took, in milliseconds.
type felt struct {
	name   string
	median float64
	worst  float64
	n      int
	late   int // not waited for
}

func (b *fairBed) all(ctx context.Context, n int) (list []felt, err error) {
	for _, w := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"status", b.status},
		{fmt.Sprintf("fold of %d rows over a connection", fairRows), func(ctx context.Context) error { return b.sum(ctx, "v") }},
		{fmt.Sprintf("fold of %d rows over a connection", aloneRows), func(ctx context.Context) error { return b.sum(ctx, "long") }},
		{fmt.Sprintf("godwit run of a fold of %d rows", fairRows), b.process},
	} {
		one := felt{name: w.name}
		var times []float64
		for i := range n + settled {
			begin := time.Now()
			limited, cancel := context.WithTimeout(ctx, enough)
			err := w.run(limited)
			over := limited.Err() != nil
			cancel()
			if over {
				one.late++
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if i < settled && !over {
				continue
			}
			times = append(times, time.Since(begin).Seconds()*1e3)
			if over {
				break // the others would take as long
			}
		}
		one.n, one.median = len(times), median(times)
		for _, t := range times {
			one.worst = max(one.worst, t)
		}
		list = append(list, one)
	}
	return list, nil
}

func (b *fairBed) sum(ctx context.Context, set string) error {
	_, err := b.fold.Call(ctx, godwit.Args{"v": godwit.DataSet(set)}, godwit.WithCluster(b.c), godwit.WithStrategy(godwit.Ship))
	return err
}

func (b *fairBed) status(ctx context.Context) error {
	list, err := b.c.Status(ctx)
	for _, n := range list {
		if err == nil && n.Error != "" {
			err = errors.New(n.Error)
		}
	}
	return err
}

func (b *fairBed) process(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, b.program, "run", filepath.Clean(b.source), "v=@v", "--cluster", b.dir, "--strategy", "ship").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// beside is a row: ours is the time beside others, the reference that in quiet.
func (q felt) beside(busy felt, when string) Row {
	r := found(busy.name+", beside "+when, "ms", Number(busy.median), busy.n)
	r.Reference, r.ReferenceName, r.Ratio = Number(q.median), "in quiet", Number(q.median/busy.median)
	r.RatioMin, r.RatioMax = Number(q.median/busy.worst), r.Ratio
	if busy.late > 0 {
		r.ReferenceName += fmt.Sprintf("; not answered within %s", enough)
	}
	return r
}

// alone measures how many folds one client gets that has the cluster to itself.
func (s *session) alone(ctx context.Context, b *fairBed) error {
	long := 4 * time.Second
	if s.opt.Quick {
		long = 1500 * time.Millisecond
	}
	for _, w := range []struct {
		set  string
		rows int
	}{{"few", firstRows}, {"v", fairRows}, {"long", aloneRows}} {
		for _, at := range []int{1, 8} {
			s.progress("alone: folds of %d rows, %d at once", w.rows, at)
			n, err := b.folds(ctx, w.set, at, long/4)
			if err == nil {
				n, err = b.folds(ctx, w.set, at, long)
			}
			if err != nil {
				return err
			}
			s.report.Rows = append(s.report.Rows, found(fmt.Sprintf("alone: folds of %d rows, %d at once", w.rows, at), "1/s", Number(float64(n)/long.Seconds()), int(n)))
		}
	}
	return nil
}

// folds counts the folds that end in a time.
func (b *fairBed) folds(ctx context.Context, set string, at int, long time.Duration) (int64, error) {
	var n atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, at)
	start := time.Now()
	for i := range at {
		all.Go(func() {
			for time.Since(start) < long && errs[i] == nil {
				errs[i] = b.sum(ctx, set)
				n.Add(1)
			}
		})
	}
	all.Wait()
	return n.Load(), errors.Join(errs...)
}
