package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Dates, times and spans of time: literals, arithmetic and parts. Parts come from functions of
// the prelude on whole days, which are at most 2^48 away from 1970 in any unit but seconds.

const (
	secondsPerDay = 86400
	nanosPerDay   = secondsPerDay * 1_000_000_000
)

// perDay is how many units a day has.
func perDay(m meaning.Meaning) int64 { return nanosPerDay / m.Unit.Nanos() }

// momentLit is a literal of a time: in the unit that its context counts in, in microseconds
// without one, in nanoseconds where it needs them.
func (e *elab) momentLit(x *syntax.MomentLit, negative bool, at diag.Span, want *graph.Type) *graph.Node {
	m := meaning.Meaning{Sort: x.Sort}
	units := []meaning.Unit{meaning.Micro, meaning.Nano}
	if want != nil && types.IsTime(want) {
		switch w := want.Means; {
		case w.Sort == meaning.Timestamp && x.Sort == meaning.Date:
			m = w // midnight
			units = []meaning.Unit{w.Unit}
		case w.Sort == meaning.Date && x.Sort == meaning.Duration:
			units = []meaning.Unit{meaning.Second, meaning.Micro}
		case w.Sort == meaning.Timestamp || w.Sort == meaning.Duration:
			units = []meaning.Unit{w.Unit}
		}
	}
	if x.Sort == meaning.Date && m.Sort == meaning.Date || x.Sort == meaning.Time {
		units = units[:1]
	}
	text, why := strings.ReplaceAll(x.Text, "_", ""), ""
	for _, m.Unit = range units {
		var v int64
		if x.Sort == meaning.Date && m.Sort == meaning.Date || x.Sort == meaning.Time {
			m.Unit = meaning.Micro
		}
		if v, why = m.Parse([]byte(text)); why == "" {
			if negative {
				v = -v
			}
			return e.constOf(graph.Meant(m), num.Canon(graph.Meant(m).Num, uint64(v)), at)
		}
	}
	e.errorf(at, "F01", "this literal does not fit its type").Note("%s: %s", m, why).Help("convert the other side: … as %s<ns>", m.Sort)
	return nil
}

// timeOp is an operator on times; false if it is not defined.
func (e *elab) timeOp(x *syntax.Binary, a, b *graph.Node) (*graph.Node, bool) {
	at := x.OpSpan
	s, t := a.Type.Means, b.Type.Means
	o := operators[x.Op]
	same := s.Unit == t.Unit
	apply := func(result *graph.Type) (*graph.Node, bool) {
		return e.retype(result, e.scalarArith(o, at, e.raw64(a, at), e.raw64(b, at)), at), true
	}
	span := graph.Meant(meaning.Meaning{Sort: meaning.Duration, Unit: s.Unit})
	switch {
	case x.Op == syntax.Minus && s.Sort == meaning.Date && t.Sort == meaning.Date:
		days := e.scalarArith(o, at, e.raw64(a, at), e.raw64(b, at))
		seconds := e.scalarArith(operators[syntax.Star], at, days, e.int(num.I64, secondsPerDay, at))
		return e.retype(graph.Meant(meaning.Meaning{Sort: meaning.Duration, Unit: meaning.Second}), seconds, at), true
	case x.Op == syntax.Minus && s.Sort == t.Sort && same && (s.Sort == meaning.Timestamp || s.Sort == meaning.Time || s.Sort == meaning.Duration):
		return apply(span)
	case x.Op == syntax.Plus && s.Sort == meaning.Duration && t.Sort == meaning.Duration && same:
		return apply(span)
	case (x.Op == syntax.Plus || x.Op == syntax.Minus) && s.Sort == meaning.Timestamp && t.Sort == meaning.Duration && same:
		return apply(a.Type)
	case x.Op == syntax.Plus && s.Sort == meaning.Duration && t.Sort == meaning.Timestamp && same:
		return apply(b.Type)
	case (x.Op == syntax.Plus || x.Op == syntax.Minus) && s.Sort == meaning.Date && t.Sort == meaning.Duration:
		days := e.wholeDays(b, at)
		if days == nil {
			return nil, true
		}
		return e.moveDate(o, a, days, at), true
	case x.Op == syntax.Star && s.Sort == meaning.Duration && types.IsInt(b.Type):
		return apply(a.Type)
	case x.Op == syntax.Star && t.Sort == meaning.Duration && types.IsInt(a.Type):
		return apply(b.Type)
	case x.Op == syntax.Slash && s.Sort == meaning.Duration && types.IsInt(b.Type):
		return apply(a.Type)
	}
	return nil, false
}

