package suspend_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/suspend"
)

// problem is a kernel with arguments. All far regions have rows rows.
type problem struct {
	k       *kernel.Kernel
	far     suspend.Widths
	sizes   []int64
	scalars []uint64
	regions [][]byte
	outer   int64
	rows    int64
}

// outcome is what a run leaves: the regions and the least places of faults.
type outcome struct {
	regions [][]byte
	faults  []int64
}

// runner executes all outer indices of a kernel over regions in place.
type runner func(k *kernel.Kernel, sizes []int64, scalars []uint64, regions [][]byte, faults []int64, outer int64) error

func interpret(k *kernel.Kernel, sizes []int64, scalars []uint64, regions [][]byte, faults []int64, outer int64) error {
	_, err := stepper.Run(k, &stepper.Args{Sizes: sizes, Scalars: scalars, Regions: regions, Faults: faults}, 0, outer)
	return err
}

// compiled runs kernels with an engine.
func compiled(t testing.TB, tier engine.Tier) runner {
	e, err := engine.New(engine.Options{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	p := engine.NewPool(1)
	t.Cleanup(p.Close)
	return func(k *kernel.Kernel, sizes []int64, scalars []uint64, regions [][]byte, faults []int64, outer int64) error {
		c, err := e.Kernel(context.Background(), k)
		if err != nil {
			return err
		}
		lens := make([]int64, len(regions))
		a := engine.Args{Sizes: sizes, Scalars: scalars, Bases: make([]int64, len(regions)), Faults: faults}
		inside := make([][]byte, len(regions))
		for i, r := range regions {
			lens[i] = int64(len(r) / k.Regions[i].Elem.Size())
			span, b, err := e.Alloc(int64(len(r)) + 16)
			if err != nil {
				return err
			}
			defer e.Arena().Free(span)
			copy(b, r)
			a.Bases[i], inside[i] = span.Off, b[:len(r)]
		}
		if err := c.Safe.Admit(sizes, scalars, lens, engine.Limits{}); err != nil {
			return err
		}
		if _, err := e.Run(context.Background(), p, c, &a, 0, outer); err != nil {
			return err
		}
		for i, r := range regions {
			copy(r, inside[i])
		}
		return nil
	}
}

func cloned(regions [][]byte) [][]byte {
	out := make([][]byte, len(regions))
	for i, r := range regions {
		out[i] = slices.Clone(r)
	}
	return out
}

// whole runs the original kernel.
func (p *problem) whole(t *rapid.T, run runner) outcome {
	o := outcome{cloned(p.regions), stepper.NewFaults(p.k.Sites)}
	if err := run(p.k, p.sizes, p.scalars, o.regions, o.faults, p.outer); err != nil {
		t.Fatalf("the original: %v", err)
	}
	return o
}

// travels runs the batch kernel over states that move among windows.
func (p *problem) travels(t *rapid.T, b *suspend.Batch, run runner) outcome {
	n, err := b.Count(p.sizes)
	if err != nil {
		t.Fatal(err)
	}
	j := &journey{problem: p, b: b, run: run, t: t, faults: stepper.NewFaults(b.Kernel.Sites), cuts: []int64{0}}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i)
	}
	j.columns = b.Start(ids, p.region)
	for range rapid.IntRange(0, 7).Draw(t, "cuts") {
		j.cuts = append(j.cuts, rapid.Int64Range(0, p.rows).Draw(t, "cut"))
	}
	j.cuts = append(j.cuts, p.rows)
	slices.Sort(j.cuts)
	j.all(n)
	o := outcome{cloned(p.regions), j.faults}
	for i, r := range p.k.Regions {
		if r.Access == kernel.Write {
			clear(o.regions[i])
		}
	}
	if rapid.Bool().Draw(t, "only what is kept") {
		for i := range j.columns {
			if b.Keep()>>i&1 == 0 {
				j.columns[i] = nil
			}
		}
	}
	done := b.Deliver(j.columns, func(region int, element int64, bits uint64) {
		column.Put(p.k.Regions[region].Elem, o.regions[region], element, bits)
	})
	if done != int(n) {
		t.Fatalf("%d of %d states are done", done, n)
	}
	return o
}

// journey is states on their way.
type journey struct {
	*problem
	b       *suspend.Batch
	run     runner
	t       *rapid.T
	columns [][]byte
	cuts    []int64
	faults  []int64
}

