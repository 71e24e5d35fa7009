package chaos

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// account knows what was done to whom and when, independently of what the cluster says
// of itself: which replicas could not answer at a moment.
type account struct {
	mu       sync.Mutex
	troubles []*trouble
	holders  map[string][][]string // by set, by shard: names of nodes that should or do hold it
}

// trouble is why a node, or one of its copies, may not answer from one moment to another.
type trouble struct {
	node     string
	set      string // "" for all that the node holds
	shard    int
	kind     string
	from, to time.Time // to is zero while it lasts
}

func newAccount() *account { return &account{holders: map[string][][]string{}} }

// begin enters a trouble.
func (a *account) begin(t trouble) *trouble {
	a.mu.Lock()
	defer a.mu.Unlock()
	t.from = time.Now()
	a.troubles = append(a.troubles, &t)
	return &t
}

// end says that it is over, and that others know that after the time that they have for
// noticing.
func (a *account) end(t *trouble) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.to.IsZero() {
		t.to = time.Now().Add(Noticing)
	}
}

// hold notes who holds what.
func (a *account) hold(set string, shards [][]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.holders[set] = shards
}

// holding are those who hold a shard.
func (a *account) holding(set string, shard int) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if shards := a.holders[set]; shard < len(shards) {
		return slices.Clone(shards[shard])
	}
	return nil
}

func (t *trouble) during(at time.Time) bool {
	return !at.Before(t.from) && (t.to.IsZero() || at.Before(t.to))
}

// troubled says that a node's copy of a shard could not answer at a moment.
func (a *account) troubled(node, set string, shard int, at time.Time) bool {
	return slices.ContainsFunc(a.troubles, func(t *trouble) bool {
		return t.node == node && t.during(at) && (t.set == "" || t.set == set && t.shard == shard)
	})
}

// lost says that too few keepers of the records could answer at a moment.
func (a *account) lost(at time.Time) bool {
	n := 0
	for i := range memberCount {
		if name := nodeName(i); a.troubled(name, "", 0, at) || a.troubled(keeperOf(name), "", 0, at) {
			n++
		}
	}
	return 2*n > memberCount
}

// excuse says why a call over a set that lasted from one moment to another may have
// failed: at one of them, some shard had no good replica on a node that lives.
func (a *account) excuse(set string, from, to time.Time) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	moments := []time.Time{from}
	for _, t := range a.troubles {
		if t.from.After(from) && t.from.Before(to) {
			moments = append(moments, t.from)
		}
	}
	for _, at := range moments {
		if a.without(set, at) {
			return noReplica
		}
	}
	if slices.ContainsFunc(moments, a.lost) {
		return noQuorum
	}
	return failed
}

// without says that a shard of the set had no good replica at a moment.
func (a *account) without(set string, at time.Time) bool {
	for shard, nodes := range a.holders[set] {
		if !slices.ContainsFunc(nodes, func(n string) bool { return !a.troubled(n, set, shard, at) }) {
			return true
		}
	}
	return false
}

// busy says that something is the matter with a node now.
func (a *account) busy(node string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	return slices.ContainsFunc(a.troubles, func(t *trouble) bool { return t.node == node && t.set == "" && t.during(now) })
}

// told is what lasts, in words.
func (a *account) told() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []string
	now := time.Now()
	for _, t := range a.troubles {
		if t.during(now) {
			list = append(list, fmt.Sprintf("%s %s %s/%d since %.1f s", t.node, t.kind, t.set, t.shard, now.Sub(t.from).Seconds()))
		}
	}
	if len(list) == 0 {
		return "nothing was the matter"
	}
	return "the matter: " + strings.Join(list, ", ")
}
