package suspend_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/suspend"
)

// inRounds brings each state the row that it wants until all are done.
func (p *problem) inRounds(t *rapid.T, b *suspend.Batch, run runner) outcome {
	n, err := b.Count(p.sizes)
	if err != nil {
		t.Fatal(err)
	}
	k, o := b.Kernel, outcome{cloned(p.regions), stepper.NewFaults(b.Kernel.Sites)}
	regions := append(b.Start(allOf(n), p.region), make([][]byte, len(b.Far))...)
	for _, r := range b.Near {
		regions = append(regions, p.regions[r])
	}
	turns := 1 + rapid.Int64Range(0, 5).Draw(t, "turns")
	for round := int64(0); ; round++ {
		for i, r := range b.Far {
			regions[len(b.Columns)+i] = p.brought(regions[0], r, n, round > 0)
		}
		if err := run(k, suspend.Sizes(p.sizes, n, min(round, 1), turns), suspend.Scalars(p.scalars, 0), regions, o.faults, n); err != nil {
			t.Fatalf("the batch in rounds: %v\n%s", err, kernel.Text(k))
		}
		if !slices.ContainsFunc(allOf(n), func(s int64) bool { return suspend.Want(regions, s) >= 0 }) {
			break
		}
		if round > 3000 {
			t.Fatalf("states are not done after %d rounds", round)
		}
	}
	for i, r := range p.k.Regions {
		if r.Access == kernel.Write {
			clear(o.regions[i])
		}
	}
	b.Deliver(regions[:len(b.Columns)], func(region int, element int64, bits uint64) {
		column.Put(p.k.Regions[region].Elem, o.regions[region], element, bits)
	})
	return o
}

// brought is the row of a far region that each state wants, one after the other.
func (p *problem) brought(wants []byte, region int, n int64, any bool) []byte {
	size := p.far[region] * int64(p.k.Regions[region].Elem.Size())
	out := make([]byte, n*size)
	for s := range n {
		if want := int64(column.Get(num.I64, wants, s)); any && want >= 0 {
			copy(out[s*size:(s+1)*size], p.regions[region][want*size:])
		}
	}
	return out
}

// region is one of the original's.
func (p *problem) region(r int) (num.Kind, []byte) { return p.k.Regions[r].Elem, p.regions[r] }
