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

// ended runs f on a goroutine of its own and tells how it ended: "returned", "gone" by runtime.Goexit, or with what it panicked.
func ended(f func()) (how any) {
	done := make(chan any)
	go func() {
		how = any("gone")
		defer func() {
			if v := recover(); v != nil {
				how = v
			}
			done <- how
		}()
		f()
		how = "returned"
	}()
	select {
	case how = <-done:
		return how
	case <-time.After(time.Minute):
		return "hangs"
	}
}

// TestEndOfTheGoroutine: what the caller gave may panic or end the goroutine that calls it, as FailNow does in a test, on
// whichever thread that is. The call then ends likewise or with an error; nobody is left behind, no lock is held, and the
// runtime goes on and can be closed.
func TestEndOfTheGoroutine(t *testing.T) {
	const rows = 50_000
	sum, sorted := "fn f(x: &[f64; N]) -> f64 { x.map(|v| v.sin().exp()).sum() }", "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }"
	lone := "fn f(x: f64) -> f64 { x * 2.0 }"
	source := func(end func()) *awkward {
		return &awkward{rows: rows, kind: godwit.F64, fill: func(_ context.Context, c godwit.Chunk, _ godwit.Dest) error {
			if c.Lo%10_000 == 9000 || c.Hi == 1 {
				end()
			}
			return nil
		}}
	}
	single := func(end func()) *awkward {
		s := source(end)
		s.rows = 1
		return s
	}
	mine := errors.New("mine")
	before := runtime.NumGoroutine()
	for kind, end := range map[string]func(){"panic": func() { panic(mine) }, "nil panic": func() { panic(nil) }, "goexit": runtime.Goexit} {
		for name, c := range map[string]struct {
			src  string
			x    any
			opts []godwit.Option
		}{
			"streamed":    {sum, source(end), nil},
			"whole":       {sorted, source(end), nil},
			"alone":       {lone, single(end), nil},
			"interpreted": {sum, source(end), []godwit.Option{godwit.WithEngine("interp")}},
			"progress":    {sum, make([]float64, 300_000), []godwit.Option{godwit.WithProgress(func(int64, int64) { end() })}},
			"to a file":   {sorted, source(end), []godwit.Option{godwit.WithFile(t.TempDir() + "/x.npy")}},
		} {
			for threads := 1; threads <= 4; threads++ {
				rt := godwit.NewRuntime(godwit.WithThreads(threads))
				f := fn(t, c.src)
				var err error
				how := ended(func() { _, err = f.Call(t.Context(), godwit.Args{"x": c.x}, append(c.opts, godwit.WithRuntime(rt))...) })
				_, isNil := how.(*runtime.PanicNilError)
				switch {
				case kind == "panic" && how == mine, kind == "nil panic" && isNil, kind == "goexit" && how == "gone":
				case kind == "goexit" && how == "returned" && err != nil && strings.Contains(err.Error(), "ended the goroutine"):
				default:
					t.Errorf("%s, %s, %d threads: the call ended with %v, %v", kind, name, threads, how, err)
				}
				if r, err := f.Call(t.Context(), godwit.Args{"x": working(c.x)}, godwit.WithRuntime(rt)); err != nil || r.Type() == "" {
					t.Errorf("%s, %s, %d threads: afterwards %v, %v", kind, name, threads, r, err)
				}
				if how := ended(func() { err = rt.Close() }); how != "returned" || err != nil {
					t.Fatalf("%s, %s, %d threads: closing the runtime: %v, %v", kind, name, threads, how, err)
				}
			}
		}
	}
	settled(t, before)
}

// working is an argument like x that does nothing but give values.
func working(x any) any {
	if s, ok := x.(*awkward); ok {
		w := *s
		w.fill = all(0)
		return &w
	}
	return x
}

// TestCancelledAgainAndAgain ends calls in their middle, of every kind and by contexts of every age. What they took is given back.
func TestCancelledAgainAndAgain(t *testing.T) {
	rt := godwit.NewRuntime()
	defer rt.Close()
	rounds := 60
	if *full {
		rounds = 5000
	}
	x := make([]float64, 400_000)
	for i := range x {
		x[i] = float64(i * 7919 % 1_000_003)
	}
	path := t.TempDir() + "/x.npy"
	same := fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v + 1.0) }")
	r, err := same.Call(t.Context(), godwit.Args{"x": x})
	if err == nil {
		err = r.WriteFile(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []*godwit.Func
	for _, src := range []string{
		"fn f(x: &[f64; N]) -> f64 { x.map(|v| v.sin().exp()).sum() }", "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }",
		"fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }", "fn f(x: &[f64; N]) -> [f64; ?K <= N] { x.filter(|v| v > 5.0) }",
		"fn f(x: &[f64; N]) -> f64 { let mut s = 0.0; for _ in 0..1000 { s = s + x.sum() * 0.5; } s }",
	} {
		list = append(list, fn(t, src))
	}
	why := errors.New("enough")
	ways := []any{x, godwit.File(path), &awkward{rows: 400_000, kind: godwit.F64, fill: all(0)}, x[:10]}
	var hits int
	turn := func(i int) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stop := time.AfterFunc(time.Duration(i*i%3000)*time.Microsecond, func() { cancel(why) })
		defer stop.Stop()
		r, err := list[i%len(list)].Call(ctx, godwit.Args{"x": ways[i/len(list)%len(ways)]}, godwit.WithRuntime(rt), godwit.WithThreads(i%4+1))
		switch {
		case err == nil:
			if i%2 == 0 {
				r.Close()
			}
		case !errors.Is(err, why) || !errors.Is(err, context.Canceled):
			t.Errorf("turn %d: %v", i, err)
		default:
			hits++
		}
	}
	for i := range 40 {
		turn(i)
	}
	routines, files, maps := runtime.NumGoroutine(), openFiles(t), mappings(t)
	heap, _ := held()
	for i := range rounds {
		turn(i)
	}
	settled(t, routines)
	if n := openFiles(t); n > files {
		t.Errorf("%d files are open, %d before", n, files)
	}
	if n := mappings(t); n > maps+50 {
		t.Errorf("%d mappings, %d before", n, maps)
	}
	if n, _ := held(); n > heap+4<<20 {
		t.Errorf("%d bytes of heap, %d before", n, heap)
	}
	if hits < rounds/10 {
		t.Errorf("%d of %d calls were cancelled in time to count", hits, rounds)
	}
}
