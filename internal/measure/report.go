package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/godwit-run/godwit/internal/measure/crossing"
	"github.com/godwit-run/godwit/internal/measure/forecast"
)

// Report is what a benchmark found.
type Report struct {
	Bench   string   `json:"bench"`
	Machine Machine  `json:"machine"`
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes,omitempty"`
	// Forecasts are of the benchmark of predictions, which has no rows.
	Forecasts *forecast.Report `json:"forecasts,omitempty"`
	// Crossings are of the benchmark of them, which has no rows.
	Crossings []*crossing.Crossing `json:"crossings,omitempty"`
}

// Row is one thing measured. Ours and Reference are medians in Unit; Ratio is
// the median over pairs of runs, above 1 where ours is better. Limit is what
// the machine allows, OfLimit how near ours comes to it: 1 is there.
type Row struct {
	Name          string `json:"name"`
	Unit          string `json:"unit"`
	Ours          Number `json:"ours"`
	Reference     Number `json:"reference"`
	ReferenceName string `json:"reference_name"`
	Ratio         Number `json:"ratio"`
	RatioMin      Number `json:"ratio_min"`
	RatioMax      Number `json:"ratio_max"`
	Limit         Number `json:"limit"`
	OfLimit       Number `json:"of_limit"`
	N             int    `json:"n"` // pairs
}

// Number is a figure, or unknown, which is NaN and null in JSON.
type Number float64

var unknown = Number(math.NaN())

// Known reports that there is a figure.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON keeps four significant digits.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%.4g", float64(n)), nil
}

// UnmarshalJSON reads null as unknown.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = unknown
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

func (n Number) text(format string) string {
	if !n.Known() {
		return "–"
	}
	return fmt.Sprintf(format, float64(n))
}

// figure has three significant digits and no exponent.
func (n Number) figure() string {
	switch a := math.Abs(float64(n)); {
	case a >= 100:
		return n.text("%.0f")
	case a >= 10:
		return n.text("%.1f")
	case a >= 1:
		return n.text("%.2f")
	}
	return n.text("%.3f")
}

// Table renders the report for people.
func (r *Report) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s\n\n", r.Bench, r.Machine)
	if r.Forecasts != nil {
		b.WriteString(r.Forecasts.Text())
		b.WriteString(r.notes())
		return b.String()
	}
	if len(r.Crossings) > 0 {
		b.WriteString(crossing.Text(r.Crossings))
		b.WriteString(r.notes())
		return b.String()
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tunit\tours\treference\tratio\tspread\tlimit\tof limit\tn\tagainst")
	for _, x := range r.Rows {
		spread := "–"
		if x.RatioMin.Known() {
			spread = x.RatioMin.text("%.2f") + "…" + x.RatioMax.text("%.2f")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", x.Name, x.Unit, x.Ours.figure(), x.Reference.figure(),
			x.Ratio.text("%.2f"), spread, x.Limit.figure(), x.OfLimit.figure(), x.N, x.ReferenceName)
	}
	w.Flush()
	b.WriteString("\nA ratio above 1 means that Godwit is faster; it is the median over n pairs of runs\nthat took turns. Of limit: 1 is what the machine allows.\n")
	b.WriteString(r.notes())
	return b.String()
}

func (r *Report) notes() string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}
