package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/plan"
)

// In: the steps of a call over data sets. Out: how each of them goes, in order, what that takes beside the other ways, and which of them
// depend on what those before them find.

// ways writes how steps go; false if none reads a data set.
func (p *page) ways(steps []godwit.Step) bool {
	away := func(e *godwit.Prediction) bool { return e != nil && e.Way != "" }
	if !slices.ContainsFunc(steps, func(st godwit.Step) bool {
		e := st.Predicted
		return away(e) || e != nil && (away(e.AtLeast) || away(e.AtMost))
	}) {
		return false
	}
	p.section("Steps, in order")
	var rows [][]string
	for i := range steps {
		if e := steps[i].Predicted; e != nil {
			rows = append(rows, []string{steps[i].Label, wayOf(e), seconds(e.P50), fmt.Sprintf("(%s to %s)", seconds(e.P10), seconds(e.P90)), otherWays(e)})
		}
	}
	p.table(rows)
	for i := range steps {
		if e := steps[i].Predicted; e != nil && e.Only != "" {
			p.wrap(steps[i].Label + ": " + e.Only + ".")
		}
	}
	p.open(steps)
	return true
}

// wayOf is how a step goes.
func wayOf(e *godwit.Prediction) string { return wayName(e.Way) }

func wayName(w godwit.Strategy) string {
	if w == "" {
		return "here"
	}
	return string(w)
}

// otherWays are those that a step could go.
func otherWays(e *godwit.Prediction) string {
	var list []string
	for _, name := range plan.WayNames {
		if t, can := e.Ways[godwit.Strategy(name)]; can && godwit.Strategy(name) != e.Way {
			list = append(list, name+" "+seconds(t))
		}
	}
	switch {
	case len(list) > 0:
		return "instead of " + strings.Join(list, ", ")
	case e.Way != "":
		return "no other way"
	}
	return e.Most
}

// open writes which steps depend on what data decides.
func (p *page) open(steps []godwit.Step) {
	said := false
	for i := range steps {
		e := steps[i].Predicted
		if e == nil || e.AtLeast == nil {
			continue
		}
		if !said {
			p.section("What data decides of while it runs")
			said = true
		}
		text := fmt.Sprintf("%s: %s if as little as can be is left for it, %s if as much as can be", steps[i].Label, seconds(e.AtLeast.P50), seconds(e.AtMost.P50))
		if a, b := wayOf(e.AtLeast), wayOf(e.AtMost); a != b {
			text = fmt.Sprintf("%s: decided when it comes: %s in %s if as little as can be is left for it, %s in %s if as much as can be", steps[i].Label, a, seconds(e.AtLeast.P50), b, seconds(e.AtMost.P50))
		}
		p.wrap(text + ".")
	}
}
