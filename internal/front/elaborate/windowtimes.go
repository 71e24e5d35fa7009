package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: a call that other languages have for rows of the last hours, or for one row for each hour. Out: the sum of the last hours, as a
// difference of running totals, or groups by the hour.

var (
	timeWindows   = map[string]bool{"rolling": true, "rolling_sum": true, "rolling_mean": true, "rolling_by": true, "window_by": true, "window": true, "windows": true, "moving_average": true}
	timeIntervals = map[string]bool{"resample": true, "group_by_dynamic": true, "groupby_dynamic": true, "time_bucket": true, "upsample": true}
)

// ofLastTime is that help; "" for other calls.
func (e *elab) ofLastTime(x *syntax.MethodCall, recv *graph.Node) string {
	window := timeWindows[x.Name.Text]
	if recv.Type.Kind != graph.Array || e.of(recv).group != nil || !window && !timeIntervals[x.Name.Text] {
		return ""
	}
	length := e.lengthOfTime(x, window)
	if length == "" && window {
		return ""
	}
	rows, p, key := e.operand(x.Receiver), "r", timeField(recv.Type.Elem())
	for _, arg := range x.Args {
		if cl, ok := arg.(*syntax.Closure); ok && len(cl.Params) == 1 {
			p, key = e.text(cl.Params[0].Pattern.Where()), e.text(cl.Body.Where())
		}
	}
	intro := ""
	if !window && length == "" {
		if len(x.Args)+len(x.TypeArgs) > 0 && !closureOnly(x) {
			return "group by the time, cut to the interval by truncate, which takes second, minute, hour, day, week, month, quarter or year, or a duration, such as 90min"
		}
		length, intro = "day", "for each day; truncate takes other units and durations, such as 90min:\n"
	}
	with := *x
	if e.follows(x) {
		with.Span.End += len(nextCall().FindString(e.fr.src.Text[x.Span.End:]))
	}
	switch {
	case key == "" && window:
		return "there are windows of so many rows, as window::<3>(); a sum over a time is a running total less what it was before, which as_of finds"
	case key == "":
		return "group by the time, cut to an interval: group_by(|r| r.time.truncate(" + length + "))"
	case !window:
		return intro + e.intervals(x, recv, rows+".group_by(|"+p+"| "+castable(key)+".truncate("+length+"))")
	}
	part, zero := summedField(recv.Type.Elem(), p)
	taken := p + " " + key + " " + rows
	total, before := unusedName(taken, "total", "running"), unusedName(taken, "before", "earlier")
	a, i, j := unusedName(taken, "a", "sum"), unusedName(taken, "i", "row"), unusedName(taken, "j", "last")
	return "a sum over the last " + length + ", of rows in the order of time, is a running total less what it was before:\n" +
		e.instead(with.Span, "{ let "+total+" = "+rows+".scan("+zero+", |"+a+", "+p+"| "+a+" + "+part+"); let "+before+" = "+rows+".as_of(|"+p+"| "+key+"); "+
			rows+".enumerate().map(|("+i+", "+p+")| "+total+"["+i+"] - "+before+".get("+key+" - "+length+").map(|"+j+"| "+total+"["+j+"]).or("+zero+")) }")
}

// intervals is what to write for a call that groups rows by an interval: the groups, and of each its key and the fold that follows.
func (e *elab) intervals(x *syntax.MethodCall, recv *graph.Node, groups string) string {
	at := x.Span
	if next := e.callOn(x); next != nil && next.Name.Text == "agg" {
		return e.instead(at, groups)
	}
	fold, end := e.foldBehind(x, recv.Type.Elem())
	at.End = end
	return e.instead(at, groups+".agg(|g| (g.key(), "+fold+"))")
}

// closureOnly reports a call with a closure and nothing else.
func closureOnly(x *syntax.MethodCall) bool {
	return len(x.TypeArgs) == 0 && len(x.Args) == 1 && isClosure(x.Args[0])
}

// unitWords are the names that other languages have for units, and the suffix of a duration of several; "" where no duration has it.
var unitWords = map[string][2]string{}

func init() {
	for unit, words := range map[[2]string]string{
		{"second", "s"}: "S s sec second seconds", {"minute", "min"}: "T m min minute minutes", {"hour", "h"}: "H h hour hours", {"day", "day"}: "D d day days",
		{"week", ""}: "W w week weeks", {"month", ""}: "M ME MS mo month months", {"quarter", ""}: "Q QE QS q quarter quarters", {"year", ""}: "Y A YE YS y year years",
	} {
		for _, word := range strings.Fields(words) {
			unitWords[word] = unit
		}
	}
}

var countOfUnits = pattern.Of(`^([0-9]*)([A-Za-z]+)$`)

// intervalNamed is what truncate takes for an interval as other languages write it, such as 1M or 15T; "" if there is none.
func intervalNamed(text string) string {
	m := countOfUnits().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	unit := unitWords[m[2]]
	switch {
	case m[1] == "" || m[1] == "1":
		return unit[0]
	case unit[1] == "" || strings.Trim(m[1], "0") == "":
		return ""
	}
	return m[1] + unit[1]
}

// lengthOfTime is the duration among the arguments of a call, also one in quotes, or the unit of an interval; "" if there is none.
func (e *elab) lengthOfTime(x *syntax.MethodCall, window bool) string {
	args := x.Args
	for _, t := range x.TypeArgs {
		if t.Size != nil {
			args = append(args[:len(args):len(args)], t.Size)
		}
	}
	for _, arg := range args {
		switch a := arg.(type) {
		case *syntax.MomentLit:
			if a.Sort == meaning.Duration {
				return a.Text
			}
		case *syntax.TextLit:
			text := strings.ReplaceAll(a.Value, " ", "")
			if writtenDuration().MatchString(text) {
				return text
			}
			if !window {
				return intervalNamed(text)
			}
		case *syntax.NameExpr:
			if name := unitNamed(a); truncated[name] != truncated[""] && !window {
				return name
			}
		}
	}
	return ""
}

// timeField is the first time of a record, as r.name; "" of others.
func timeField(t *graph.Type) string {
	for _, sort := range []meaning.Sort{meaning.Timestamp, meaning.Date} {
		for i, elem := range t.Elems {
			if t.Kind == graph.Tuple && types.IsSort(elem, sort) {
				return "r." + t.FieldName(i)
			}
		}
	}
	return ""
}

// summedField is the first number of a record that is summed as it is, and 0 of its type; or 1, which counts rows.
func summedField(t *graph.Type, of string) (part, zero string) {
	for i, elem := range t.Elems {
		if t.Kind == graph.Tuple && elem.Kind == graph.Scalar && !types.IsMeant(elem) && (elem.Num == num.I64 || elem.Num == num.F64) {
			return of + "." + t.FieldName(i), zeroText(elem)
		}
	}
	return "1", "0"
}
