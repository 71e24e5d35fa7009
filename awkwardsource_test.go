package godwit_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// awkward is a source of one column in chunks of 1000 rows, of which a test says what it does.
type awkward struct {
	rows     int64
	kind     godwit.Kind
	nullable bool
	chunks   []godwit.Chunk // nil for the usual ones
	raw      []byte
	fill     func(ctx context.Context, c godwit.Chunk, dst godwit.Dest) error
}

func (*awkward) Path() string   { return "awkward" }
func (*awkward) Format() string { return "memory" }
func (s *awkward) Rows() int64  { return s.rows }
func (s *awkward) Columns() []godwit.Column {
	return []godwit.Column{{Name: "x", Kind: s.kind, Stored: s.kind.String(), Nullable: s.nullable}}
}
func (s *awkward) Raw(int) (godwit.Raw, bool)                                      { return godwit.Raw{Bytes: s.raw}, s.raw != nil }
func (*awkward) Prune([]godwit.Pred) []bool                                        { return nil }
func (*awkward) FillPruned(int, []godwit.Pred, []godwit.Want, []godwit.Dest) error { return nil }
func (*awkward) Unchanged() error                                                  { return nil }
func (*awkward) Close() error                                                      { return nil }

func (s *awkward) Chunks() (list []godwit.Chunk) {
	if s.chunks != nil {
		return s.chunks
	}
	for lo := int64(0); lo < s.rows; lo += 1000 {
		list = append(list, godwit.Chunk{Lo: lo, Hi: min(lo+1000, s.rows)})
	}
	return list
}

func (s *awkward) Fill(ctx context.Context, chunk int, _ []godwit.Want, dst []godwit.Dest) (int64, error) {
	return 0, s.fill(ctx, s.Chunks()[chunk], dst[0])
}

// all writes the same byte everywhere.
func all(b byte) func(context.Context, godwit.Chunk, godwit.Dest) error {
	return func(_ context.Context, _ godwit.Chunk, d godwit.Dest) error {
		for i := range d.Values {
			d.Values[i] = b
		}
		for i := range d.Valid {
			d.Valid[i] = b
		}
		return nil
	}
}

