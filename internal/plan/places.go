package plan

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch, and where the arguments of the call are. Out: where each region lies when the launch runs, and what it takes to
// bring arguments there. WebAssembly reaches the engine's memory alone, so that what lies elsewhere is copied: in windows where all
// who read it go through it in order, else before the first of them begins.

func (p *predictor) places(l *schedule.Launch) []cost.Place {
	places := make([]cost.Place, len(l.Regions))
	for i, b := range l.Regions {
		switch {
		case b < 0:
		case p.s.Buffers[b].Input != nil && p.opt.Places != nil:
			if places[i] = p.opt.Places(p.s.Buffers[b].Input); places[i] == cost.Resident && p.engine == "wasm" && p.streams(b) {
				places[i] = cost.Copied
			}
		case p.engine == "native" && !p.kept(p.bytes(b)) && slices.ContainsFunc(p.s.Result, func(c schedule.Column) bool { return c.Buffer == b }):
			places[i] = cost.Fresh
		}
	}
	return places
}

func (p *predictor) bytes(b int) float64 {
	return p.eval(p.s.Buffers[b].Len) * float64(p.s.Buffers[b].Kind.Size())
}

// streams reports that all launches go through a buffer from its beginning to its end.
func (p *predictor) streams(b int) bool {
	all := true
	schedule.Launches(p.s.Steps, func(l *schedule.Launch) {
		for i, at := range l.Regions {
			if at != b || !all {
				continue
			}
			safe, err := l.Proof()
			all = err == nil && l.Kernel.Regions[i].Access == kernel.Read && safe.Footprint[i].Streamed
		}
	})
	return all
}

// wholes are the regions of a launch whose arguments it is the first to need as a whole.
func (p *predictor) wholes(l *schedule.Launch) (regions []int) {
	if p.engine != "wasm" || p.opt.Places == nil {
		return nil
	}
	for i, b := range l.Regions {
		if b < 0 || p.here[b] || p.s.Buffers[b].Input == nil || p.opt.Places(p.s.Buffers[b].Input) != cost.Resident || p.streams(b) {
			continue
		}
		p.here[b] = true
		regions = append(regions, i)
	}
	return regions
}

// look is the nanoseconds to compare indices in files with their bound before the first launch that reads them here and there, a
// part of them for each of so many runs.
func (p *predictor) look(l *schedule.Launch, c *Coming, runs float64) (t float64) {
	if p.opt.Places == nil {
		return 0
	}
	for i, b := range l.Regions {
		if b < 0 || p.looked[b] || !c.Safe.Kernel.Regions[i].Bounded || p.s.Buffers[b].Input == nil || p.opt.Places(p.s.Buffers[b].Input) != cost.File || p.streams(b) {
			continue
		}
		p.looked[b] = true
		t += p.bytes(b) * p.opt.Machine.MemoryFor(1).File.At(p.bytes(b)).P50
	}
	return t / max(1, runs)
}

// copying is the nanoseconds to copy these regions of a launch.
func copying(m *machine.Machine, threads int, c *Coming, regions []int) (t float64) {
	one, all := m.MemoryFor(1), m.MemoryFor(threads)
	for _, i := range regions {
		r := &c.Safe.Kernel.Regions[i]
		n, _ := kernel.EvalPoly(r.Len, c.Sizes)
		bytes := float64(max(0, n)) * float64(r.Elem.Size())
		t += bytes * min(one.Whole.At(bytes).P50, all.Whole.At(bytes).P50)
	}
	return t
}
