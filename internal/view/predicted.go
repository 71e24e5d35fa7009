package view

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// EngineNames lists the engines that were measured, as people call them.
func EngineNames(m *machine.Machine) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(m.Engines)) {
		names = append(names, engineName(name))
	}
	return names
}

// predicted says what was expected of a call.
func predicted(b *strings.Builder, s *godwit.Stats) {
	if p := s.Predicted; p != nil {
		fmt.Fprintf(b, "  %s expected (%s to %s), %s, %s, %s\n", seconds(p.P50), seconds(p.P10), seconds(p.P90), engineName(p.Engine), where(p), by(p))
	}
}

// by says what a prediction was made from.
func by(p *godwit.Prediction) string {
	if p.Kind == "warm" {
		return "by what earlier runs took"
	}
	return "by the code alone"
}

// where names the machine that a prediction is for.
func where(p *godwit.Prediction) string {
	switch {
	case p.Measured != "":
		return "on " + p.Machine
	case p.Machine == machine.Default().Name:
		return "on a machine of middling speed; godwit calibrate measures this one"
	}
	return "on " + p.Machine + ", which was not measured"
}

// Expected writes what a run is expected to take, and what its steps do; nothing if s is nil or says nothing.
func Expected(w io.Writer, s *godwit.Stats, style Style) error {
	if s == nil || s.Predicted == nil {
		return nil
	}
	p, q := &page{style: style}, s.Predicted
	p.section("Expected time")
	p.line("  %s (%s to %s), %s, %d thread(s), %s, %s", seconds(q.P50), seconds(q.P10), seconds(q.P90), engineName(q.Engine), s.Threads, where(q), by(q))
	var rows [][]string
	for i := range s.Plan.Steps {
		st := &s.Plan.Steps[i]
		if e := st.Predicted; e != nil {
			rows = append(rows, []string{st.Label, seconds(e.P50), fmt.Sprintf("(%s to %s)", seconds(e.P10), seconds(e.P90)), e.Most})
		}
	}
	p.table(rows)
	p.bySize(s.Plan.By, s.Plan.Sizes)
	p.line("")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// bySize writes from which size on a call goes another way.
func (p *page) bySize(by *godwit.BySize, sizes map[string]int64) {
	if by == nil {
		return
	}
	p.section(fmt.Sprintf("Plan by %s (here %d)", by.Name, sizes[by.Name]))
	var rows [][]string
	for i, r := range by.Rows {
		upTo := "on"
		if i+1 < len(by.Rows) {
			upTo = fmt.Sprintf("to %d", by.Rows[i+1].From-1)
		}
		rows = append(rows, []string{fmt.Sprintf("from %d %s", r.From, upTo), engineName(r.Engine), fmt.Sprintf("%d thread(s)", r.Threads), seconds(r.Seconds) + " at first"})
	}
	p.table(rows)
}

// expected is a step's prediction in short.
func expected(st *godwit.Step) string {
	if st.Predicted == nil {
		return ""
	}
	return fmt.Sprintf("  expected %s: %s", seconds(st.Predicted.P50), st.Predicted.Most)
}
