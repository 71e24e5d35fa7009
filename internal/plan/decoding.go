package plan

import (
	"cmp"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: a launch that is the first to need arguments which have to be decoded. Out: what that takes, by how they are stored and by what decoding has taken
// before. Columns are decoded once, by all threads, but no chunk of one by several; those that lie together are decoded together.

// Encoded is an argument that has to be decoded.
type Encoded struct {
	data.Stored
	Source   data.Source
	Chunks   int     // of which each is decoded by one thread; 0 for as many as there are threads
	RuledOut float64 // the share of the values that nobody decodes, because no row that matters is among them; they are in none of the chunks
}

// decoding is what it takes to decode what the launch is the first to need, and how many threads share that.
func (p *predictor) decoding(l *schedule.Launch) (t machine.Spread, threads int, warm bool) {
	forms, tasks := map[string]data.Stored{}, map[string]int{}
	var order []string
	for _, b := range l.Regions {
		if b < 0 || p.decoded[b] || p.s.Buffers[b].Input == nil || p.opt.Encoded == nil {
			continue
		}
		e, ok := p.opt.Encoded(p.s, l, b)
		if !ok {
			continue
		}
		p.decoded[b] = true
		if n := p.eval(p.s.Buffers[b].Len); e.Values > 0 { // of a table by sizes: what another file of the kind has
			e.Bytes, e.Values = e.Bytes*n/e.Values, n
		}
		e.Bytes, e.Values = e.Bytes*(1-e.RuledOut), e.Values*(1-e.RuledOut)
		of, known := forms[e.Form]
		if !known {
			order = append(order, e.Form)
		}
		if of.Values += e.Values; !e.Together || !p.passed[e.Source] {
			of.Bytes += e.Bytes
		}
		if own := cmp.Or(e.Chunks, p.opt.Threads); e.Together {
			tasks[e.Form] = max(tasks[e.Form], own)
		} else {
			tasks[e.Form] += own
		}
		p.passed[e.Source], forms[e.Form] = true, of
	}
	warm = len(order) > 0
	for _, form := range order {
		one, seen := p.decodingOf(form, forms[form])
		n := max(1, min(p.opt.Threads, tasks[form]))
		t, threads, warm = t.Plus(one.Times(1/float64(n))), max(threads, n), warm && seen
	}
	return t, threads, warm
}

// decodingOf is what one form takes a single worker, and whether earlier runs say so.
func (p *predictor) decodingOf(form string, of data.Stored) (machine.Spread, bool) {
	d, ok := p.opt.Machine.Decoding(form)
	if !ok {
		return machine.Spread{}, false
	}
	t, e := d.Time(of.Bytes, of.Values), p.opt.Machine.Engines[p.engine]
	off := e.Within(machine.Guessed)
	cold := machine.Spread{P10: t * off[0], P50: t, P90: t * off[1]}
	if p.opt.Past.Seen == nil {
		return cold, false
	}
	here, ok := machine.Here().Decoding(form) // where it was seen, whatever machine is asked about
	var past []ratio
	for _, pt := range p.opt.Past.Seen.Of(seen.OfForm(form)) {
		if !ok || !pt.Tells() || len(pt.Sizes) != 2 {
			continue
		}
		if r, ok := against(&pt, here.Time(float64(pt.Sizes[0]), float64(pt.Sizes[1]))); ok {
			past = append(past, r)
		}
	}
	own := here.Time(of.Bytes, of.Values)
	warm, known := warmer(e, machine.Spread{P10: own, P50: own, P90: own}, past)
	if !known {
		return cold, false
	}
	return warm.Times(t / own), true
}
