package watch

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var seeds = flag.Int("seeds", 8, "simulations of each kind")

var epoch = time.Unix(1_700_000_000, 0)

// world is four nodes with a disk each, which work on pieces of three kernels, one after the other.
type world struct {
	rng    *rand.Rand
	w      *Watch
	spread float64 // of a piece, as a standard deviation of the logarithm
	bursts bool    // of load from elsewhere
	until  map[string]float64
	load   map[string]float64
	node   func(name string, t float64) float64 // by which factor it is slower at that second
	stops  func(name string, t float64) bool    // it stands still in that moment
	link   func(name string, t float64) float64 // likewise the way to it
	disk   func(name string, t float64) float64 // and its disk
	model  func(kernel, name string) float64    // by which factor the expectation is too short
	found  map[string]float64                   // first accused at
	gone   map[string]float64                   // and cleared at
	happen func(second int, accused []Accusation)
}

var nodes, kernels = []string{"n1", "n2", "n3", "n4"}, []string{"sum", "sort", "walk"}

func one(string, float64) float64 { return 1 }

func newWorld(seed uint64) *world {
	return &world{rng: rand.New(rand.NewPCG(seed, 7)), w: New(), spread: 0.35, until: map[string]float64{}, load: map[string]float64{},
		node: one, link: one, disk: one, stops: func(string, float64) bool { return false }, model: func(string, string) float64 { return 1 }, found: map[string]float64{}, gone: map[string]float64{}}
}

func (x *world) noise() float64 { return math.Exp(x.spread * x.rng.NormFloat64()) }

// busy is what others do on a node: every half a minute or so it takes up to two and a half times as long, for up to four seconds.
func (x *world) busy(name string, t, took float64) float64 {
	if !x.bursts {
		return 1
	}
	if t > x.until[name] && x.rng.Float64() < took/30 {
		x.until[name], x.load[name] = t+0.2+3.8*x.rng.Float64(), 1+1.5*x.rng.Float64()
	}
	if t < x.until[name] {
		return x.load[name]
	}
	return 1
}

// run lets so many seconds pass.
func (x *world) run(seconds int) {
	clock := map[string]float64{}
	for s := 1; s <= seconds; s++ {
		for _, n := range nodes {
			for clock[n] < float64(s) {
				x.piece(n, clock)
			}
		}
		now := epoch.Add(time.Duration(s) * time.Second)
		list := x.w.Accused(now)
		names := map[string]bool{}
		for _, a := range list {
			name := strings.TrimSpace(string(a.Kind) + " " + a.Name)
			names[name] = true
			if _, was := x.found[name]; !was {
				x.found[name] = float64(s)
			}
		}
		for name := range x.found {
			if _, was := x.gone[name]; !names[name] && !was {
				x.gone[name] = float64(s)
			}
		}
		if x.happen != nil {
			x.happen(s, list)
		}
	}
}

// piece is one piece of work on a node: it is sent there, reads, and computes. Its parts end together, as a caller hears of it.
func (x *world) piece(name string, clock map[string]float64) {
	t := clock[name]
	k := kernels[x.rng.IntN(len(kernels))]
	expect := map[string]float64{"sum": 0.02, "sort": 0.05, "walk": 0.03}[k]
	took := expect * x.model(k, name) * x.node(name, t) * x.busy(name, t, expect) * x.noise()
	for end := t; end < t+took; end += 0.005 {
		if x.stops(name, end) {
			took += 0.005
		}
	}
	read, sent := 0.004*x.disk(name, t)*x.noise(), 0.002*x.link(name, t)*x.noise()
	clock[name] = t + took + read + sent
	at := epoch.Add(time.Duration(clock[name] * float64(time.Second)))
	x.w.Add(&Part{At: at, Of: Resource{Node, name}, Kernel: k, Measured: took, Expected: expect, Within: 1.3})
	x.w.Add(&Part{At: at, Of: Resource{Disk, name}, Measured: read, Expected: 0.004, Within: 1.3})
	x.w.Add(&Part{At: at, Of: Resource{Link, name}, Measured: sent, Expected: 0.002, Within: 1.3})
}

// after is a factor from a second on, until another, on node n2.
func after(from, until, factor float64) func(string, float64) float64 {
	return func(name string, t float64) float64 {
		if name == "n2" && t >= from && t < until {
			return factor
		}
		return 1
	}
}

