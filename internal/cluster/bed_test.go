package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/run"
)

// patience is how long one run may take on a busy machine.
const patience = 2 * time.Minute

// bed is a cluster inside of the test, and an engine for what runs at the caller.
type bed struct {
	*site.Locals
	eng   *engine.Engine
	small int64              // bytes of a piece; 0 as usual
	doubt func(w *plan.Ways) // changes what is expected; nil for none
}

func newBed(tb testing.TB, nodes int) *bed {
	tb.Helper()
	l, err := site.Local(context.Background(), nodes)
	if err != nil {
		tb.Fatal(err)
	}
	e, err := engine.New(engine.Options{Memory: 1 << 30, Shelf: engine.NewShelf(64 << 20)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(l.Client.Close(), l.Close(), e.Close()); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	return &bed{Locals: l, eng: e}
}

// load stores a table under a name, without the columns that cannot be stored.
func (b *bed) load(src data.Source, name string, opt cluster.LoadOptions) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := b.Client.Load(ctx, src, name, opt)
	if unfit := (*store.UnfitError)(nil); errors.As(err, &unfit) {
		opt.Skip = unfit.Names
		_, err = b.Client.Load(ctx, src, name, opt)
	}
	return err
}

// outcome is the bits of a result, or the text of what went wrong.
type outcome struct {
	columns []column.Column
	fault   string
	cluster.Stats
	away     int64 // launches that ran beside shards
	launches []run.LaunchStats
}

// beside runs a function with the cluster.
func (b *bed) beside(ctx context.Context, f *compile.Func, args compile.Args, s cluster.Strategy) (*outcome, error) {
	side := b.Client.Beside(s).Small(b.small).Doubt(b.doubt)
	out, err := b.run(ctx, f, args, run.Options{Beside: side})
	if err == nil {
		out.Stats = side.Stats()
	}
	return out, err
}

// run runs a function. A fault of the program is an outcome.
func (b *bed) run(ctx context.Context, f *compile.Func, args compile.Args, opt run.Options) (*outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	bound, err := f.Bind(args)
	if err != nil {
		return nil, err
	}
	defer bound.Close()
	p, err := bound.Plan()
	if err != nil {
		return nil, err
	}
	opt.Engine = b.eng
	res, err := run.Run(ctx, p.Schedule, p.Inputs, opt)
	if fault := (*run.FaultError)(nil); errors.As(err, &fault) {
		return &outcome{fault: fault.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	out := &outcome{columns: res.Columns, launches: res.Stats.Launches}
	for _, l := range res.Stats.Launches {
		out.away += l.Beside
	}
	return out, nil
}

// same compares bits.
func same(want, got *outcome) error {
	if want.fault != got.fault {
		return fmt.Errorf("fault %q, want %q", got.fault, want.fault)
	}
	if len(want.columns) != len(got.columns) {
		return fmt.Errorf("%d columns, want %d", len(got.columns), len(want.columns))
	}
	for j := range want.columns {
		x, y := want.columns[j], got.columns[j]
		if fmt.Sprint(x.Dims) != fmt.Sprint(y.Dims) {
			return fmt.Errorf("column %d: shape %v, want %v", j, y.Dims, x.Dims)
		}
		for i := range x.Len() {
			if a, b := num.Canon(x.Kind, x.At(i)), num.Canon(y.Kind, y.At(i)); a != b {
				return fmt.Errorf("column %d, element %d of %d: %s, want %s", j, i, x.Len(), column.Text(y.Kind, b), column.Text(x.Kind, a))
			}
		}
	}
	return nil
}

// compiled gives a function of a program.
func compiled(tb testing.TB, sources ...*diag.Source) *compile.Func {
	tb.Helper()
	p, err := compile.Check(sources...)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// places are where launches ran, one a line.
func (o *outcome) places() string { return strings.Join(o.Places, "\n") }
