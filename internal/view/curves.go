package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/godwit-run/godwit"
)

// In: what the plans of a call take by a size. Out: a drawing of them as SVG: both axes are logarithms, one line a plan, and where
// the plan changes that is chosen a mark. Colours are such that they show on light and on dark.

// The drawing, in pixels.
const (
	curvesWide, curvesHigh                         = 720, 440
	curvesLeft, curvesRight, curvesTop, curvesFoot = 72, 20, 24, 48
)

// inks are of plans, in order, then from the beginning.
var inks = []string{"#3b82f6", "#f97316", "#10b981", "#a855f7", "#ef4444", "#eab308", "#06b6d4", "#ec4899"}

// Curves draws the plans of a call by a size.
func Curves(by *godwit.BySize, here int64) string {
	d := newDrawing(by)
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", curvesWide, curvesHigh+18*len(by.Curves))
	d.b.WriteString("<style>text{fill:#475569}.axis{stroke:#94a3b8}.grid{stroke:#94a3b8;stroke-opacity:.3}@media (prefers-color-scheme:dark){text{fill:#cbd5e1}}</style>\n")
	d.axes(by.Name)
	for i, c := range by.Curves {
		d.curve(i, &c)
	}
	for _, r := range by.Rows[min(1, len(by.Rows)):] {
		d.breakpoint(&r)
	}
	if here > 0 {
		x := d.x(float64(here))
		fmt.Fprintf(&d.b, `<line class="axis" x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke-dasharray="2 4"/><text x="%.1f" y="%d" text-anchor="middle">here %d</text>`+"\n", x, x, curvesTop, curvesHigh-curvesFoot, x, curvesTop-8, here)
	}
	d.b.WriteString("</svg>\n")
	return d.b.String()
}

type drawing struct {
	b                              strings.Builder
	least, most, shortest, longest float64 // decimal logarithms of sizes and times
}

func newDrawing(by *godwit.BySize) *drawing {
	d := &drawing{least: math.Inf(1), most: math.Inf(-1), shortest: math.Inf(1), longest: math.Inf(-1)}
	for _, c := range by.Curves {
		for i, n := range c.Sizes {
			size, time := math.Log10(float64(max(1, n))), math.Log10(math.Max(c.Seconds[i], 1e-9))
			d.least, d.most = math.Min(d.least, size), math.Max(d.most, size)
			d.shortest, d.longest = math.Min(d.shortest, math.Floor(time)), math.Max(d.longest, math.Ceil(time))
		}
	}
	if !(d.most > d.least) {
		d.most = d.least + 1
	}
	if !(d.longest > d.shortest) {
		d.longest = d.shortest + 1
	}
	return d
}

func (d *drawing) x(size float64) float64 {
	return curvesLeft + (math.Log10(math.Max(size, 1))-d.least)/(d.most-d.least)*(curvesWide-curvesLeft-curvesRight)
}

func (d *drawing) y(time float64) float64 {
	return curvesHigh - curvesFoot - (math.Log10(math.Max(time, 1e-9))-d.shortest)/(d.longest-d.shortest)*(curvesHigh-curvesTop-curvesFoot)
}

func (d *drawing) axes(name string) {
	const foot = curvesHigh - curvesFoot
	for e := math.Ceil(d.least); e <= d.most; e++ {
		x := d.x(math.Pow(10, e))
		fmt.Fprintf(&d.b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, x, curvesTop, foot, x, foot+16, power(e))
	}
	for e := d.shortest; e <= d.longest; e++ {
		y := d.y(math.Pow(10, e))
		fmt.Fprintf(&d.b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", curvesLeft, curvesWide-curvesRight, y, y, curvesLeft-6, y+4, powerTime(int(e)))
	}
	fmt.Fprintf(&d.b, `<path class="axis" fill="none" d="M%d %dV%dH%d"/><text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", curvesLeft, curvesTop, foot, curvesWide-curvesRight, (curvesLeft+curvesWide)/2, foot+36, inXML(name))
}

func (d *drawing) curve(i int, c *godwit.Curve) {
	ink, at := inks[i%len(inks)], &strings.Builder{}
	for k, n := range c.Sizes {
		fmt.Fprintf(at, " %.1f,%.1f", d.x(float64(n)), d.y(c.Seconds[k]))
	}
	dash := ""
	if i%2 == 1 { // plans that take the same time lie on each other
		dash = ` stroke-dasharray="7 5"`
	}
	name, y := fmt.Sprintf("%d  %s", c.Number, planned(c.Engine, c.Threads)), curvesHigh+18*i+4
	fmt.Fprintf(&d.b, `<polyline class="plan" fill="none" stroke="%s" stroke-width="2"%s points="%s"><title>%s</title></polyline>`+"\n", ink, dash, at.String()[min(1, at.Len()):], inXML(name))
	fmt.Fprintf(&d.b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="2"%s/><text x="%d" y="%d">%s</text>`+"\n", curvesLeft, curvesLeft+36, y-4, y-4, ink, dash, curvesLeft+44, y, inXML(name))
}

// breakpoint marks where another plan is chosen.
func (d *drawing) breakpoint(r *godwit.Way) {
	x, y := d.x(float64(r.From)), d.y(r.Seconds)
	fmt.Fprintf(&d.b, `<circle class="breakpoint" cx="%.1f" cy="%.1f" r="4" fill="none" stroke="#64748b" stroke-width="2"><title>from %d on plan %d, %s</title></circle><text x="%.1f" y="%.1f" text-anchor="end">%d</text>`+"\n", x, y, r.From, r.Number, planned(r.Engine, r.Threads), x-6, y-8, r.From)
}

func power(e float64) string {
	if e < 4 {
		return fmt.Sprintf("%.0f", math.Pow(10, e))
	}
	return fmt.Sprintf("1e%.0f", e)
}

// powerTime is a power of ten in seconds.
func powerTime(e int) string {
	for _, u := range []struct {
		e    int
		name string
	}{{0, "s"}, {-3, "ms"}, {-6, "µs"}, {-9, "ns"}} {
		if e >= u.e {
			return fmt.Sprintf("%.0f %s", math.Pow(10, float64(e-u.e)), u.name)
		}
	}
	return fmt.Sprintf("1e%d s", e)
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func inXML(s string) string { return escapes.Replace(s) }
