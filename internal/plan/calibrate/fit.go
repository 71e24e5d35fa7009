package calibrate

import (
	"math"

	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: launches, what each does and how long it took. Out: the times of operations with which the
// expected times come closest, by the logarithm of their ratio. Invariant: every time stays positive, and a
// class that no launch has stays at its prior.

// sample is a launch that was timed.
type sample struct {
	mix   *cost.Mix
	took  float64 // nanoseconds, of the pass that nothing else got in the way of
	times []float64
}

// weight is how much a launch counts: little, if data decides how often it does what.
func (s *sample) weight() float64 {
	if s.mix.Guessed {
		return guessed
	}
	return 1
}

const (
	guessed = 0.1
	pull    = 0.25 // how much a class is held at its prior, against one launch that is off as far
	knee    = 0.3  // a launch that is off by a factor of more than e^0.3 counts less: it does what no class says
	tries   = 40
)

// fit finds the classes' times for an engine of m, which is there without them, and how far off they are.
func fit(m *machine.Machine, engine string, samples []sample) {
	e := m.Engines[engine]
	e.Error, e.Off = 1, nil
	left := leftOut(m, engine, samples)
	adjust(m, engine, samples)
	e.Error, e.Off = spreads(left)
}

// adjust finds the classes' times.
func adjust(m *machine.Machine, engine string, samples []sample) {
	f := &fitting{m: m, engine: engine, samples: samples}
	for _, s := range samples {
		f.parts = append(f.parts, *s.mix.On(m, engine, 1, nil))
	}
	for c := range cost.Names {
		p := prior[cost.Class(c)]
		if engine == "native" && cost.Class(c) == cost.Fused { // which processors have an instruction for
			p = prior[cost.Float]
		}
		f.first = append(f.first, math.Log(p[0]*m.Cycle), math.Log(p[1]*m.Cycle))
	}
	for c := range cost.Names {
		if t := cost.Latency(cost.Class(c)); t > 0 {
			f.steps, f.first = append(f.steps, c), append(f.first, math.Log(t*m.Cycle))
		}
	}
	best := append([]float64(nil), f.first...)
	least, damp := f.loss(best), 1e-2
	for range tries {
		next := f.step(best, damp)
		if l := f.loss(next); l < least {
			if least-l < 1e-6*least {
				break
			}
			best, least, damp = next, l, damp/3
		} else if damp *= 4; damp > 1e6 {
			break
		}
	}
	f.set(best)
}

type fitting struct {
	m       *machine.Machine
	engine  string
	samples []sample
	first   []float64
	parts   []cost.Parts // of the samples; what memory takes does not change
	steps   []int        // classes whose times as steps of a chain follow those of all classes
}

// set makes times of logarithms: one value and a vector by class, then steps.
func (f *fitting) set(x []float64) {
	e := f.m.Engines[f.engine]
	for c, name := range cost.Names {
		e.Classes[name] = machine.Class{One: math.Exp(x[2*c]), Vector: math.Exp(x[2*c+1])}
	}
	for i, c := range f.steps {
		own := e.Classes[cost.Names[c]]
		own.Step = math.Exp(x[2*len(cost.Names)+i])
		e.Classes[cost.Names[c]] = own
	}
}

// residuals are the logarithms of expected by measured.
func (f *fitting) residuals(x []float64) []float64 {
	f.set(x)
	t, out := cost.TimesOf(f.m, f.m.Engines[f.engine]), make([]float64, len(f.samples))
	for i, s := range f.samples {
		out[i] = math.Log(s.mix.Anew(f.parts[i], t).Total() / s.took)
	}
	return out
}

func (f *fitting) loss(x []float64) float64 {
	sum := 0.0
	for i, r := range f.residuals(x) {
		sum += f.samples[i].weight() * 2 * knee * (math.Sqrt(knee*knee+r*r) - knee)
	}
	for i := range x {
		sum += pull * pull * (x[i] - f.first[i]) * (x[i] - f.first[i])
	}
	return sum
}

// step is one of Levenberg's and Marquardt's, with derivatives by differences.
func (f *fitting) step(x []float64, damp float64) []float64 {
	const h = 1e-4
	n, r := len(x), f.residuals(x)
	slopes := make([][]float64, n) // by parameter, then sample
	for j := range x {
		y := append([]float64(nil), x...)
		y[j] += h
		slopes[j] = f.residuals(y)
		for i := range r {
			slopes[j][i] = (slopes[j][i] - r[i]) / h
		}
	}
	a, b := make([][]float64, n), make([]float64, n)
	for j := range a {
		a[j] = make([]float64, n)
		for i := range r {
			w := f.samples[i].weight() * knee / math.Sqrt(knee*knee+r[i]*r[i])
			b[j] -= w * slopes[j][i] * r[i]
			for k := range a {
				a[j][k] += w * slopes[j][i] * slopes[k][i]
			}
		}
		b[j] -= pull * pull * (x[j] - f.first[j])
		a[j][j] += pull*pull + damp*(1+a[j][j])
	}
	next := append([]float64(nil), x...)
	for j, d := range solve(a, b) {
		next[j] += max(-1, min(1, d))
	}
	return next
}

// solve gives x of a·x = b for a symmetric positive a, by Cholesky's decomposition. It overwrites both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for j := range n {
		for k := range j {
			for i := j; i < n; i++ {
				a[i][j] -= a[i][k] * a[j][k]
			}
		}
		d := math.Sqrt(a[j][j])
		for i := j; i < n; i++ {
			a[i][j] /= d
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i][k] * b[k]
		}
		b[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k][i] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b
}
