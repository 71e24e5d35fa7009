// Package crossing finds the size from which on one way is quicker than another, by measuring both, and holds it against the size that a
// plan says.
package crossing

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Contest is two ways of which one is said to be quicker up to a size, and the other from there on.
type Contest struct {
	Program string
	Below   string // the way that is quicker up to Table
	Above   string
	Size    string // its name
	Table   float64
	Lo, Hi  float64 // sizes that there may be
	// Pair runs both ways once with a size, below first or last, and gives the seconds of each.
	Pair func(ctx context.Context, size float64, swapped bool) (below, above float64, err error)
	// Said is what they were expected to take.
	Said func(ctx context.Context, size float64) (below, above float64, err error)
}

// Crossing is what was found.
type Crossing struct {
	Program string  `json:"program"`
	Below   string  `json:"below"`
	Above   string  `json:"above"`
	Size    string  `json:"size"`
	Table   float64 `json:"table"`
	// Measured is where the medians cross, between From and To, outside of which three of four pairs say which is quicker; 0 if they do not
	// cross where it was looked.
	Measured float64 `json:"measured"`
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	// Factor is by what factor Table and Measured differ, 1 or more.
	Factor float64 `json:"factor"`
	// Within says that Table lies between From and To, where neither is quicker for sure.
	Within bool    `json:"within"`
	Points []Point `json:"points"`
}

// Point is both ways at a size.
type Point struct {
	Size  float64 `json:"size"`
	Below float64 `json:"below"` // median seconds
	Above float64 `json:"above"`
	// SaidBelow and SaidAbove are what was expected.
	SaidBelow float64 `json:"said_below"`
	SaidAbove float64 `json:"said_above"`
	// Ratio is the median of below by above, with the quartiles: above 1 where the way is quicker that is said to be from the crossing on.
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

const (
	// octaves is how far from the size in the table it is looked at first, as a power of two, and most how far at last.
	octaves, most = 2, 7
	// close is how near sizes on both sides of a crossing are at last.
	close = 1.15
	// Near is by what factor a size in a table may be off.
	Near = 1.5
)

// Find measures both ways at sizes around the table's, so many pairs at each.
func Find(ctx context.Context, c *Contest, pairs int) (*Crossing, error) {
	s := &search{ctx: ctx, c: c, pairs: pairs, at: map[float64]Point{}}
	if err := s.find(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Program, err)
	}
	return s.crossing(), nil
}

type search struct {
	ctx   context.Context
	c     *Contest
	pairs int
	at    map[float64]Point
	list  []Point // in order of sizes
}

func (s *search) find() error {
	for k := -octaves; k <= octaves; k++ {
		if err := s.look(s.c.Table * math.Exp2(float64(k))); err != nil {
			return err
		}
	}
	for k := octaves + 1; k <= most; k++ { // as long as all say the same
		out := float64(k)
		switch first, last := s.list[0], s.list[len(s.list)-1]; {
		case first.Ratio > 1:
			out = -out
		case last.Ratio > 1:
			out = 0
		}
		if out == 0 {
			break
		}
		if err := s.look(s.c.Table * math.Exp2(out)); err != nil {
			return err
		}
	}
	for range 8 {
		i := s.change()
		if i < 0 || s.list[i].Size/s.list[i-1].Size < close {
			return nil
		}
		before := len(s.list)
		if err := s.look(math.Sqrt(s.list[i].Size * s.list[i-1].Size)); err != nil || len(s.list) == before {
			return err
		}
	}
	return nil
}

// change is the first place from which on the way that is said to be is quicker, by the medians of a place and its neighbours; -1 if there is none.
func (s *search) change() int {
	best, least := -1, math.Inf(1)
	for i := 1; i < len(s.list); i++ { // the cut that fewest medians speak against, those that are far off first
		against := 0.0
		for j, p := range s.list {
			if log := math.Log(p.Ratio); (j >= i) != (log > 0) {
				against += math.Abs(log)
			}
		}
		if against < least && s.list[i-1].Ratio <= 1 && s.list[i].Ratio > 1 {
			best, least = i, against
		}
	}
	return best
}

