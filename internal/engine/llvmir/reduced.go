package llvmir

import ()

// In comes a For that carries nothing but the likes of a maximum, out goes one
// that keeps it in lanes and joins these at the end: best = best.max(x[i]) as a
// loop of its own. The bits are the same, because the operation gives the same in
// any order: integers without a check, and the lesser or greater of floats.

// reduced are the accumulators that keep what the loop carries.
func (p *plan) reduced() (list []accumulator) {
	for _, a := range p.Reduced {
		list = append(list, accumulator{Acc: a})
	}
	return list
}

// writeReduced gives whole groups of n turns to lanes, which begin with the
// identity, joins them with what the loop begins with, and runs the turns that
// are left.
func (p *plan) writeReduced(from, to string, n int) {
	b := p.Body
	var before []state
	told := p.told(p.In)
	for j, c := range p.In.Carry {
		before = append(before, state{typ{c.Kind, 1}, p.scalar(p.In.Args[2+j])})
	}
	mid := p.groupsEnd(from, to, n)
	after := p.when(p.set("icmp slt i64 %s, %s", from, mid), before, func() []string {
		size := p.stripSize(b)
		end := p.strips(from, mid, size, p.Short(p.In, size), p.start(p.reduced(), n), func(from, to string, s []state) ([]string, string) {
			return p.loop(from, to, int64(n), s, func(i string, c []string) ([]string, string) {
				p.askAhead(told, i, n)
				for j, v := range c {
					p.give(b.Params[1+j], v, n)
				}
				p.group(i, n)
				next := make([]string, len(c))
				for j := range c {
					next[j] = p.vector(b.Results[j], n)
				}
				return next, ""
			}), ""
		})
		joined := make([]string, len(end))
		for j, a := range p.reduced() {
			joined[j] = p.combine(a, 1, []string{before[j].text}, p.halves(a, n, end[j:j+1]))[0]
		}
		return joined
	})
	plain := p.plain
	p.plain = true
	p.forFrom(p.In, mid, to, with(before, after))
	p.plain = plain
}