// wholeDays is a Duration in days; a fault if it is no whole number of them.
func (e *elab) wholeDays(d *graph.Node, at diag.Span) *graph.Node {
	per := perDay(d.Type.Means)
	n, day := e.raw64(d, at), e.int(num.I64, per, at)
	if bits, ok := evaluate(n); ok {
		if int64(bits)%per != 0 {
			e.errorf(at, "F03", "a Date moves by whole days").Note("found %s", d.Type.Means.Append(nil, int64(bits))).
				Help("convert the date: … as Timestamp")
			return nil
		}
		return e.int(num.I64, int64(bits)/per, at)
	}
	rest := e.arith(num.Rem, at, n, day)
	check := e.add(graph.Check, graph.IndexOf(size.Const(1)), at, rest)
	check.Poly, check.HasPoly = size.Const(1), true
	e.mayFault(check, graph.OutOfRange, "Duration that is no whole number of days")
	return e.scalarArith(operators[syntax.Slash], at, n, day)
}

// moveDate adds days to a date, or takes them off.
func (e *elab) moveDate(o operator, date, days *graph.Node, at diag.Span) *graph.Node {
	sum := e.scalarArith(o, at, e.raw64(date, at), days)
	return e.retype(date.Type, e.convertScalar(sum, date.Type.Plain(), at), at)
}

// convertTime changes the unit, or a Date into a Timestamp; to a coarser unit it rounds down.
func (e *elab) convertTime(v *graph.Node, t *graph.Type, at diag.Span) (*graph.Node, bool) {
	from, to := v.Type.Means, t.Means
	scale, ok := from.To(to)
	if !ok || from.Sort == meaning.Timestamp && to.Sort == meaning.Date || from.Sort == meaning.Time {
		return nil, false
	}
	n := e.raw64(v, at)
	switch {
	case scale.Mul > 1:
		n = e.scalarArith(operators[syntax.Star], at, n, e.int(num.I64, scale.Mul, at))
	case scale.Div > 1:
		n = e.floorDiv(n, scale.Div, at)
	}
	return e.retype(t, n, at), true
}

// numberToTime is `n as Date` and the like: n counts in the unit.
func (e *elab) numberToTime(v *graph.Node, t *graph.Type, at diag.Span) *graph.Node {
	n := e.convertScalar(e.cast(types.Computed(v.Type), v, at), t.Plain(), at)
	if t.Means.Sort == meaning.Time {
		n = e.toI64(e.toRange(graph.Check, n, size.Const(perDay(t.Means)), at))
	}
	return e.retype(t, n, at)
}

// calendar calls a function of the prelude on integers; its value lies in lo..=hi.
func (e *elab) calendar(at diag.Span, name string, lo, hi int64, args ...*graph.Node) *graph.Node {
	n := e.preludeCall(at, preludeItem(name), args)
	if n != nil && lo <= hi && n.Op != graph.Const {
		e.of(n).bounds = &bounds{lo: lo, hi: hi, declared: true}
	}
	return n
}

// floorDiv divides by a positive number and rounds down.
func (e *elab) floorDiv(n *graph.Node, by int64, at diag.Span) *graph.Node {
	b := e.boundsOf(n)
	return e.calendar(at, "floor_div", floorOf(b.lo, by), floorOf(b.hi, by), n, e.int(num.I64, by, at))
}

