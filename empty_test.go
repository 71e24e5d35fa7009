package godwit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// What is nil, empty or released is an *InputError where an error can be given, and nothing
// where none can; nothing panics.
func TestEmptyValues(t *testing.T) {
	ctx := t.Context()
	var none context.Context
	f := compiled(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	args := godwit.Args{"x": []float64{1, 2}}
	closed := godwit.NewRuntime()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	call := func(f *godwit.Func, ctx context.Context, args godwit.Args, opts ...godwit.Option) func() error {
		return func() error { _, err := f.Call(ctx, args, opts...); return err }
	}
	arg := func(v any) func() error { return call(f, ctx, godwit.Args{"x": v}) }
	clusters := []*godwit.Cluster{nil, {}}
	tries := map[string]func() error{
		"no context":     call(f, none, args),
		"nil Func":       call(nil, ctx, args),
		"empty Func":     call(&godwit.Func{}, ctx, args),
		"no arguments":   call(f, ctx, nil),
		"nil":            arg(nil),
		"nil Result":     arg((*godwit.Result)(nil)),
		"empty Result":   arg(&godwit.Result{}),
		"nil Value":      arg((*godwit.Value)(nil)),
		"empty Value":    arg(&godwit.Value{}),
		"empty DataSet":  arg(godwit.DataSet("")),
		"nil runtime":    call(f, ctx, args, godwit.WithRuntime(nil)),
		"closed runtime": call(f, ctx, args, godwit.WithRuntime(closed)),
		"nil Program":    func() error { _, err := (*godwit.Program)(nil).Func(""); return err },
		"empty Program":  func() error { _, err := new(godwit.Program).Func(""); return err },
		"Float64 of nil": func() error { _, err := (*godwit.Result)(nil).Float64(); return err },
		"As of empty":    func() error { _, err := godwit.As[[]float64](new(godwit.Result)); return err },
		"WriteFile":      func() error { return new(godwit.Result).WriteFile("x.npy") },
		"no nodes":       func() error { _, err := godwit.LocalCluster(ctx, 0); return err },
		"fewer":          func() error { _, err := godwit.LocalCluster(ctx, -1); return err },
	}
	for i, c := range clusters {
		n := strconv.Itoa(i)
		tries["load"+n] = func() error { _, err := c.Load(ctx, "x.npy", "x", godwit.LoadOptions{}); return err }
		tries["drop"+n] = func() error { return c.Drop(ctx, "x") }
		tries["status"+n] = func() error { _, err := c.Status(ctx); return err }
		tries["scrub"+n] = func() error { _, err := c.Scrub(ctx, 0); return err }
		tries["send"+n] = func() error { _, err := c.Send(ctx, nil, "any", nil, godwit.SendOptions{}); return err }
		tries["set"+n] = call(f, ctx, godwit.Args{"x": godwit.DataSet("x")}, godwit.WithCluster(c))
		if err := c.Close(); err != nil || len(c.View().Nodes) != 0 || c.Members(ctx) != nil {
			t.Errorf("cluster %d: closing gives %v, and it has nodes or members", i, err)
		}
	}
	for name, try := range tries {
		if err := try(); !errors.As(err, new(*godwit.InputError)) {
			t.Errorf("%s: %v, expected an *InputError", name, err)
		}
	}
	var r *godwit.Result
	if got := r.String() + r.Type() + string(r.JSON()); got != "no resultnull" || r.Value() != nil {
		t.Errorf("no result is %q", got)
	}
	if p := new(godwit.Program); p.Funcs() != nil || p.Warnings() != nil {
		t.Error("a program that nobody compiled has functions")
	}
	if _, err := f.Call(ctx, args, nil, godwit.WithRuntime(new(godwit.Runtime))); err != nil {
		t.Errorf("a nil option, and the zero Runtime: %v", err)
	}
}

func compiled(t *testing.T, source string) *godwit.Func {
	t.Helper()
	p, err := godwit.Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Runtimes that are dropped without Close leave no address space behind.
func TestDroppedRuntimes(t *testing.T) {
	f := compiled(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	before := addressSpace(t)
	n := int64(100) // of 4 GiB each
	if *full {
		n = 2000
	}
	maps := mappings(t)
	for range n {
		if _, err := f.Call(t.Context(), godwit.Args{"x": []float64{1}}, godwit.WithRuntime(godwit.NewRuntime())); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); addressSpace(t)-before > 8<<20; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d GiB are left of %d runtimes after a minute", (addressSpace(t)-before)>>20, n)
		}
		runtime.GC()
	}
	if got := mappings(t); got > maps+50 {
		t.Errorf("%d mappings, %d before %d runtimes", got, maps, n)
	}
	t.Logf("%d runtimes: %d MiB of address space and %d mappings, %d and %d before", n, addressSpace(t)>>10, mappings(t), before>>10, maps)
}

// addressSpace is that of this process, in KiB.
func addressSpace(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	_, rest, _ := bytes.Cut(b, []byte("VmSize:"))
	n, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
