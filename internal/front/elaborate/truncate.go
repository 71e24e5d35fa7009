package elaborate

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: a time, and the name of a unit or a constant duration. Out: the beginning of the unit, or of the interval of that
// length, that the time lies in. Intervals are counted from 1970-01-01T00:00:00Z, those of a Time from midnight.

// truncated are the units of truncate: of a day, in nanoseconds; of the calendar, as functions of
// the prelude from days to the first of them.
var truncated = map[string]struct {
	nanos    int64
	function string
}{
	"second": {1e9, ""}, "minute": {60e9, ""}, "hour": {3600e9, ""}, "day": {nanosPerDay, ""},
	"week": {0, "calendar_week_start"}, "month": {0, "calendar_month_start"}, "quarter": {0, "calendar_quarter_start"}, "year": {0, "calendar_year_start"},
}

func truncateMethods() map[string]method {
	return map[string]method{"truncate": {min: 1, max: 1, run: (*elab).truncate}}
}

// truncate is t.truncate(month) or t.truncate(90min).
func (e *elab) truncate(c *methodUse) *graph.Node {
	name, m := unitNamed(c.x.Args[0]), c.recv.Type.Means
	u, ok := truncated[name]
	switch {
	case !ok:
		return e.floorTo(c, e.interval(c))
	case !hasUnit(m.Sort, u.nanos):
		e.notTruncated(c, "").Help("%s.truncate(%s)", e.operand(c.x.Receiver), someUnit(m.Sort))
		return nil
	case u.nanos > 0 && m.Sort == meaning.Date:
		return c.recv
	case u.nanos > 0:
		return e.floorTo(c, u.nanos/m.Unit.Nanos())
	}
	at := c.at()
	first := e.calendar(at, u.function, 1, 0, e.days(c.recv, at))
	if m.Sort == meaning.Timestamp {
		first = e.scalarArith(operators[syntax.Star], at, first, e.int(num.I64, perDay(m), at))
	}
	return e.retype(c.recv.Type, e.convertScalar(first, c.recv.Type.Plain(), at), at)
}

// hasUnit reports that values of a sort are truncated to a unit of so many nanoseconds; 0 is one of the calendar.
func hasUnit(s meaning.Sort, nanos int64) bool {
	switch s {
	case meaning.Date:
		return nanos == 0 || nanos == nanosPerDay
	case meaning.Time:
		return nanos > 0 && nanos < nanosPerDay
	}
	return true
}

// someUnit is a unit that values of a Date or a Time are truncated to.
func someUnit(s meaning.Sort) string {
	if s == meaning.Time {
		return "hour"
	}
	return "day"
}

// unitNamed is an argument that is one name; "" for any other.
func unitNamed(x syntax.Expr) string {
	n, ok := x.(*syntax.NameExpr)
	if !ok || len(n.Path) > 1 {
		return ""
	}
	return n.Path[0].Text
}

// floorTo is the greatest multiple of a number of units, or days of a Date, that is not above the receiver; nil for 0.
func (e *elab) floorTo(c *methodUse, per int64) *graph.Node {
	at, n := c.at(), c.recv
	switch {
	case per == 0:
		return nil
	case per == 1:
		return n
	}
	raw := e.raw64(n, at)
	first := e.scalarArith(operators[syntax.Minus], at, raw, e.calendar(at, "floor_rem", 0, per-1, raw, e.int(num.I64, per, at)))
	return e.retype(n.Type, e.convertScalar(first, n.Type.Plain(), at), at)
}