// TestAwkwardSources: a source need not convert nor look at bounds, and whatever else it does is a result that follows from
// what it said, or an error that says what is wrong with it.
func TestAwkwardSources(t *testing.T) {
	const n = 50_000
	mine := errors.New("mine")
	half := func(_ context.Context, c godwit.Chunk, d godwit.Dest) error {
		for i := range d.Values[:len(d.Values)/2] {
			d.Values[i] = 1
		}
		return nil
	}
	const (
		sum     = "fn f(x: &[f64; N]) -> f64 { x.sum() }"
		ints    = "fn f(x: &[i8; N]) -> i64 { x.sum() }"
		indices = "fn f(x: &[idx<M>; N], v: &[f64; M]) -> f64 { x.map(|i| v[i]).sum() }"
		bools   = "fn f(x: &[bool; N]) -> i64 { x.map(|b| if b { 1 } else { 0 }).sum() }"
		options = "fn f(x: &[Option<i8>; N]) -> i64 { x.map(|e| e.or(100)).sum() }"
		stored  = "fn f(x: &[i8; N]) -> [i8; N] { x.sort() }"
		stepped = "fn f(x: &[i8; N], k: u8) -> i64 where k: Range<0, 9> { let mut s = 0; for _ in 0..k { s = s + x.sum() % 5; } s }"
	)
	for name, c := range map[string]struct {
		source, want string // of the result, or in the error
		x            *awkward
	}{
		"converted":    {sum, "50000.0", &awkward{rows: n, kind: godwit.I8, fill: all(1)}},
		"index":        {indices, "row 0: column `x`: expected an index below 3, found 7", &awkward{rows: n, kind: godwit.I8, fill: all(7)}},
		"wide index":   {indices, "expected an index below 3", &awkward{rows: n, kind: godwit.I64, fill: all(0x7f)}},
		"negative":     {indices, "expected an index below 3, found -1", &awkward{rows: n, kind: godwit.I8, fill: all(0xff)}},
		"right index":  {indices, "150000.0", &awkward{rows: n, kind: godwit.U8, fill: all(2)}},
		"bools":        {bools, "50000", &awkward{rows: n, kind: godwit.Bool, fill: all(9)}},
		"no nulls":     {options, "50000", &awkward{rows: n, kind: godwit.I8, fill: all(1)}},
		"nulls":        {options, "5000000", &awkward{rows: n, kind: godwit.I8, nullable: true, fill: all(0)}},
		"odd validity": {options, "150000", &awkward{rows: n, kind: godwit.I8, nullable: true, fill: all(3)}},
		"a null":       {ints, "row 0: column `x`: expected a value, found a null", &awkward{rows: n, kind: godwit.I8, nullable: true, fill: all(0)}},
		"halves":       {ints, "25000", &awkward{rows: n, kind: godwit.I8, fill: half}},
		"nothing":      {ints, "0", &awkward{rows: n, kind: godwit.I8, fill: func(context.Context, godwit.Chunk, godwit.Dest) error { return nil }}},
		"an error": {ints, "mine", &awkward{rows: n, kind: godwit.I8, fill: func(_ context.Context, c godwit.Chunk, _ godwit.Dest) error {
			if c.Lo == 30_000 {
				return mine
			}
			return nil
		}}},
		"negative rows": {ints, "it has -5 rows", &awkward{rows: -5, kind: godwit.I8, fill: all(1)}},
		"gap":           {ints, "chunk 1 has the rows 11 to 20, expected them from 10 on", &awkward{rows: 20, kind: godwit.I8, chunks: []godwit.Chunk{{Lo: 0, Hi: 10}, {Lo: 11, Hi: 20}}, fill: all(1)}},
		"overlap":       {ints, "chunk 1 has the rows 5 to 20", &awkward{rows: 20, kind: godwit.I8, chunks: []godwit.Chunk{{Lo: 0, Hi: 10}, {Lo: 5, Hi: 20}}, fill: all(1)}},
		"backwards":     {ints, "chunk 0 has the rows 0 to -3", &awkward{rows: 20, kind: godwit.I8, chunks: []godwit.Chunk{{Lo: 0, Hi: -3}}, fill: all(1)}},
		"few chunks":    {ints, "it has 20 rows, and chunks for 10", &awkward{rows: 20, kind: godwit.I8, chunks: []godwit.Chunk{{Lo: 0, Hi: 10}}, fill: all(1)}},
		"many chunks":   {ints, "it has 20 rows, and chunks for 30", &awkward{rows: 20, kind: godwit.I8, chunks: []godwit.Chunk{{Lo: 0, Hi: 30}}, fill: all(1)}},
		"huge":          {ints, "but a size is at most", &awkward{rows: 1 << 62, kind: godwit.I64, chunks: []godwit.Chunk{{Lo: 0, Hi: 1 << 62}}, fill: all(1)}},
		"short raw":     {ints, "20 rows without nulls need 20 bytes, Raw gives 10", &awkward{rows: 20, kind: godwit.I8, raw: make([]byte, 10), fill: all(1)}},
		"long raw":      {ints, "Raw gives 30", &awkward{rows: 20, kind: godwit.I8, raw: make([]byte, 30), fill: all(1)}},
		"right raw":     {ints, "0", &awkward{rows: 20, kind: godwit.I8, raw: make([]byte, 20), fill: all(0)}},
		"raw indices":   {indices, "row 0: column `x`: expected an index below 3, found 200", &awkward{rows: 4, kind: godwit.U8, raw: []byte{200, 200, 200, 200}, fill: all(200)}},
		"raw bools":     {bools, "2", &awkward{rows: 2, kind: godwit.Bool, raw: []byte{1, 2}, fill: all(2)}},
		"nil":           {ints, "is a nil *godwit_test.awkward", nil},
		"empty":         {ints, "0", &awkward{kind: godwit.I8, fill: all(1)}},
		"sorted":        {stored, "row 0: column `x`: expected i8", &awkward{rows: n, kind: godwit.I16, fill: all(1)}},
		"looped":        {stepped, "0", &awkward{rows: n, kind: godwit.I8, fill: all(1)}},
	} {
		for _, engine := range []string{"auto", "interp"} {
			f := fn(t, c.source)
			args := godwit.Args{"x": c.x}
			for _, p := range f.Params() {
				switch p {
				case "v":
					args["v"] = []float64{1, 2, 3}
				case "k":
					args["k"] = 3
				}
			}
			r, err := f.Call(t.Context(), args, godwit.WithEngine(engine))
			if err == nil && r.String() != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, %v, expected %s", name, engine, r, err, c.want)
			}
			if name == "an error" && !errors.Is(err, mine) {
				t.Errorf("%s: %v is not the source's", engine, err)
			} else if input := (*godwit.InputError)(nil); err != nil && name != "an error" && !errors.As(err, &input) {
				t.Errorf("%s, %s: %T, expected an *InputError", name, engine, err)
			}
		}
	}
}

// TestSourceThatWaits: a source that waits for the end of the context it is given ends the call with it, whichever thread
// waits, and nobody is left behind.
func TestSourceThatWaits(t *testing.T) {
	rt := godwit.NewRuntime()
	defer rt.Close()
	wait := &awkward{rows: 50_000, kind: godwit.F64, fill: func(ctx context.Context, c godwit.Chunk, _ godwit.Dest) error {
		if c.Lo < 20_000 && c.Hi > 1 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	why := errors.New("enough")
	before := runtime.NumGoroutine()
	for _, src := range []string{"fn f(x: &[f64; N]) -> f64 { x.sum() }", "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }", "fn f(x: f64) -> f64 { x }"} {
		if wait.rows = 50_000; strings.Contains(src, "x: f64") {
			wait.rows = 1
		}
		for _, engine := range []string{"auto", "interp"} {
			for threads := 1; threads <= 4; threads++ {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
				_, err := fn(t, src).Call(ctx, godwit.Args{"x": wait}, godwit.WithRuntime(rt), godwit.WithThreads(threads), godwit.WithEngine(engine))
				if !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %s, %d threads: %v, expected the cause", src, engine, threads, err)
				}
			}
		}
	}
	settled(t, before)
}

// settled makes sure that goroutines go away until there are no more than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			b := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b, true)])
		}
	}
}
