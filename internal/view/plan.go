package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
)

// In: what a call is expected to do. Out: its plan on one screen: in words, beside the other plans, by size, and what the time is made
// of.

// Plan writes a call's plan; nothing if s is nil or nothing is expected.
func Plan(w io.Writer, s *godwit.Stats, style Style) error {
	if s == nil || s.Predicted == nil && len(s.Plan.Candidates) == 0 {
		return nil
	}
	p, q := &page{style: style}, s.Predicted
	if q != nil {
		p.section("Plan " + which(&s.Plan, planned(q.Engine, s.Threads)))
		p.line("  %s expected (%s to %s), %s, %s", seconds(q.P50), seconds(q.P10), seconds(q.P90), where(q), by(q))
	}
	p.candidates(s.Plan.Candidates, s.Plan.Whole)
	p.bySize(s.Plan.By, s.Plan.Sizes)
	if !p.ways(s.Plan.Steps) {
		p.parts(s.Plan.Steps)
	}
	p.ensured(s.Ensured)
	p.whyNot(&s.Plan)
	p.line("")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// which names the plan among the others.
func which(p *godwit.Plan, otherwise string) string {
	for i := range p.Candidates {
		if c := &p.Candidates[i]; c.Number == p.Number {
			return fmt.Sprintf("%d of %d: %s", c.Number, len(p.Candidates), inWords(c))
		}
	}
	if len(p.Candidates) > 0 && p.Candidates[0].Strategy != "" {
		return "of several ways: each step goes the one that is expected to be the quickest when it comes"
	}
	return "without a number: " + otherwise
}

func inWords(c *godwit.Candidate) string {
	switch c.Strategy {
	case godwit.Fetch:
		return "rows of data sets come here (fetch)"
	case godwit.Ship:
		return "steps go to the rows of data sets (ship)"
	case godwit.Gather:
		return "walks stay here and are brought the rows that they come to (gather)"
	}
	return planned(c.Engine, c.Threads)
}

func planned(engine string, threads int) string {
	if threads == 1 {
		return engineName(engine) + " on 1 thread"
	}
	return fmt.Sprintf("%s on %d threads", engineName(engine), threads)
}

func (p *page) candidates(list []godwit.Candidate, whole int) {
	if len(list) == 0 {
		return
	}
	p.section("Plans, of which --plan of godwit run takes one")
	var rows [][]string
	for i := range list {
		c := &list[i]
		row := []string{fmt.Sprint(c.Number), inWords(c), "", "", ""}
		if q := c.Predicted; q != nil {
			row[2], row[3] = seconds(q.P50), fmt.Sprintf("(%s to %s)", seconds(q.P10), seconds(q.P90))
		}
		if c.Chosen {
			row[4] = "chosen"
		}
		rows = append(rows, row)
	}
	p.table(rows)
	if whole > 0 {
		p.wrap(fmt.Sprintf("Each step goes the way that takes it the least when it comes. As a whole plan %d is expected to take less: --plan %d carries it out.", whole, whole))
	}
}

// bySize writes from which size on a call goes another way.
func (p *page) bySize(by *godwit.BySize, sizes map[string]int64) {
	if by == nil {
		return
	}
	p.section(fmt.Sprintf("Plan by %s (here %d)", by.Name, sizes[by.Name]))
	if by.LeftOut != "" {
		p.wrap("Left out: " + by.LeftOut + ".")
		return
	}
	var rows [][]string
	for i, r := range by.Rows {
		upTo := "on"
		if i+1 < len(by.Rows) {
			upTo = fmt.Sprintf("to %d", by.Rows[i+1].From-1)
		}
		number := ""
		if r.Number > 0 {
			number = fmt.Sprintf("plan %d", r.Number)
		}
		rows = append(rows, []string{fmt.Sprintf("from %d %s", r.From, upTo), number, planned(r.Engine, r.Threads), seconds(r.Seconds) + " at first"})
	}
	p.table(rows)
}

// mostParts is how many steps are listed: a plan fits on a screen.
const mostParts = 8

// parts writes what the time is made of, the longest steps first.
func (p *page) parts(steps []godwit.Step) {
	var list []*godwit.Step
	for i := range steps {
		if steps[i].Predicted != nil {
			list = append(list, &steps[i])
		}
	}
	if len(list) == 0 {
		return
	}
	p.section("What the time is made of")
	slices.SortStableFunc(list, func(a, b *godwit.Step) int { return cmp.Compare(b.Predicted.P50, a.Predicted.P50) })
	var rows [][]string
	for _, st := range list[:min(len(list), mostParts)] {
		e := st.Predicted
		rows = append(rows, []string{st.Label, seconds(e.P50), fmt.Sprintf("(%s to %s)", seconds(e.P10), seconds(e.P90)), e.Most})
	}
	p.table(rows)
	if more := list[min(len(list), mostParts):]; len(more) > 0 {
		rest := 0.0
		for _, st := range more {
			rest += st.Predicted.P50
		}
		p.line("  %d shorter steps, %s together", len(more), seconds(rest))
	}
}

// ensured writes which bounds hold.
func (p *page) ensured(list []godwit.Ensured) {
	if len(list) == 0 {
		return
	}
	p.section("What the function ensures")
	for i := range list {
		if w := list[i].Warning(); w != "" {
			p.wrap(w + ".")
		} else {
			p.line("  `%s` holds", list[i].Text)
		}
	}
}

// whyNot writes what was asked about a strategy.
func (p *page) whyNot(plan *godwit.Plan) {
	list := plan.WhyNotSteps
	if plan.WhyNot != nil {
		list = append(list, *plan.WhyNot)
	}
	for i := range list {
		w := &list[i]
		title := "Why not " + w.Strategy
		if w.Step != "" {
			title += ": " + w.Step
		}
		p.section(title)
		for _, line := range why(w) {
			p.wrap(line)
		}
	}
}

// WhyNot writes only what was asked about a strategy.
func WhyNot(s *godwit.Stats) string {
	p := &page{}
	p.whyNot(&s.Plan)
	return p.b.String()
}

func why(w *godwit.WhyNot) (lines []string) {
	switch {
	case w.Chosen:
		return []string{"That is what is chosen."}
	case w.Reason != "":
		return []string{strings.ToUpper(w.Reason[:1]) + w.Reason[1:] + "."}
	}
	than := "where what was chosen takes"
	if w.Predicted.P50 <= w.Least.P50 {
		than = "no less than what was chosen:"
	}
	lines = append(lines, fmt.Sprintf("It would take %s (%s to %s), %s %s (%s to %s).", seconds(w.Predicted.P50), seconds(w.Predicted.P10), seconds(w.Predicted.P90),
		than, seconds(w.Least.P50), seconds(w.Least.P10), seconds(w.Least.P90)))
	if len(w.Changes) == 0 && w.Step != "" {
		return append(lines, "No other way to the nodes would change that: the rest of it is more than the difference.")
	}
	if len(w.Changes) == 0 {
		return append(lines, "Nothing that was looked at would change that: no size in its range, and no time of this machine.")
	}
	for _, c := range w.Changes {
		lines = append(lines, "It would be chosen "+changed(&c)+".")
	}
	return lines
}

// changed says what has to be different.
func changed(c *godwit.Change) string {
	reach := "from %s on"
	if c.Needs < c.Now {
		reach = "up to %s"
	}
	switch {
	case c.What == "calls":
		return fmt.Sprintf("for %.0f such calls, of which the first pays for all", c.Needs)
	case strings.HasSuffix(c.What, "_ns"):
		return fmt.Sprintf("with %s "+reach+" (now %s)", c.What, nanoseconds(c.Needs), nanoseconds(c.Now))
	}
	return fmt.Sprintf("for %s "+reach+" (now %.0f)", c.What, fmt.Sprintf("%.0f", c.Needs), c.Now)
}

// nanoseconds writes a time as machine.toml has it, and, of a long one, as people read it.
func nanoseconds(t float64) string {
	if t < 1e3 {
		return fmt.Sprintf("%.3g", t)
	}
	return fmt.Sprintf("%.0f, which is %s", t, time.Duration(t).Round(time.Microsecond))
}