// look measures both ways at a size, in turns.
func (s *search) look(size float64) error {
	size = math.Round(min(max(size, s.c.Lo), s.c.Hi))
	if _, ok := s.at[size]; ok {
		return nil
	}
	if _, _, err := s.c.Pair(s.ctx, size, false); err != nil { // which makes ready what is made once
		return err
	}
	var below, above, ratios []float64
	for i := range s.pairs {
		b, a, err := s.c.Pair(s.ctx, size, i%2 == 1)
		if err != nil {
			return err
		}
		below, above, ratios = append(below, b), append(above, a), append(ratios, b/a)
	}
	p := Point{Size: size, Below: quantile(below, 0.5), Above: quantile(above, 0.5), Ratio: quantile(ratios, 0.5), Low: quantile(ratios, 0.25), High: quantile(ratios, 0.75)}
	if s.c.Said != nil {
		var err error
		if p.SaidBelow, p.SaidAbove, err = s.c.Said(s.ctx, size); err != nil {
			return err
		}
	}
	s.at[size] = p
	at, _ := slices.BinarySearchFunc(s.list, size, func(p Point, n float64) int {
		if p.Size < n {
			return -1
		}
		return 1
	})
	s.list = slices.Insert(s.list, at, p)
	return nil
}

func (s *search) crossing() *Crossing {
	c := s.c
	out := &Crossing{Program: c.Program, Below: c.Below, Above: c.Above, Size: c.Size, Table: c.Table, Points: s.list}
	i := s.change()
	if i < 0 {
		return out
	}
	a, b := s.list[i-1], s.list[i]
	x, y := math.Log(a.Ratio), math.Log(b.Ratio)
	out.Measured = math.Exp(math.Log(a.Size) + math.Log(b.Size/a.Size)*(-x)/max(y-x, 1e-9))
	out.From, out.To = s.list[0].Size, s.list[len(s.list)-1].Size
	for _, p := range s.list { // the longest beginning and end where all is sure
		if p.High > 1 {
			break
		}
		out.From = p.Size
	}
	for _, p := range slices.Backward(s.list) {
		if p.Low < 1 {
			break
		}
		out.To = p.Size
	}
	out.Factor = max(out.Measured/c.Table, c.Table/out.Measured)
	out.Within = out.From <= c.Table && c.Table <= out.To
	return out
}

// quantile is that of a list, between its elements.
func quantile(list []float64, q float64) float64 {
	list = slices.Sorted(slices.Values(list))
	at := q * float64(len(list)-1)
	i := int(at)
	if i+1 >= len(list) {
		return list[len(list)-1]
	}
	return list[i] + (at-float64(i))*(list[i+1]-list[i])
}

// Text renders crossings for people.
func Text(list []*Crossing) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\tup to\tfrom\tsize\ttable\tmeasured\tbetween\tfactor\t")
	for _, c := range list {
		if c.Measured == 0 {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\tnone\t%.0f and %.0f\t–\t\n", c.Program, c.Below, c.Above, c.Size, c.Table, c.Points[0].Size, c.Points[len(c.Points)-1].Size)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%.0f\t%.0f and %.0f\t%.2f\t%s\n", c.Program, c.Below, c.Above, c.Size, c.Table, c.Measured, c.From, c.To, c.Factor, verdict(c))
	}
	w.Flush()
	b.WriteString("\nMeasured is where the medians of both ways cross. Outside of between three of four pairs say which way is quicker.\n")
	return b.String()
}

func verdict(c *Crossing) string {
	switch {
	case c.Factor <= Near:
		return ""
	case c.Within:
		return "off, where neither is quicker for sure"
	}
	return "off"
}
