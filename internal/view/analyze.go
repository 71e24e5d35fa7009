package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/godwit-run/godwit"
)

// In: what a call did, and what was expected of it beforehand. Out: a table of its steps with both beside each other, those of a
// loop indented, and the step that was off by most, in time and not as a factor: that is where it pays to look.

// Analyze writes a call's steps with what was expected of them.
func Analyze(s *godwit.Stats) string {
	p := &page{}
	var other []string
	rows := [][]string{{"step", "where", "threads", "runs", "expected", "", "took", "measured / expected"}}
	for i := range s.Plan.Steps {
		st := &s.Plan.Steps[i]
		rows = append(rows, append([]string{strings.Repeat("  ", st.Depth) + st.Label, whereRan(st, s.Travel), count(int64(st.Threads)), count(st.Runs)}, beside(st.Predicted, st.Seconds)...))
		if e := st.Predicted; e != nil && st.Runs > 0 && e.Way != st.Way {
			other = append(other, fmt.Sprintf("  %s went %s, and was expected to go %s.", st.Label, wayName(st.Way), wayName(e.Way)))
		}
	}
	if rest, took := besides(s); rest != nil {
		rows = append(rows, append([]string{"besides the steps", "", "", ""}, beside(rest, took)...))
	}
	p.table(append(rows, append([]string{"the whole", "", count(int64(s.Threads)), ""}, beside(s.Predicted, s.Seconds)...)))
	if s.Predicted == nil {
		p.line("  Nothing was expected: %s.", unpredicted(s))
	} else {
		p.line("  Expected %s, %s.", where(s.Predicted), by(s.Predicted))
		p.b.WriteString(offMost(s))
	}
	for _, line := range other {
		p.line("%s", line)
	}
	p.line("  %s read.", Bytes(s.BytesRead))
	if s.Texts > 0 {
		p.line("  Columns of text were read before that, in %s.", seconds(s.Texts))
	}
	if s.Travel != nil {
		travel(&p.b, s.Travel)
	}
	return p.b.String()
}

// noticed is which part of a call's time has to be no step's to be a line of its own.
const noticed = 0.01

// besides is what was expected of a call that is no step's, and what it took; nil if next to nothing is, or nothing was expected of steps.
func besides(s *godwit.Stats) (*godwit.Prediction, float64) {
	if s.Predicted == nil || s.Predicted.AtLeast != nil {
		return nil, 0
	}
	rest, took := *s.Predicted, s.Seconds
	for i := range s.Plan.Steps {
		st := &s.Plan.Steps[i]
		if took -= st.Seconds; st.Predicted == nil {
			return nil, 0
		}
		rest.P10, rest.P50, rest.P90 = rest.P10-st.Predicted.P10, rest.P50-st.Predicted.P50, rest.P90-st.Predicted.P90
	}
	if len(s.Plan.Steps) == 0 || took < 0 || rest.P50 < 0 || max(rest.P50/s.Predicted.P50, took/s.Seconds) < noticed {
		return nil, 0
	}
	return &rest, took
}

// count writes a number, and nothing for 0.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// beside are the columns of an expectation and what was measured.
func beside(e *godwit.Prediction, took float64) []string {
	if e == nil {
		return []string{"", "", seconds(took), ""}
	}
	off := ""
	if took > 0 && e.P50 > 0 {
		off = fmt.Sprintf("%.2f", took/e.P50)
		if took < e.P10 || took > e.P90 {
			off += ", outside"
		}
	}
	return []string{seconds(e.P50), fmt.Sprintf("(%s to %s)", seconds(e.P10), seconds(e.P90)), seconds(took), off}
}

// whereRan says where a step ran, and on what.
func whereRan(st *godwit.Step, t *godwit.Travel) string {
	if st.Way == godwit.Fetch && st.Slices > 0 {
		return "rows came here, " + tier(st, t)
	}
	if t != nil {
		for _, place := range t.Places {
			if text, ok := strings.CutPrefix(place, st.Label+": "); ok && st.Slices == 0 {
				short, _, _ := strings.Cut(text, ":")
				return short
			}
		}
	}
	return tier(st, t)
}

// unpredicted says why nothing was expected of a call.
func unpredicted(s *godwit.Stats) string {
	switch {
	case s.Engine == "interp":
		return "the interpreter is not measured"
	}
	if s.Travel != nil {
		return "for as much as data may leave for it, some step has no plan"
	}
	return "arguments that a data.Source of your own reads are not predicted"
}

// offMost names the step outside of its interval whose time was off by most.
func offMost(s *godwit.Stats) string {
	var worst *godwit.Step
	most, expected := 0.0, false
	for i := range s.Plan.Steps {
		st := &s.Plan.Steps[i]
		e := st.Predicted
		expected = expected || e != nil
		if e == nil || st.Runs == 0 || st.Seconds >= e.P10 && st.Seconds <= e.P90 {
			continue
		}
		if off := math.Abs(st.Seconds - e.P50); off > most {
			worst, most = st, off
		}
	}
	switch {
	case !expected && len(s.Plan.Steps) > 0:
		return "  Other steps were expected: threads share what one can do, one does what they can share, or maps are computed again rather than held.\n"
	case worst == nil:
		return "  Every step took a time within its interval.\n"
	case worst.Seconds < worst.Predicted.P50:
		return fmt.Sprintf("  Off most: %s took %s less than expected.\n", worst.Label, seconds(most))
	}
	return fmt.Sprintf("  Off most: %s took %s longer than expected; most of its time was to go to %s.\n", worst.Label, seconds(most), strings.TrimPrefix(worst.Predicted.Most, "to "))
}