// TestFaults: what is planted is named within half a minute, nothing else is, and it is cleared within a minute of its end.
func TestFaults(t *testing.T) {
	const begin, end = 60, 180
	faults := map[string]struct {
		plant func(x *world)
		want  string
	}{
		"a node slowed to a third": {func(x *world) { x.node = after(begin, end, 3) }, "node n2"},
		"a node that stops 300 ms of each second": {func(x *world) {
			x.stops = func(n string, t float64) bool { return n == "n2" && t >= begin && t < end && t-math.Floor(t) < 0.3 }
		}, "node n2"},
		"a link at one in a hundred": {func(x *world) { x.link = after(begin, end, 100) }, "link n2"},
		"a disk at a fifth":          {func(x *world) { x.disk = after(begin, end, 5) }, "disk n2"},
	}
	for name, f := range faults {
		for seed := range uint64(*seeds) {
			for _, bursts := range []bool{false, true} {
				x := newWorld(seed)
				x.bursts = bursts
				f.plant(x)
				x.run(end + 60)
				at, found := x.found[f.want]
				if !found || at <= begin || at > begin+30 {
					t.Errorf("%s, seed %d, load %v: named at second %v of %v", name, seed, bursts, at, x.found)
				}
				if len(x.found) != 1 {
					t.Errorf("%s, seed %d, load %v: accused are %v", name, seed, bursts, x.found)
				}
				if gone, ok := x.gone[f.want]; !ok || gone < end {
					t.Errorf("%s, seed %d, load %v: cleared at %v, expected within a minute after %d", name, seed, bursts, gone, end)
				}
			}
		}
	}
}

// TestQuiet: load that comes and goes accuses nobody for ten minutes.
func TestQuiet(t *testing.T) {
	for seed := range uint64(*seeds) {
		x := newWorld(seed)
		x.bursts = true
		x.run(600)
		if len(x.found) > 0 {
			t.Errorf("seed %d: accused are %v", seed, x.found)
		}
	}
}

// TestDescription: a description that is off by a factor is accused, whichever way; one that is off by a little is not.
func TestDescription(t *testing.T) {
	for _, factor := range []float64{0.3, 0.5, 0.9, 1.1, 2, 3} {
		for seed := range uint64(*seeds) {
			want := []string{}
			if factor < 0.7 || factor > 1.5 {
				want = []string{"description"}
			}
			x := newWorld(seed)
			x.model = func(string, string) float64 { return factor }
			var last []Accusation
			x.happen = func(_ int, list []Accusation) { last = list }
			x.run(60)
			var got []string
			for _, a := range last {
				got = append(got, strings.TrimSpace(string(a.Kind)+" "+a.Name))
				if off := math.Abs(math.Log(a.Factor / factor)); off > 0.2 || a.Pieces < 100 || a.Since.Before(epoch.Add(-time.Second)) || a.Since.After(epoch.Add(time.Second)) {
					t.Errorf("off by %v, seed %d: the evidence is %+v", factor, seed, a)
				}
			}
			if !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("off by %v, seed %d: accused are %v", factor, seed, got)
			}
		}
	}
}

// TestWhose: a factor of one kernel on all nodes is the model's, of all kernels on one node that node's description.
func TestWhose(t *testing.T) {
	for seed := range uint64(*seeds) {
		for want, model := range map[string]func(k, n string) float64{
			"model walk":     func(k, _ string) float64 { return map[bool]float64{true: 4, false: 1}[k == "walk"] },
			"description n3": func(_, n string) float64 { return map[bool]float64{true: 3, false: 1}[n == "n3"] },
		} {
			x := newWorld(seed)
			x.model = model
			x.run(60)
			if _, ok := x.found[want]; !ok || len(x.found) != 1 {
				t.Errorf("seed %d: accused are %v, expected %s", seed, x.found, want)
			}
		}
	}
}

// TestEvidence: an accusation says since when, by what factor, and by how many pieces.
func TestEvidence(t *testing.T) {
	x := newWorld(1)
	x.node = after(60, 1e9, 3)
	var a Accusation
	x.happen = func(_ int, list []Accusation) {
		if len(list) > 0 {
			a = list[0]
		}
	}
	x.run(120)
	if since := a.Since.Sub(epoch).Seconds(); since < 57 || since > 64 || a.Factor < 2.3 || a.Factor > 3.6 || a.Pieces < 100 || a.Stops {
		t.Errorf("%+v, since second %v", a, since)
	}
	x = newWorld(1)
	x.stops = func(n string, t float64) bool { return n == "n2" && t >= 60 && t-math.Floor(t) < 0.3 }
	x.happen = func(_ int, list []Accusation) {
		if len(list) > 0 {
			a = list[0]
		}
	}
	x.run(120)
	if !a.Stops || a.Name != "n2" {
		t.Errorf("%+v: it stops", a)
	}
}

