package difftest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/engine"
	"github.com/godwit-run/godwit/interp"
	"github.com/godwit-run/godwit/progen"
)

const slice = 300

var programs = flag.Int("programs", slice, "random programs to run")

// threads and windows are what every program is run with; odd windows cut
// inputs where nothing else would.
var settings = []struct {
	threads int
	window  int64
}{{1, 0}, {2, 4096 + 33}, {7, 0}}

// fleet hands out one engine, a new one now and then so that compiled
// kernels do not pile up.
type fleet struct {
	e    *engine.Engine
	uses int
}

func (f *fleet) engine(t *rapid.T) *engine.Engine {
	if f.uses++; f.e == nil || f.uses%100 == 0 {
		f.close()
		e, err := engine.New(engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f.e = e
	}
	return f.e
}

func (f *fleet) close() {
	if f.e != nil {
		_ = f.e.Close()
	}
}

type tally struct {
	used                    map[string]int
	programs, faults, large int
}

func TestRandomPrograms(t *testing.T) {
	if err := flag.Set("rapid.checks", fmt.Sprint(*programs)); err != nil {
		t.Fatal(err)
	}
	// The slice that every test run takes is always the same, so that a red
	// run is due to the change; longer runs draw new programs each time.
	if seed := flag.Lookup("rapid.seed"); *programs == slice && seed.Value.String() == "0" {
		if err := seed.Value.Set("20261121"); err != nil {
			t.Fatal(err)
		}
	}
	f, n := &fleet{}, &tally{used: map[string]int{}}
	defer f.close()
	rapid.Check(t, func(t *rapid.T) { n.one(t, f) })
	n.report(t)
}

func (n *tally) one(t *rapid.T, f *fleet) {
	p := progen.Gen(9).Draw(t, "program")
	c, err := Prepare(p)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Source)
	}
	want, err := c.Oracle(30_000_000)
	if errors.Is(err, interp.ErrSteps) {
		n.large++
		return
	} else if err != nil {
		t.Fatalf("interpreter: %v\n%s", err, p.Source)
	}
	for _, s := range settings {
		got, err := c.Engine(context.Background(), f.engine(t), s.threads, s.window)
		if err == nil {
			err = Same(want, got)
		}
		if err != nil {
			t.Fatalf("%d threads, windows of %d rows: %v\nsizes %v\n%s", s.threads, s.window, err, p.Sizes, p.Source)
		}
	}
	n.programs++
	if want.Fault != nil {
		n.faults++
	}
	for op, k := range p.Used {
		n.used[op] += k
	}
}

func (n *tally) report(t *testing.T) {
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(n.used)) {
		fmt.Fprintf(&b, " %s:%d", op, n.used[op])
	}
	t.Logf("%d programs agree (%d of them in a fault), %d too large for the interpreter; operations covered: %d\n%s", n.programs, n.faults, n.large, len(n.used), b.String())
	if n.programs >= 300 {
		for _, op := range progen.Operations() {
			if n.used[op] == 0 {
				t.Errorf("no program used %s", op)
			}
		}
	}
}