// interval is the duration that truncate is given, in units of the receiver, or days; 0 for what has been reported.
func (e *elab) interval(c *methodUse) int64 {
	x, of := c.x.Args[0], e.operand(c.x.Receiver)
	if help := e.unitMeant(x, c.recv.Type.Means.Sort); help != "" {
		e.notTruncated(c, "").Help("%s.truncate(%s)", of, help)
		return 0
	}
	var d *graph.Node
	e.inBlock(func() { d = e.expr(x, nil) }) // nothing is left of what it is computed from
	var bits uint64
	known := false
	if d != nil {
		bits, known = evaluate(d)
	}
	switch {
	case d == nil: // which was reported
	case d.Type.Means.Sort != meaning.Duration:
		e.notTruncated(c, ", found "+d.Type.String()).Help("say how long: %s.truncate(15min), %s.truncate(7day)", of, of)
	case !known:
		e.notTruncated(c, ", found what is known only at run time").Help("write the duration itself: %s.truncate(15min)", of)
	case int64(bits) <= 0:
		e.notTruncated(c, ", found "+string(d.Type.Means.Append(nil, int64(bits)))).Help("a duration above 0: %s.truncate(15min)", of)
	default:
		return e.wholeUnits(c, d.Type.Means, int64(bits))
	}
	return 0
}

// unitMeant is what is meant by text, or by a name that is none here; "" for a value.
func (e *elab) unitMeant(x syntax.Expr, of meaning.Sort) string {
	fits := func(name string) bool { u, ok := truncated[name]; return ok && hasUnit(of, u.nanos) }
	switch x := x.(type) {
	case *syntax.TextLit:
		if fits(x.Value) || writtenDuration().MatchString(x.Value) {
			return x.Value
		}
	case *syntax.NameExpr:
		name := unitNamed(x)
		if _, isSize := e.fr.sizes[name]; name == "" || isSize || e.lookup(name) != nil || e.resolver().first(name) != nil {
			return ""
		}
		if unit := diag.Nearest(name, slices.Sorted(maps.Keys(truncated))); fits(unit) {
			return unit
		}
	default:
		return ""
	}
	if of == meaning.Time {
		return someUnit(of)
	}
	return "month"
}

// writtenDuration is a literal of a duration in quotes.
var writtenDuration = pattern.Of(`^([0-9]+(day|d|h|min|s|ms|us|ns))+$`)

// wholeUnits is a duration in units of the receiver, or days.
func (e *elab) wholeUnits(c *methodUse, d meaning.Meaning, v int64) int64 {
	m := c.recv.Type.Means
	unit, finer := m.Unit, meaning.Meaning{Sort: meaning.Timestamp, Unit: d.Unit}
	one := "1" + unit.String()
	count := meaning.Meaning{Sort: meaning.Duration, Unit: unit}
	scale, _ := d.To(count)
	if m.Sort == meaning.Date {
		one, scale = "1day", meaning.Scale{Mul: 1, Div: perDay(d)}
	}
	n, ok := scale.Rescale(v)
	if ok {
		return n
	}
	found, of := string(d.Append(nil, v)), e.operand(c.x.Receiver)
	msg := e.errorf(c.x.Args[0].Where(), "T29", "`truncate` of a %s takes a multiple of %s", m, one)
	switch {
	case scale.Mul > 1:
		msg.Note("found %s, which is longer than a %s reaches", found, m)
	default:
		msg.Note("found %s", found)
	}
	if m.Sort == meaning.Time {
		msg.Help("%s.truncate(%s)", of, one)
	} else {
		msg.Help("(%s as %s).truncate(%s)", e.text(c.x.Receiver.Where()), finer, e.text(c.x.Args[0].Where()))
	}
	return 0
}

// notTruncated reports an argument that truncate does not take.
func (e *elab) notTruncated(c *methodUse, found string) message {
	takes := map[meaning.Sort]string{
		meaning.Date: "day, week, month, quarter or year, or a duration such as 7day",
		meaning.Time: "second, minute or hour, or a duration such as 15min",
	}[c.recv.Type.Means.Sort]
	if takes == "" {
		takes = "second, minute, hour, day, week, month, quarter or year, or a duration such as 15min"
	}
	return e.errorf(c.x.Args[0].Where(), "T29", "`truncate` takes the name of a unit, or a duration").Note("expected %s%s", takes, found)
}
