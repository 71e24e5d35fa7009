// Package watch holds what pieces of work took against what they were expected to take, and says which machine, link or disk, or which
// description or model of them, is to blame where that differs for long.
package watch

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// In: what happened, one part of a piece of work after the other: how long it took, how long it was expected to, and what it ran on.
// Out: accusations. What is right: a machine changes with time, and a model or a description of it does not. So a shift against
// what a resource itself did before accuses the resource; a difference that was there from the first piece on accuses the description if
// it is shared by all that ran there, and the model of a kernel if it is that kernel's own on every node.
// Invariant: no clock is read, and what is said depends on the parts alone.

// Kind is what can be accused.
type Kind string

// The kinds.
const (
	Node        Kind = "node"        // a machine and its processors
	Link        Kind = "link"        // the way to a node
	Disk        Kind = "disk"        // of a node
	Model       Kind = "model"       // how long a kernel is expected to take
	Description Kind = "description" // of a node, or of all if it names none
)

// Resource is what a part of a piece of work depends on.
type Resource struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
}

// Part is something that took time.
type Part struct {
	At time.Time // its end
	// Of is the node, link or disk that it took place on.
	Of Resource
	// Kernel is what ran; "" if nothing did.
	Kernel             string
	Measured, Expected float64 // seconds
	// Within is the factor by which such an expectation is off without anybody being to blame; at least 1.
	Within float64
}

// Accusation says that a resource is to blame, with the evidence.
type Accusation struct {
	Resource
	Since  time.Time `json:"since"`
	Pieces int       `json:"pieces"` // parts that it rests on
	Factor float64   `json:"factor"` // measured by expected
	// Stops says that most of its pieces are as they should be, but again and again one takes very long.
	Stops bool `json:"stops,omitempty"`
}

// Watch takes parts in and keeps what they say. It is safe for concurrent use.
type Watch struct {
	mu      sync.Mutex
	slot    int64 // in which parts are added up
	open    map[cell]*sum
	cells   map[cell]*level
	charts  map[Resource]*chart
	accused map[Resource]*Accusation
	doubted map[Resource]int // for how many slots what is usual was off
	told    map[string][]Accusation
	tried   map[Resource]time.Time // when an accused one was last tried
}

// cell is one kernel on one resource.
type cell struct {
	of     Resource
	kernel string
}

// sum is what a cell took within a slot.
type sum struct {
	measured, expected, within float64
	longest                    float64 // greatest excess of one part, seconds
	most                       float64 // greatest factor of one part
	pieces                     int
}

// New watches nothing yet.
func New() *Watch {
	return &Watch{open: map[cell]*sum{}, cells: map[cell]*level{}, charts: map[Resource]*chart{}, accused: map[Resource]*Accusation{}, doubted: map[Resource]int{}, told: map[string][]Accusation{}, tried: map[Resource]time.Time{}}
}

const (
	// slot is how long parts are added up before they count as one observation: what makes one slow makes those beside it
	// slow, too.
	slot = time.Second
	// mostCells bounds what is kept: callers choose the names of kernels.
	mostCells = 4096
	// idle is after how many slots without work something is forgotten: nobody knows how it is now.
	idle = 600
)

func slotOf(t time.Time) int64 { return t.UnixNano() / int64(slot) }

// Add takes in a part. What cannot be a time is left out.
func (w *Watch) Add(p *Part) {
	if !(p.Measured > 0 && p.Expected > 0) || math.IsInf(p.Measured/p.Expected, 0) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(p.At)
	c := cell{p.Of, p.Kernel}
	s := w.open[c]
	if s == nil {
		if len(w.cells) >= mostCells && w.cells[c] == nil {
			return
		}
		s = &sum{}
		w.open[c] = s
	}
	s.measured, s.expected, s.within = s.measured+p.Measured, s.expected+p.Expected, max(s.within, p.Within, 1)
	s.longest, s.most = max(s.longest, p.Measured-p.Expected), max(s.most, p.Measured/p.Expected)
	s.pieces++
}

