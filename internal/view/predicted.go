package view

import (
	"fmt"
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
	case p.MeasuredBy != "":
		return "on " + p.Machine + ", as node " + p.MeasuredBy + " has measured it"
	case p.Measured != "":
		return "on " + p.Machine
	case p.Machine == machine.Default().Name:
		return "on a machine of middling speed; godwit calibrate measures this one"
	}
	return "on " + p.Machine + ", which was not measured"
}

// expected is a step's prediction in short.
func expected(st *godwit.Step) string {
	if st.Predicted == nil {
		return ""
	}
	return fmt.Sprintf("  expected %s: %s", seconds(st.Predicted.P50), st.Predicted.Most)
}