// all moves states about until they are done.
func (j *journey) all(n int64) {
	if rapid.Bool().Draw(j.t, "look first") {
		j.step(allOf(n), 0, 0, 3)
	}
	for round := 0; ; round++ {
		var open []int64
		for s := range n {
			if suspend.Want(j.columns, s) != -1 {
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			return
		}
		if done := j.b.Deliver(j.columns, func(int, int64, uint64) {}); done != int(n)-len(open) {
			j.t.Fatalf("results of %d states are there; %d of %d are under way", done, len(open), n)
		}
		if round > 3000 {
			j.t.Fatalf("%d states are not done after %d runs; state %d wants %d", len(open), round, open[0], suspend.Want(j.columns, open[0]))
		}
		j.advance(open, n)
	}
}

func allOf(n int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

// advance runs some states where the first of them wants to be; some of the
// others have no business there or are done.
func (j *journey) advance(open []int64, n int64) {
	// One draw a run keeps rapid's record of a long journey short.
	dice := rapid.Uint32().Draw(j.t, "dice")
	first := open[int(dice>>16)%len(open)]
	w := 0
	for want := suspend.Want(j.columns, first); w < len(j.cuts)-2 && j.cuts[w+1] <= want; {
		w++
	}
	chosen := []int64{first}
	for s := range n {
		if s != first && (dice>>(s%16))&1 == 1 {
			chosen = append(chosen, s)
		}
	}
	j.step(chosen, j.cuts[w], j.cuts[w+1], 1+int64(dice%7))
}

// step runs the chosen states over rows lo..hi.
func (j *journey) step(chosen []int64, lo, hi, turns int64) {
	k := j.b.Kernel
	regions := make([][]byte, len(k.Regions))
	for i, c := range j.b.Columns {
		for _, s := range chosen {
			regions[i] = append(regions[i], row(j.columns[i], c.Kind, s)...)
		}
	}
	next := len(j.b.Columns)
	for _, r := range j.b.Far {
		size := j.far[r] * int64(j.k.Regions[r].Elem.Size())
		regions[next] = slices.Clone(j.regions[r][lo*size : hi*size])
		next++
	}
	for _, r := range j.b.Near {
		regions[next] = j.regions[r]
		next++
	}
	before := cloned(regions)
	sizes := suspend.Sizes(j.sizes, int64(len(chosen)), hi-lo, turns)
	if err := j.run(k, sizes, suspend.Scalars(j.scalars, lo), regions, j.faults, int64(len(chosen))); err != nil {
		j.t.Fatalf("the batch: %v\n%s", err, kernel.Text(k))
	}
	for at, s := range chosen {
		j.check(before, regions, int64(at), lo, hi)
		for i, c := range j.b.Columns {
			copy(row(j.columns[i], c.Kind, s), row(regions[i], c.Kind, int64(at)))
		}
	}
}

func row(c []byte, k num.Kind, s int64) []byte {
	n := int64(k.Size())
	return c[s*n : (s+1)*n]
}

// check holds a state after a run to what Batch promises.
func (j *journey) check(before, after [][]byte, at, lo, hi int64) {
	was, is := suspend.Want(before, at), suspend.Want(after, at)
	same := true
	for i, c := range j.b.Columns {
		same = same && bytes.Equal(row(before[i], c.Kind, at), row(after[i], c.Kind, at))
	}
	switch inside := was >= lo && was < hi; {
	case was != 0 && !inside && !same:
		j.t.Fatalf("a state that wants %d was changed in the window %d..%d", was, lo, hi)
	case inside && same:
		j.t.Fatalf("a state that wants %d stayed as it is in the window %d..%d", was, lo, hi)
	case is < -1 || is >= j.rows && is != lo:
		j.t.Fatalf("a state wants row %d of %d", is, j.rows)
	}
}

// agrees compares the travelling states with the original.
func agrees(t *rapid.T, p *problem, b *suspend.Batch, reference, run runner) {
	want := p.whole(t, reference)
	p.same(t, b, want, p.travels(t, b, run))
	rounds, err := suspend.MakeRounds(p.k, p.far)
	if err != nil {
		t.Fatalf("in rounds: %v\n%s", err, kernel.Text(p.k))
	}
	p.same(t, rounds, want, p.inRounds(t, rounds, run))
}

func (p *problem) same(t *rapid.T, b *suspend.Batch, want, got outcome) {
	for i, r := range p.k.Regions {
		if !bytes.Equal(got.regions[i], want.regions[i]) {
			t.Fatalf("region r%d (%s):\n got %s\nwant %s\n%s\n%s", i, r.Access, show(r, got.regions[i]), show(r, want.regions[i]), kernel.Text(p.k), kernel.Text(b.Kernel))
		}
	}
	if !slices.Equal(got.faults, want.faults) {
		t.Fatalf("faults %d, want %d (none is %d)\n%s\n%s", got.faults, want.faults, int64(math.MaxInt64), kernel.Text(p.k), kernel.Text(b.Kernel))
	}
}

func show(r kernel.Region, b []byte) string {
	var out []string
	for i := range int64(len(b) / r.Elem.Size()) {
		out = append(out, column.Text(r.Elem, column.Get(r.Elem, b, i)))
	}
	return fmt.Sprint(out)
}
