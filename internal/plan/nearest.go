package plan

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: a launch, and earlier runs of its kernel. Out: those of them that decide what it is expected to take, which are the same, or the nearest on
// either side: to ask the model of one takes as long as of the launch itself, and the others would only be looked at to see that they are farther away.

// volume orders arguments as the time that they take, about: by the product of all that are known.
func volume(sizes []int64, scalars int, scalar func(i int) (int64, bool)) (log float64) {
	for _, n := range sizes {
		log += math.Log1p(math.Abs(float64(n)))
	}
	for i := range scalars {
		if n, ok := scalar(i); ok {
			log += math.Log1p(math.Abs(float64(n)))
		}
	}
	return log
}

// same reports that an earlier run had the launch's arguments.
func (c *Coming) same(p *seen.Point) bool {
	for i := range p.Known {
		n, ok := c.known(i)
		if was, known := p.Scalar(i); n != was || ok != known {
			return false
		}
	}
	return slices.Equal(p.Sizes, c.Sizes)
}

func (c *Coming) known(i int) (int64, bool) {
	if c.Scalar == nil || i >= len(c.Safe.Kernel.Scalars) {
		return 0, false
	}
	if n, ok := c.Scalar(i); ok {
		return n, true
	}
	return 0, false
}

// ratios are what the runs tell that decide. Where one of them tells nothing, or is not to be believed, the next stands in for it.
func (c *Coming) ratios(list []seen.Point, expected func(p *seen.Point) (float64, bool)) (out []ratio) {
	left := make([]*seen.Point, 0, len(list))
	for i := range list {
		if p := &list[i]; p.Tells() && len(p.Sizes) == len(c.Sizes) {
			left = append(left, p)
		}
	}
	held := map[*seen.Point]ratio{}
	for again := true; again; {
		out, again = out[:0], false
		for _, p := range c.nearest(left) {
			r, ok := held[p]
			if !ok {
				var t float64
				if t, ok = expected(p); ok && (c.same(p) || p.Fair(t)) {
					r, ok = against(p, t)
				} else {
					ok = false
				}
			}
			if ok {
				held[p], out = r, append(out, r)
				continue
			}
			left, again = slices.DeleteFunc(left, func(o *seen.Point) bool { return o == p }), true
		}
	}
	return out
}

// nearest are the run with the launch's arguments, or else the nearest with less and with more to do; of several the newest.
func (c *Coming) nearest(list []*seen.Point) (out []*seen.Point) {
	at := volume(c.Sizes, len(c.Safe.Kernel.Scalars), c.known)
	var below, above *seen.Point
	least, most := math.Inf(-1), math.Inf(1)
	for _, p := range list {
		if c.same(p) {
			return []*seen.Point{p}
		}
		v := volume(p.Sizes, len(p.Known), p.Scalar)
		if v <= at && v >= least {
			below, least = p, v
		}
		if v > at && v <= most {
			above, most = p, v
		}
	}
	for _, p := range []*seen.Point{below, above} {
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}

// models are what earlier runs are expected to take by their code, each worked out once.
type models struct {
	c      *Coming
	m      *machine.Machine
	engine string
	done   []modelled
}

type modelled struct {
	of *seen.Point
	*weighed
}

func (m *models) of(p *seen.Point) *weighed {
	for _, x := range m.done {
		if slices.Equal(x.of.Sizes, p.Sizes) && slices.Equal(x.of.Scalars, p.Scalars) && slices.Equal(x.of.Known, p.Known) {
			return x.weighed
		}
	}
	o := *m.c
	o.Sizes, o.Scalar = p.Sizes, p.Scalar
	w := o.model(m.m, m.engine)
	m.done = append(m.done, modelled{p, w})
	return w
}