func floorOf(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// days is the day of a Date or Timestamp, since 1970, as an i64.
func (e *elab) days(v *graph.Node, at diag.Span) *graph.Node {
	n := e.raw64(v, at)
	if v.Type.Means.Sort == meaning.Date {
		return n
	}
	return e.floorDiv(n, perDay(v.Type.Means), at)
}

// clockUnits is the time of day in units, since midnight.
func (e *elab) clockUnits(v *graph.Node, at diag.Span) *graph.Node {
	per := perDay(v.Type.Means)
	return e.calendar(at, "floor_rem", 0, per-1, e.raw64(v, at), e.int(num.I64, per, at))
}

// parts of a day, and where their numbers lie.
var dateParts = map[string]struct {
	function string
	lo, hi   int64
}{
	"year": {"calendar_year", 1, 0}, "month": {"calendar_month", 1, 12}, "day": {"calendar_day", 1, 31},
	"weekday": {"calendar_weekday", 0, 6}, "day_of_year": {"calendar_day_of_year", 1, 366}, "quarter": {"calendar_quarter", 1, 4},
}

// dateMethods work on what has a day.
func dateMethods() map[string]method {
	table := truncateMethods()
	for name, part := range dateParts {
		table[name] = method{run: func(e *elab, c *methodUse) *graph.Node {
			lo, hi := part.lo, part.hi
			if c.recv.Type.Means.Sort == meaning.Date && name == "year" {
				lo, hi = -5877641, 5881580
			}
			return e.calendar(c.at(), part.function, lo, hi, e.days(c.recv, c.at()))
		}}
	}
	return table
}

// dayMethods work on dates.
func dayMethods() map[string]method {
	return map[string]method{"add_days": {min: 1, max: 1, run: func(e *elab, c *methodUse) *graph.Node {
		n := e.value(c.x.Args[0], graph.I64Type)
		if n == nil {
			return nil
		}
		return e.moveDate(operators[syntax.Plus], c.recv, n, c.at())
	}}}
}

// clockMethods work on what has a time of day.
func clockMethods() map[string]method {
	part := func(nanos, most int64) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node {
			at := c.at()
			unit := nanos / c.recv.Type.Means.Unit.Nanos()
			n := e.arith(num.Div, at, e.clockUnits(c.recv, at), e.int(num.I64, unit, at))
			if nanos < 3600e9 {
				n = e.arith(num.Rem, at, n, e.int(num.I64, most, at))
			}
			e.of(n).bounds = &bounds{lo: 0, hi: most - 1, declared: true}
			return n
		}
	}
	return map[string]method{
		"hour":   {run: part(3600e9, 24)},
		"minute": {run: part(60e9, 60)},
		"second": {run: part(1e9, 60)},
	}
}

// timestampMethods take a timestamp apart.
func timestampMethods() map[string]method {
	return map[string]method{
		"date": {run: func(e *elab, c *methodUse) *graph.Node {
			t := graph.Meant(meaning.Meaning{Sort: meaning.Date})
			return e.retype(t, e.convertScalar(e.days(c.recv, c.at()), t.Plain(), c.at()), c.at())
		}},
		"time": {run: func(e *elab, c *methodUse) *graph.Node {
			at, n := c.at(), e.clockUnits(c.recv, c.at())
			switch nanos := c.recv.Type.Means.Unit.Nanos(); {
			case nanos > 1000:
				n = e.scalarArith(operators[syntax.Star], at, n, e.int(num.I64, nanos/1000, at))
			case nanos < 1000:
				n = e.arith(num.Div, at, n, e.int(num.I64, 1000/nanos, at))
			}
			return e.retype(graph.Meant(meaning.Meaning{Sort: meaning.Time}), n, at)
		}},
	}
}

// durationMethods count a duration in a unit, as floats.
func durationMethods() map[string]method {
	table := map[string]method{"abs": {run: (*elab).meantAbs}}
	for name, nanos := range map[string]int64{"days": nanosPerDay, "hours": 3600e9, "minutes": 60e9, "seconds": 1e9} {
		table[name] = method{run: func(e *elab, c *methodUse) *graph.Node {
			at := c.at()
			n := e.cast(types.Scalars[num.F64], e.raw(c.recv, at), at)
			return e.arith(num.Div, at, n, e.float(num.F64, float64(nanos/c.recv.Type.Means.Unit.Nanos()), at))
		}}
	}
	return table
}
