package forecast

import (
	"cmp"
	"math"
	"slices"
)

// In: what was said of calls, and what they took. Out: how good that was. Every program weighs the same in a figure,
// whatever number of its calls is in it.

// Said is a prediction, in seconds.
type Said struct {
	P10 float64 `json:"p10"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	// Kind is "warm" where earlier runs say most of it, and else "cold".
	Kind string `json:"kind"`
}

// Call is a program with a size, an engine and a number of threads.
type Call struct {
	Program string `json:"program"`
	Kind    string `json:"kind"`
	Held    bool   `json:"held_out"`
	Ends    bool   `json:"ends_by_data,omitempty"`
	N       int64  `json:"n"`
	Engine  string `json:"engine"`
	Threads int    `json:"threads"`
	Cold    *Said  `json:"cold"`
	// Near and Far are what was said after calls with half of the elements, and with an eighth; nil where that was not tried.
	Near  *Said     `json:"warm_near,omitempty"`
	Far   *Said     `json:"warm_far,omitempty"`
	Times []float64 `json:"seconds"`
	// Again are the same calls later, after others.
	Again []float64 `json:"seconds_again"`
	Most  string    `json:"most,omitempty"` // what most of the time was expected to go to
}

// Took is the median of the times.
func (c *Call) Took() float64 { return Middle(c.Times) }

// Middle is a median.
func Middle(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	return s[len(s)/2]
}

// Short is the time in seconds below which calls are reported by themselves: what surrounds the kernels decides of them.
const Short = 100e-6

// Figures say how good predictions were.
type Figures struct {
	Name     string `json:"name"`
	Programs int    `json:"programs"`
	Calls    int    `json:"calls"`
	// Median and P90 are of max(p/t, t/p) − 1, OffMedian and OffP90 of |p/t − 1|, where p is the P50 and t the median.
	Median    float64 `json:"median"`
	P90       float64 `json:"p90"`
	OffMedian float64 `json:"off_median"`
	OffP90    float64 `json:"off_p90"`
	// Inside is the part of single runs within [P10, P90].
	Inside float64 `json:"inside"`
}

// Sum gives the figures of calls; said is what was said of one, nil to leave it out.
func Sum(name string, calls []*Call, said func(*Call) *Said) Figures {
	f, of := Figures{Name: name}, map[string]int{}
	for _, c := range calls {
		if said(c) != nil {
			of[c.Program]++
		}
	}
	var wrong, off []weighed
	for _, c := range calls {
		s := said(c)
		if s == nil {
			continue
		}
		w, t := 1/float64(of[c.Program]), c.Took()
		wrong = append(wrong, weighed{math.Max(s.P50/t, t/s.P50) - 1, w})
		off = append(off, weighed{math.Abs(s.P50/t - 1), w})
		f.Inside += w * inside(s, c.Times)
		f.Calls++
	}
	if f.Programs = len(of); f.Calls == 0 {
		return f
	}
	f.Inside /= float64(f.Programs)
	f.Median, f.P90 = at(wrong, 0.5), at(wrong, 0.9)
	f.OffMedian, f.OffP90 = at(off, 0.5), at(off, 0.9)
	return f
}

// inside is the part of times in the interval.
func inside(s *Said, times []float64) float64 {
	n := 0
	for _, t := range times {
		if t >= s.P10 && t <= s.P90 {
			n++
		}
	}
	return float64(n) / float64(len(times))
}

// weighed is a value with its weight.
type weighed struct{ value, weight float64 }

// at is the value below which that part of the weight lies.
func at(list []weighed, part float64) float64 {
	slices.SortFunc(list, func(a, b weighed) int { return cmp.Compare(a.value, b.value) })
	all := 0.0
	for _, x := range list {
		all += x.weight
	}
	sum := 0.0
	for _, x := range list {
		if sum += x.weight; sum >= part*all {
			return x.value
		}
	}
	return list[len(list)-1].value
}

// Floor is a call as if its median had been what was said: by how much the same calls differ, later.
func Floor(c *Call) *Said {
	if len(c.Again) == 0 {
		return nil
	}
	s := slices.Sorted(slices.Values(c.Again))
	return &Said{P10: s[len(s)/10], P50: s[len(s)/2], P90: s[len(s)*9/10]}
}

// Choice is a call that went as was planned, beside the best of the ways that can be told.
type Choice struct {
	Program string  `json:"program"`
	N       int64   `json:"n"`
	Held    bool    `json:"held_out"`
	Auto    float64 `json:"auto_seconds"`
	Best    float64 `json:"best_seconds"`
	How     string  `json:"best"` // engine and threads
}

// Regrets say by how much choices took longer than the best, as a part.
type Regrets struct {
	Calls int     `json:"calls"`
	Mean  float64 `json:"mean"`
	Worst float64 `json:"worst"`
	Of    string  `json:"of"` // the program of the worst
	N     int64   `json:"n"`
}

// Regret sums choices up, each program with the same weight.
func Regret(list []Choice) Regrets {
	r, of := Regrets{Calls: len(list)}, map[string]int{}
	for _, c := range list {
		of[c.Program]++
	}
	for i, c := range list {
		lost := c.Auto/c.Best - 1
		r.Mean += lost / float64(of[c.Program]*len(of))
		if i == 0 || lost > r.Worst {
			r.Worst, r.Of, r.N = lost, c.Program, c.N
		}
	}
	return r
}