// TestAvoid: an accused node is avoided but for one piece in five seconds, by which it clears itself after it has recovered.
func TestAvoid(t *testing.T) {
	w, rng := New(), rand.New(rand.NewPCG(1, 2))
	add := func(s float64, factor float64) {
		w.Add(&Part{At: epoch.Add(time.Duration(s * float64(time.Second))), Of: Resource{Node, "a"}, Kernel: "k", Measured: factor * math.Exp(0.2*rng.NormFloat64()), Expected: 1, Within: 1})
	}
	s := 0.0
	for ; s < 30; s += 0.25 {
		add(s, 1)
	}
	for ; s < 60; s += 0.25 {
		add(s, 3)
	}
	now := func() time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
	if len(w.Accused(now())) != 1 {
		t.Fatal("it is not accused")
	}
	if w.Avoid("b", now()) {
		t.Error("another one is avoided")
	}
	tried := 0
	for ; s < 90; s += 0.25 {
		if !w.Avoid("a", now()) {
			tried++
			add(s, 3)
		}
	}
	if tried < 5 || tried > 7 || len(w.Accused(now())) != 1 {
		t.Errorf("%d pieces in half a minute; accused: %v", tried, w.Accused(now()))
	}
	for ; s < 150; s += 0.25 {
		if !w.Avoid("a", now()) {
			add(s, 1)
		}
	}
	if list := w.Accused(now()); len(list) > 0 {
		t.Errorf("a minute after it has recovered: %+v", list)
	}
}

// TestTold: what a node says of itself counts until it says something else.
func TestTold(t *testing.T) {
	w := New()
	w.Told("a", []Accusation{{Resource: Resource{Node, "a"}, Factor: 3}, {Resource: Resource{Model, "k"}, Factor: 3}})
	w.Told("b", []Accusation{{Resource: Resource{Description, "b"}, Factor: 0.3}})
	if list := w.Accused(epoch); len(list) != 3 || list[0].Kind != Description || list[2].Name != "a" {
		t.Errorf("%+v", list)
	}
	w.Avoid("a", epoch) // a try
	if !w.Avoid("a", epoch.Add(time.Second)) || w.Avoid("b", epoch) {
		t.Error("what is slow is avoided, and nothing else")
	}
	w.Told("a", nil)
	if w.Avoid("a", epoch.Add(2*time.Second)) || len(w.Accused(epoch)) != 1 {
		t.Error("it is cleared, and avoided")
	}
}

// TestForget: what has had no work for long is neither accused nor kept.
func TestForget(t *testing.T) {
	x := newWorld(3)
	x.node = after(30, 1e9, 3)
	x.model = func(k, _ string) float64 { return map[bool]float64{true: 4, false: 1}[k == "walk"] }
	x.run(90)
	if len(x.found) != 2 {
		t.Fatalf("accused are %v", x.found)
	}
	if list := x.w.Accused(epoch.Add(5 * time.Minute)); len(list) != 2 {
		t.Errorf("after a pause of some minutes: %+v", list)
	}
	if list := x.w.Accused(epoch.Add(30 * time.Minute)); len(list) != 0 || len(x.w.cells)+len(x.w.charts)+len(x.w.doubted) > 0 {
		t.Errorf("after half an hour without work: %+v, %d kernels", list, len(x.w.cells))
	}
}

// TestOdd: times that are none are left out, and names without end do not fill the memory.
func TestOdd(t *testing.T) {
	w := New()
	for i, m := range []float64{0, -1, math.NaN(), math.Inf(1), 5e-324} {
		w.Add(&Part{At: epoch.Add(time.Duration(i) * time.Hour), Of: Resource{Node, "a"}, Measured: m, Expected: 1e300})
		w.Add(&Part{At: epoch.Add(-time.Duration(i) * time.Hour), Of: Resource{Node, "a"}, Measured: 1, Expected: m})
	}
	for i := range 3 * mostCells {
		w.Add(&Part{At: epoch.Add(time.Duration(i) * time.Millisecond), Of: Resource{Node, "a"}, Kernel: fmt.Sprint(i), Measured: 1, Expected: 1})
	}
	w.Accused(epoch.Add(time.Hour))
	if len(w.cells) > mostCells+len(w.open) {
		t.Errorf("%d kernels are kept", len(w.cells))
	}
}
