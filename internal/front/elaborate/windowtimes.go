package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
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
		length, intro = "day", "for each day; truncate takes other units and durations, such as 90min:\n"
	}
	with := *x
	if e.follows(x) {
		with.Span.End += len(nextCall.FindString(e.fr.src.Text[x.Span.End:]))
	}
	switch {
	case key == "" && window:
		return "there are windows of so many rows, as window::<3>(); a sum over a time is a running total less what it was before, which as_of finds"
	case key == "":
		return "group by the time, cut to an interval: group_by(|r| r.time.truncate(" + length + "))"
	case !window:
		return intro + e.instead(with.Span, rows+".group_by(|"+p+"| "+castable(key)+".truncate("+length+")).agg(|g| (g.key(), g.count()))")
	}
	part, zero := summedField(recv.Type.Elem(), p)
	taken := p + " " + key + " " + rows
	total, before := unusedName(taken, "total", "running"), unusedName(taken, "before", "earlier")
	a, i, j := unusedName(taken, "a", "sum"), unusedName(taken, "i", "row"), unusedName(taken, "j", "last")
	return "a sum over the last " + length + ", of rows in the order of time, is a running total less what it was before:\n" +
		e.instead(with.Span, "{ let "+total+" = "+rows+".scan("+zero+", |"+a+", "+p+"| "+a+" + "+part+"); let "+before+" = "+rows+".as_of(|"+p+"| "+key+"); "+
			rows+".enumerate().map(|("+i+", "+p+")| "+total+"["+i+"] - "+before+".get("+key+" - "+length+").map(|"+j+"| "+total+"["+j+"]).or("+zero+")) }")
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
			if _, unit := truncated[text]; writtenDuration.MatchString(text) || unit && !window {
				return text
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
