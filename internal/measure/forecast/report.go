package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Report is what became of all predictions.
type Report struct {
	Figures []Figures `json:"figures"` // of groups of calls
	Kinds   []Figures `json:"kinds"`   // cold, above Short, by the kind of the program, the worst first
	Regret  Regrets   `json:"regret"`
	// Second compares calls that are allowed all threads with those on one, as Regret does: Auto is with all, Best with one.
	Second  Regrets  `json:"second_thread"`
	Calls   []*Call  `json:"calls"`
	Choices []Choice `json:"choices"`
	Shared  []Choice `json:"shared"`
}

// Sum fills in the figures.
func (r *Report) Sum() {
	cold := func(c *Call) *Said { return c.Cold }
	near := func(c *Call) *Said { return c.Near }
	far := func(c *Call) *Said { return c.Far }
	pick := func(keep func(c *Call) bool) (list []*Call) {
		for _, c := range r.Calls {
			if keep(c) {
				list = append(list, c)
			}
		}
		return list
	}
	short := func(c *Call) bool { return c.Took() < Short }
	r.Figures = []Figures{
		Sum("cold, held out", pick(func(c *Call) bool { return c.Held && !c.Ends && !short(c) }), cold),
		Sum("cold, tuned on", pick(func(c *Call) bool { return !c.Held && !c.Ends && !short(c) }), cold),
		Sum("cold, loops that data ends", pick(func(c *Call) bool { return c.Ends && !short(c) }), cold),
		Sum("cold, below 100 µs", pick(short), cold),
		Sum("warm, half the size seen, held out", pick(func(c *Call) bool { return c.Held && !short(c) }), near),
		Sum("warm, half the size seen, tuned on", pick(func(c *Call) bool { return !c.Held && !short(c) }), near),
		Sum("warm, an eighth seen, held out", pick(func(c *Call) bool { return c.Held && !short(c) }), far),
		Sum("warm, an eighth seen, tuned on", pick(func(c *Call) bool { return !c.Held && !short(c) }), far),
		Sum("floor: the same call again", pick(func(c *Call) bool { return !short(c) }), Floor),
	}
	r.Kinds = nil
	for _, kind := range kinds(r.Calls) {
		r.Kinds = append(r.Kinds, Sum(kind, pick(func(c *Call) bool { return c.Kind == kind && !short(c) }), cold))
	}
	slices.SortStableFunc(r.Kinds, func(a, b Figures) int { return cmp.Compare(b.Median, a.Median) })
	r.Regret, r.Second = Regret(r.Choices), Regret(r.Shared)
}

func kinds(calls []*Call) (list []string) {
	for _, c := range calls {
		if !slices.Contains(list, c.Kind) {
			list = append(list, c.Kind)
		}
	}
	return list
}

// Text is the report for people, on one screen.
func (r *Report) Text() string {
	var b strings.Builder
	programs, held := map[string]bool{}, map[string]bool{}
	for _, c := range r.Calls {
		if programs[c.Program] = true; c.Held {
			held[c.Program] = true
		}
	}
	fmt.Fprintf(&b, "%d programs, of which %d were held out from all tuning; %d calls. Wrong by: max(p/t, t/p) − 1 of the expected time p and the median t; off: |p/t − 1|.\n\n", len(programs), len(held), len(r.Calls))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tprograms\tcalls\twrong by: median\tP90\toff: median\tP90\tin [P10, P90]")
	for _, list := range [][]Figures{r.Figures, r.Kinds} {
		for _, f := range list {
			if f.Calls > 0 {
				fmt.Fprintf(w, "%s\t%d\t%d\t%.0f %%\t%.0f %%\t%.0f %%\t%.0f %%\t%.0f %%\n", f.Name, f.Programs, f.Calls, 100*f.Median, 100*f.P90, 100*f.OffMedian, 100*f.OffP90, 100*f.Inside)
			}
		}
		fmt.Fprintln(w, "\t\t\t\t\t\t\t")
	}
	w.Flush()
	fmt.Fprintf(&b, "Calls that went as planned took %.1f %% longer than the best way told, on average of %d; at worst %.0f %% (%s of %d).\n", 100*r.Regret.Mean, r.Regret.Calls, 100*r.Regret.Worst, r.Regret.Of, r.Regret.N)
	if r.Second.Calls > 0 {
		fmt.Fprintf(&b, "With all threads allowed they took %.1f %% longer than on one, on average of %d; at worst %.0f %% (%s of %d).\n", 100*r.Second.Mean, r.Second.Calls, 100*r.Second.Worst, r.Second.Of, r.Second.N)
	}
	return b.String()
}
