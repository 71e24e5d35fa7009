package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// TestLargerThanMemory: an answer of which the caller's memory holds an eighth goes to its file as it comes,
// from a data set and from what is here. A call that ends in the middle leaves nothing.
func TestLargerThanMemory(t *testing.T) {
	const rows, memory = 1 << 20, 1 << 20
	src := array(num.F64, rows, nil, 1, 0)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3}); err != nil {
		t.Fatal(err)
	}
	remote, err := b.Client.Open("v")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"map":  flows["map"],
		"scan": flows["scan"],
		"kept": "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > -100.0) }",
	} {
		f := compiled(t, diag.NewSource("spool.gw", text))
		want, err := b.run(context.Background(), f, compile.Args{"v": compile.Table{Source: src}}, run.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for place, in := range map[string]data.Source{"here": src, "there": remote} {
			if place == "here" && name == "kept" {
				continue // moves elements together in memory
			}
			side := b.Client.Beside(cluster.Ship).Small(128 << 10)
			opt := run.Options{Resident: memory, Beside: side}
			args := compile.Args{"v": compile.Table{Source: in}}
			if _, err := b.run(context.Background(), f, args, opt); !errors.As(err, new(*run.SpaceError)) {
				t.Errorf("%s %s: %v; the result should not fit into memory", name, place, err)
			}
			got := b.spooled(t, context.Background(), f, args, opt)
			if !bytes.Equal(got, want.columns[0].Data) {
				t.Errorf("%s %s: the file has other bits", name, place)
			}
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		enough, pieces := errors.New("enough"), 0
		side := b.Client.Beside(cluster.Ship).Small(128 << 10)
		side.Taken(func() {
			if pieces++; pieces == 5 {
				cancel(enough)
			}
		})
		if got := b.spooled(t, ctx, f, compile.Args{"v": compile.Table{Source: remote}}, run.Options{Resident: memory, Beside: side}); got != nil {
			t.Errorf("%s: there is a file of a call that ended in the middle", name)
		}
	}
}

// spooled has a run write its result to a file, and gives the values there; nil if there is no file.
func (b *bed) spooled(t *testing.T, ctx context.Context, f *compile.Func, args compile.Args, opt run.Options) []byte {
	t.Helper()
	dir := t.TempDir()
	s := data.NewSpool(data.Target{Path: filepath.Join(dir, "r.npy")})
	opt.SpoolFrom, opt.Spool = 1<<20, func() (run.Spooled, error) { return s.Column() }
	out, err := b.run(ctx, f, args, opt)
	if err == nil {
		var c column.Column = out.columns[0]
		err = s.Write(t.Context(), &data.Output{Rows: c.Dims[0], Columns: []data.OutColumn{{Kind: c.Kind, Values: c.Data}}})
	}
	if e := s.Close(); e != nil {
		t.Error(e)
	}
	left, rerr := os.ReadDir(dir)
	if rerr != nil {
		t.Fatal(rerr)
	}
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		if len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		return nil
	}
	if len(left) != 1 || left[0].Name() != "r.npy" {
		t.Errorf("expected r.npy alone, found %v", left)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "r.npy"))
	if err != nil {
		t.Fatal(err)
	}
	return whole[4096:]
}
