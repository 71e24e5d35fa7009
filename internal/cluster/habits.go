package cluster

import (
	"cmp"
	"encoding/binary"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch over a data set that is about to be weighed. Out: what was decided of one like it, which costs a look-up where to weigh costs
// as much as a short walk takes. Invariants: a decision holds for the sizes that it was made for, and between two sizes, one at most twice the
// other, for which the same was decided; for the same placement, description of this machine and measurement of the way; and until somebody is
// accused of being slow or is cleared, until such launches take longer than they did, and for linkValid at most.

// kind is what launches have in common that are decided on alike.
type kind struct {
	kernel  kernel.ID
	columns string // what its regions are of the set
	new     bool   // the nodes have not got the kernel yet
	laid    int    // how many of these columns are in this process's memory
	machine *machine.Machine
	way     time.Time // when the way was measured
	threads int
}

// like is a launch as decisions see it.
type like struct {
	kind  kind
	view  *catalog.View
	sizes []int64 // and all else that is a number
}

// like is nil for what is decided on anew each time: where somebody asks for reasons, or has given a machine.
func (b *Beside) like(a *arranged) *like {
	if b.Machine != nil || b.WhyNot != "" || b.doubt != nil {
		return nil
	}
	l := &like{kind{kernel: a.code.ID, new: b.news(a), laid: b.c.laidOf(a), machine: b.machine(), way: b.c.linkTo(a.set).measured(), threads: runtime.GOMAXPROCS(0)}, b.c.View(), slices.Clone(a.Sizes)}
	key := binary.AppendUvarint(nil, uint64(a.set.ID))
	for _, r := range slices.Sorted(maps.Keys(a.column)) {
		in := a.column[r]
		for _, n := range []int64{int64(r), int64(in.Binding.Column), in.Width} {
			key = binary.AppendVarint(key, n)
		}
	}
	l.kind.columns = string(key)
	l.sizes = append(l.sizes, int64(a.Repeats()), a.portion.piece)
	for i, s := range a.Compiled.Kernel.Scalars {
		if !s.Kind.IsFloat() { // what is counted by steers loops; nothing is weighed by the others
			l.sizes = append(l.sizes, int64(a.Scalars[i]))
		}
	}
	return l
}

// habit is a decision with what it was made for.
type habit struct {
	*weighed
	sizes []int64
	until time.Time
	least time.Duration // that such a launch took
	late  int           // how many took much longer, one after the other
}

const (
	// mostHabits is how many kinds are remembered; beyond it all are forgotten. mostSizes is how many sizes of each.
	mostHabits = 1024
	mostSizes  = 16
	// overdue is how many times as long as the quickest a launch takes that speaks against a decision, if lateOnes do so in a row:
	// less happens wherever others work, too.
	overdue  = 4
	lateOnes = 3
)

// habits are the decisions of a client. They are safe for concurrent use.
type habits struct {
	mu   sync.Mutex
	view *catalog.View // that all were made for: those of an older one would keep it in memory
	by   map[kind][]*habit
}

// of is what was decided; nil if there is nothing to go by.
func (h *habits) of(l *like) *weighed {
	if l == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if x := h.find(l); x != nil {
		return x.weighed
	}
	return nil
}

// find gives the decision for these sizes, or the nearer of two that they are between.
func (h *habits) find(l *like) *habit {
	if l.view != h.view {
		return nil
	}
	var below, above *habit
	now := time.Now()
	for _, x := range h.by[l.kind] {
		if len(x.sizes) != len(l.sizes) || now.After(x.until) {
			continue
		}
		switch least, most := factors(x.sizes, l.sizes); {
		case least == 1 && most == 1:
			return x
		case least >= 1 && (below == nil || reaches(below.sizes, x.sizes)):
			below = x
		case most <= 1 && (above == nil || reaches(x.sizes, above.sizes)):
			above = x
		}
	}
	if below == nil || above == nil || below.best != above.best {
		return nil
	}
	if _, most := factors(below.sizes, above.sizes); most > 2 {
		return nil
	}
	_, up := factors(below.sizes, l.sizes)
	if _, rest := factors(l.sizes, above.sizes); rest < up {
		return above
	}
	return below
}

// factors are by how many times the numbers of b are those of a, at least and at most. Where signs differ both tell that neither is between.
func factors(a, b []int64) (least, most float64) {
	least, most = 1, 1
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		f := float64(b[i]) / float64(a[i])
		if a[i] <= 0 || b[i] <= 0 {
			f = 1e9
			least = min(least, 1/f)
		}
		least, most = min(least, f), max(most, f)
	}
	return least, most
}

// reaches reports that no number of b is less than that of a.
func reaches(a, b []int64) bool {
	least, _ := factors(a, b)
	return least >= 1
}

// keep remembers a decision.
func (h *habits) keep(l *like, w *weighed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil || len(h.by) >= mostHabits || l.view != h.view {
		h.by, h.view = map[kind][]*habit{}, l.view
	}
	list := slices.DeleteFunc(h.by[l.kind], func(x *habit) bool { return slices.Equal(x.sizes, l.sizes) || time.Now().After(x.until) })
	from := cmp.Or(l.kind.way, time.Now())
	if time.Since(from) > linkValid { // a way that nothing depends on
		from = time.Now()
	}
	list = append(list, &habit{weighed: w, sizes: l.sizes, until: from.Add(linkValid)})
	h.by[l.kind] = list[max(0, len(list)-mostSizes):]
}

// took notes how long a launch took, and reports that it was late so often that its decision was dropped.
func (h *habits) took(l *like, took time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.find(l)
	if x == nil || !slices.Equal(x.sizes, l.sizes) {
		return false
	}
	if x.least == 0 || took < x.least {
		x.least = took
	}
	if x.late++; took <= overdue*x.least {
		x.late = 0
	}
	if x.late < lateOnes {
		return false
	}
	h.by[l.kind] = slices.DeleteFunc(h.by[l.kind], func(o *habit) bool { return o == x })
	return true
}

// forget drops all decisions.
func (h *habits) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.by)
}
