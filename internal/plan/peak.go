package plan

import (
	"maps"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: a schedule and its sizes. Out: how many bytes of arrays are in memory at the same time, where that is most. Inputs that every step
// goes through in order pass by in windows and do not count. A size that is found while it runs counts as the most that it can be: there is room
// for so much.

// Peak is the most memory that is used at a time.
type Peak struct {
	Bytes float64
	Most  string // the greatest of the arrays that are there then
	Of    float64
}

// PeakOf goes through a schedule. An array is there from the first step that uses it to the last; steps inside a loop or a branch
// count as one.
func PeakOf(s *schedule.Schedule, sizes map[string]int64) Peak {
	return PeakBut(s, sizes, func(int) bool { return false })
}

// PeakBut is PeakOf where some buffers pass by, as columns do that go to a file part by part.
func PeakBut(s *schedule.Schedule, sizes map[string]int64, passes func(buffer int) bool) Peak {
	at := maps.Clone(sizes)
	if at == nil {
		at = map[string]int64{}
	}
	p := &predictor{s: s, sizes: at}
	found(s.Steps, p)
	first, last := make([]int, len(s.Buffers)), make([]int, len(s.Buffers))
	whole := make([]bool, len(s.Buffers))
	for b := range s.Buffers {
		first[b], last[b], whole[b] = -1, -1, s.Buffers[b].Input == nil
	}
	for i, step := range s.Steps {
		schedule.Uses([]schedule.Step{step}, func(b int, u schedule.Use) {
			if first[b] < 0 {
				first[b] = i
			}
			last[b], whole[b] = i, whole[b] || !streamed(u)
		})
	}
	for _, c := range s.Result {
		last[c.Buffer], whole[c.Buffer] = len(s.Steps), true
	}
	best := Peak{}
	for i := range s.Steps {
		now := Peak{}
		for b := range s.Buffers {
			if !whole[b] || passes(b) || first[b] < 0 || first[b] > i || last[b] < i {
				continue
			}
			n := p.eval(s.Buffers[b].Len) * float64(s.Buffers[b].Kind.Size())
			if now.Bytes += n; n > now.Of {
				now.Most, now.Of = s.Buffers[b].Name, n
			}
		}
		if now.Bytes > best.Bytes {
			best = now
		}
	}
	return best
}

// found gives the sizes that steps find the most that they can be.
func found(list []schedule.Step, p *predictor) {
	for _, s := range list {
		switch s := s.(type) {
		case *schedule.SetSize:
			p.sizes[s.Name] = int64(p.eval(s.Max))
		case *schedule.SetParts:
			s.Define(p.sizes, schedule.MostParts, int64(p.eval(s.Slots)))
		case *schedule.Loop:
			found(s.Body, p)
		case *schedule.Branch:
			found(s.Then, p)
			found(s.Else, p)
		}
	}
}

// streamed reports that a use goes through the array in order and only reads it.
func streamed(u schedule.Use) bool {
	if u.Launch == nil || u.Launch.Kernel.Regions[u.Region].Access != kernel.Read {
		return false
	}
	safe, err := verify.Check(u.Launch.Kernel)
	return err == nil && safe.Footprint[u.Region].Streamed
}
