package godwit

import (
	"fmt"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
)

// In: the bounds that a function ensures, and what is planned. Out: which of them hold. How much memory is planned is known, so a bound on
// it that does not hold is an error before anything runs; a time is an expectation, so a bound on it is a warning.

// Ensured is a bound of an ensures clause beside what is expected of a call.
type Ensured struct {
	Text     string  `json:"ensures"` // as written
	Bound    float64 `json:"bound"`   // seconds or bytes
	Expected float64 `json:"expected"`
	Most     string  `json:"most,omitempty"` // what most of it goes to
	Holds    bool    `json:"holds"`
}

// Warning says that a bound is not expected to hold; "" if it is.
func (e *Ensured) Warning() string {
	if e.Holds {
		return ""
	}
	return fmt.Sprintf("`%s` is not expected to hold: it takes %v, most of it %s", e.Text, time.Duration(e.Expected*1e9).Round(time.Microsecond), e.Most)
}

// timed reports that a function bounds its time.
func timed(list []graph.Ensure) bool {
	for i := range list {
		if list[i].What == "time" {
			return true
		}
	}
	return false
}

// ensured compares the bounds of a call with what is planned; expected is nil where nothing is.
func (f *Func) ensured(p *compile.Plan, expected *plan.Prediction) (list []Ensured, err error) {
	for i := range f.f.Graph.Ensures {
		e := &f.f.Graph.Ensures[i]
		n, ok := e.Bound.Eval(func(name string) (int64, bool) { n, ok := p.Inputs.Sizes[name]; return n, ok })
		if !ok {
			continue // a size that is found while it runs
		}
		limit := float64(n) * e.Unit
		switch {
		case e.What == "mem":
			peak := p.Program.Peak(p.Inputs.Sizes, nil)
			most := fmt.Sprintf("%.0f bytes for %s", peak.Of, bufferText(f.f.Graph.Source, peak.Most))
			list = append(list, Ensured{e.Text, limit, peak.Bytes, most, peak.Bytes <= limit})
			if peak.Bytes > limit {
				return list, &InputError{Text: fmt.Sprintf("`%s` does not hold for these arguments: arrays of %.0f bytes are in memory at the same time, most of it %s", e.Text, peak.Bytes, most),
					Help: "allow more, or give smaller arguments"}
			}
		case expected != nil:
			list = append(list, Ensured{e.Text, limit / 1e9, expected.Time.P50 / 1e9, dominant(expected), expected.Time.P50 <= limit})
		}
	}
	return list, nil
}

// bufferText is what a message calls an array: by its name, or by the line of the source that computes it.
func bufferText(src *diag.Source, name string) string {
	line := schedule.LineOf(name)
	if line == 0 || src == nil {
		return "`" + name + "`"
	}
	return fmt.Sprintf("what line %d computes: `%s`", line, strings.TrimSpace(src.Line(line)))
}

// dominant names what most of a prediction goes to: compilation, or a part of a step.
func dominant(p *plan.Prediction) string {
	most, name := p.Wait.P50, "the compilation of its kernels"
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Time.P50 > most {
			most, name = s.Time.P50, fmt.Sprintf("%s of `%s`", s.Most, s.Label)
		}
	}
	return name
}
