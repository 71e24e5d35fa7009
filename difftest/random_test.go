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

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/progen"
)

const slice = 300

var programs = flag.Int("programs", slice, "random programs to run")

type tally struct {
	used                    map[string]int
	programs, faults, large int
}

func TestRandomPrograms(t *testing.T) {
	random(t, *programs, progen.Gen(9), append(progen.Operations(), "shared"))
}

// TestRandomUpdates draws programs that change elements of arrays: whether an
// array is copied or changed where it lies must not show.
func TestRandomUpdates(t *testing.T) { random(t, *programs/2, progen.Updating(), []string{"updates"}) }

// TestRandomPasses draws programs that walk over arrays of several grains again and again: where
// these lie must not show.
func TestRandomPasses(t *testing.T) {
	random(t, *programs/2, progen.Passes(), append(progen.Passing(), "again"))
}

// TestRandomCarries draws programs that carry numbers through several grains: that threads hand these on must not show.
func TestRandomCarries(t *testing.T) {
	random(t, *programs/2, progen.Carries(), append(progen.Carrying(), "relay"))
}

// TestRandomWalks draws programs whose iterations follow references: how many of them are under way at the same time must not show.
func TestRandomWalks(t *testing.T) {
	random(t, *programs/2, progen.Walks(), append(progen.Walking(), "woven"))
}

// random runs n programs of a generator, which use every operation of a list if there are enough of them.
func random(t *testing.T, n int, gen *rapid.Generator[*progen.Program], every []string) {
	if err := flag.Set("rapid.checks", fmt.Sprint(max(1, n))); err != nil {
		t.Fatal(err)
	}
	// The slice that every test run takes is always the same, so that a red
	// run is due to the change; longer runs draw new programs each time.
	if seed := flag.Lookup("rapid.seed"); *programs == slice && seed.Value.String() == "0" {
		if err := seed.Value.Set("20261121"); err != nil {
			t.Fatal(err)
		}
	}
	f, sum := &fleet{}, &tally{used: map[string]int{}}
	defer f.close()
	rapid.Check(t, func(t *rapid.T) { sum.one(t, f, gen.Draw(t, "program")) })
	sum.report(t, *programs >= slice, every)
}

func (n *tally) one(t *rapid.T, f *fleet, p *progen.Program) {
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
	for _, s := range settings() {
		got, err := c.Engine(context.Background(), f.engine(t, s.tier), s.threads, s.window)
		if err == nil {
			err = Same(want, got)
			n.used["relay"] += got.Relays
			if s.tier == engine.Native && got.Woven {
				n.used["woven"]++
			}
			if got.Shared {
				n.used["shared"]++
			}
			if got.Again {
				n.used["again"]++
			}
		}
		if err != nil {
			t.Fatalf("%s: %v\nsizes %v\n%s", s, err, p.Sizes, p.Source)
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

// report wants every operation of a list to have been used, if there were enough programs.
func (n *tally) report(t *testing.T, enough bool, every []string) {
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(n.used)) {
		fmt.Fprintf(&b, " %s:%d", op, n.used[op])
	}
	t.Logf("%d programs agree (%d of them in a fault), %d too large for the interpreter; operations covered: %d\n%s", n.programs, n.faults, n.large, len(n.used), b.String())
	if enough {
		for _, op := range every {
			if n.used[op] == 0 {
				t.Errorf("no program used %s", op)
			}
		}
	}
}
