package run_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// shown is a table of another machine that shows its columns here.
type shown struct {
	data.Source
	bytes    []byte
	changed  error // what its columns say at the end
	told     error // what is told as soon as they are shown
	released int
}

func (s *shown) RemoteSet() (uint32, int64) { return 1, 0 }

func (s *shown) Raw(int) (data.Raw, bool) { return data.Raw{}, false }

func (s *shown) Fill(context.Context, int, []data.Want, []data.Dest) (int64, error) {
	return 0, errors.New("rows are fetched")
}

func (s *shown) Lay(_ context.Context, _ int, how run.Laying) run.Lay {
	if s.told != nil {
		how.Changed(s.told)
	}
	return s
}

func (s *shown) Bytes() []byte    { return s.bytes }
func (s *shown) Unchanged() error { return s.changed }
func (s *shown) Release()         { s.released++ }

// A run uses a column where its source shows it, fetches nothing, and lets go of it; it is an error if somebody has written to it, or wants to.
func TestShown(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const rows = 100_000
	b := make([]byte, 8*rows)
	for i := range int64(rows) {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(i))
	}
	s, _ := plan(t, "fn f(x: &[i64; N]) -> i64 { x.sum() }", map[string]int64{"N": rows})
	in := func(src data.Source) *run.Inputs {
		return &run.Inputs{Sizes: map[string]int64{"N": rows}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{{Source: src}}}}}
	}
	failed := errors.New("somebody wrote to it")
	for _, c := range []struct{ told, changed, want error }{{}, {told: failed, want: failed}, {changed: failed, want: failed}} {
		src := &shown{Source: data.FromBytes("shown", []data.Column{{Name: "v", Kind: num.I64}}, rows, [][]byte{b}, nil), bytes: b, told: c.told, changed: c.changed}
		res, err := run.Run(t.Context(), s, in(src), run.Options{Engine: e})
		if !errors.Is(err, c.want) {
			t.Errorf("told %v, changed %v: %v, expected %v", c.told, c.changed, err, c.want)
		}
		if err == nil && res.Columns[0].At(0) != rows*(rows-1)/2 {
			t.Errorf("the sum is %d", res.Columns[0].At(0))
		}
		if src.released != 1 {
			t.Errorf("it was let go of %d times", src.released)
		}
	}
}
