package plan

import (
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a size that is found while a schedule runs. Out: what it is expected to be: as the last run has found; by what is known of the arguments, their
// least and greatest numbers among it; or a part of what it can be.

// found is what a size is expected to be.
func (p *predictor) found(s *schedule.SetSize) float64 {
	most := p.eval(s.Max)
	if part, known := p.part(OfSize(s.Name)); known {
		return most * part
	}
	if v, known := p.values[s.Buffer]; known {
		return min(max(v, 0), most)
	}
	if n := p.eval(s.Among); n > 0 { // different things of which there are no more
		return min(n, most)
	}
	if of, ok := p.glance(s.Column); s.Likely == size.Rest && ok && !of.Alike {
		return most
	}
	if p.opt.Extent != Likely {
		return most * p.opt.Extent.part()
	}
	return most * s.Likely.Part(most)
}

// glance is what is known of an input, if that is one.
func (p *predictor) glance(buffer int) (of data.Glance, ok bool) {
	if p.opt.Column == nil || buffer < 0 || p.s.Buffers[buffer].Input == nil {
		return of, false
	}
	return p.opt.Column(p.s.Buffers[buffer].Input)
}

// forget drops what is known of buffers that steps write which run again, or perhaps not at all.
func (p *predictor) forget(list []schedule.Step) {
	schedule.Launches(list, func(l *schedule.Launch) {
		for i, b := range l.Regions {
			if b >= 0 && l.Kernel.Regions[i].Access != kernel.Read {
				delete(p.values, b)
			}
		}
	})
}

// wrote notes what is in buffers after a launch, as far as it is known: by its code, or because it finds the least and greatest numbers of arguments.
func (p *predictor) wrote(l *schedule.Launch, values map[int]float64) {
	p.forget([]schedule.Step{l})
	for i, v := range values {
		p.values[l.Regions[i]] = v
	}
	for _, x := range l.Extremes {
		if of, ok := p.glance(x.Column); ok {
			if p.values[x.Into] = of.Least; x.Greatest {
				p.values[x.Into] = of.Greatest
			}
		}
	}
}
