package plan

import (
	"maps"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
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

// Lives is when the arrays of a schedule are there: from the first step that uses one to the last; steps inside a loop or a branch
// count as one. It does not depend on sizes.
type Lives struct {
	s           *schedule.Schedule
	first, last []int  // steps, by buffer; first is -1 where none uses it
	whole       []bool // it does not pass by in windows
}

// LivesOf goes through a schedule.
func LivesOf(s *schedule.Schedule) *Lives {
	l := &Lives{s, make([]int, len(s.Buffers)), make([]int, len(s.Buffers)), make([]bool, len(s.Buffers))}
	for b := range s.Buffers {
		l.first[b], l.last[b], l.whole[b] = -1, -1, s.Buffers[b].Input == nil
	}
	for i, step := range s.Steps {
		schedule.Uses([]schedule.Step{step}, func(b int, u schedule.Use) {
			if l.first[b] < 0 {
				l.first[b] = i
			}
			l.last[b], l.whole[b] = i, l.whole[b] || !streamed(u)
		})
	}
	for _, c := range s.Result {
		l.last[c.Buffer], l.whole[c.Buffer] = len(s.Steps), true
	}
	return l
}

// Peak is that for some sizes. Buffers may pass by, as columns do that go to a file part by part; nil if none does.
func (l *Lives) Peak(sizes map[string]int64, passes func(buffer int) bool) Peak {
	at := maps.Clone(sizes)
	if at == nil {
		at = map[string]int64{}
	}
	s, p := l.s, &predictor{s: l.s, sizes: at}
	found(s.Steps, p)
	best := Peak{}
	for i := range s.Steps {
		now := Peak{}
		for b := range s.Buffers {
			if !l.whole[b] || passes != nil && passes(b) || l.first[b] < 0 || l.first[b] > i || l.last[b] < i {
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
	safe, err := u.Launch.Proof()
	return err == nil && safe.Footprint[u.Region].Streamed
}