// advance closes the slot before that of a time. Times that run backwards count for the present slot.
func (w *Watch) advance(now time.Time) {
	n := slotOf(now)
	if n <= w.slot {
		return
	}
	if len(w.open) > 0 {
		w.settle()
		clear(w.open)
	}
	w.forget(w.slot, n)
	w.slot = n
}

// settle judges a slot that is over.
func (w *Watch) settle() {
	at := time.Unix(0, (w.slot+1)*int64(slot))
	seen := map[Resource][]observed{}
	for _, c := range w.inOrder() {
		s := w.open[c]
		l := w.cells[c]
		if l == nil {
			l = &level{kernel: c.kernel}
			w.cells[c] = l
		}
		l.last = w.slot
		y := math.Log(s.measured / s.expected)
		seen[c.of] = append(seen[c.of], observed{y: y, cell: l, sum: s})
	}
	for _, r := range sorted(seen) {
		w.judge(r, seen[r], at)
	}
	w.describe()
}

// forget drops what has had no work for long. It looks every idle/4 slots.
func (w *Watch) forget(before, now int64) {
	const every = idle / 4
	if before/every == now/every {
		return
	}
	busy := map[Resource]bool{}
	for c, l := range w.cells {
		if now-l.last > idle {
			delete(w.cells, c)
			continue
		}
		busy[Resource{Model, c.kernel}], busy[Resource{Description, ""}] = true, true
		if c.of.Kind == Node {
			busy[Resource{Description, c.of.Name}] = true
		}
	}
	for r, c := range w.charts {
		if now-c.last > idle {
			delete(w.charts, r)
		} else {
			busy[r] = true
		}
	}
	for r := range w.accused {
		if !busy[r] {
			delete(w.accused, r)
		}
	}
	for r := range w.doubted {
		if !busy[r] {
			delete(w.doubted, r)
		}
	}
	for r, t := range w.tried {
		if now-slotOf(t) > idle {
			delete(w.tried, r)
		}
	}
}

func (w *Watch) inOrder() []cell {
	list := make([]cell, 0, len(w.open))
	for c := range w.open {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b cell) int { return cmp.Or(a.of.Compare(b.of), cmp.Compare(a.kernel, b.kernel)) })
	return list
}

// Compare orders resources by kind and name.
func (r Resource) Compare(o Resource) int {
	return cmp.Or(cmp.Compare(r.Kind, o.Kind), cmp.Compare(r.Name, o.Name))
}

func sorted[T any](m map[Resource]T) []Resource {
	list := make([]Resource, 0, len(m))
	for r := range m {
		list = append(list, r)
	}
	slices.SortFunc(list, Resource.Compare)
	return list
}

// Accused lists what is accused at a time, by kind and name.
func (w *Watch) Accused(now time.Time) []Accusation {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(now)
	list := []Accusation{}
	for _, r := range sorted(w.accused) {
		list = append(list, *w.accused[r])
	}
	for _, told := range w.told {
		list = append(list, told...)
	}
	slices.SortStableFunc(list, func(a, b Accusation) int { return a.Resource.Compare(b.Resource) })
	return list
}

// Told takes in what a node says of itself, in place of what it said before.
func (w *Watch) Told(node string, list []Accusation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(list) == 0 {
		delete(w.told, node)
		return
	}
	w.told[node] = list
}

// slow reports that a resource of a node is accused of being slow, by this watch or by the node itself.
func (w *Watch) slow(node string, r Resource) bool {
	if a := w.accused[r]; a != nil && a.Factor >= 1 {
		return true
	}
	return slices.ContainsFunc(w.told[node], func(a Accusation) bool { return a.Resource == r && a.Factor >= 1 })
}

// probe is after which time an accused resource is tried again, to see whether it has recovered.
const probe = 5 * time.Second

// Avoid reports that others should be preferred to a node: it, the way to it, its disk or its description is accused of being slow. One
// piece in five seconds goes there all the same: who gets no work cannot clear itself.
func (w *Watch) Avoid(node string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(now)
	for _, kind := range []Kind{Node, Link, Disk, Description} {
		r := Resource{kind, node}
		if !w.slow(node, r) {
			continue
		}
		if now.Sub(w.tried[r]) < probe {
			return true
		}
		w.tried[r] = now
	}
	return false
}
