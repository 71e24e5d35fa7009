package control

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Memory is a control without etcd, for simulations and tests: same rules, no
// clock. Leases live until Expire.
type Memory struct {
	*registry
	m *memory
}

// NewMemory gives a control for a cluster that has no members and no sets.
func NewMemory() *Memory {
	m := &memory{live: map[string]entry{}, over: map[int64]chan struct{}{}, news: make(chan struct{})}
	return &Memory{newRegistry(m, Options{}), m}
}

// Expire ends the lease of a node, as if it had not been renewed in time. It
// reports whether the node was alive.
func (m *Memory) Expire(p catalog.Peer) bool {
	m.m.mu.Lock()
	defer m.m.mu.Unlock()
	e, ok := m.m.live[numbered(nodePrefix, uint32(p))]
	if ok {
		m.m.end(e.lease)
	}
	return ok
}

// memory is records in memory.
type memory struct {
	mu       sync.Mutex
	revision int64
	live     map[string]entry
	leases   int64                   // given so far
	over     map[int64]chan struct{} // of leases that live: closed at their end
	kept     []record                // the latest changes
	dropped  int64                   // revision up to which changes are not in kept
	news     chan struct{}           // closed and replaced at each change
}

type entry struct {
	record
	lease int64
}

// keptChanges is how many changes memory remembers. It is small, so that tests
// also meet readers who are behind.
const keptChanges = 64

func (m *memory) read(ctx context.Context, keys ...string) ([]record, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []record
	for _, key := range keys {
		from := len(out)
		for k, e := range m.live {
			if k == key || strings.HasSuffix(key, "/") && strings.HasPrefix(k, key) {
				out = append(out, e.record)
			}
		}
		slices.SortFunc(out[from:], func(a, b record) int { return cmp.Compare(a.key, b.key) })
	}
	return out, m.revision, ctx.Err()
}

func (m *memory) size(context.Context) (used, quota int64, err error) { return 0, 0, nil }

func (m *memory) commit(ctx context.Context, when []condition, then []change) (bool, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return false, 0, err
	}
	for _, c := range when {
		e := m.live[c.key]
		if c.created && e.created != c.revision || !c.created && e.modified != c.revision {
			return false, m.revision, nil
		}
	}
	for _, c := range then {
		if _, alive := m.over[c.lease]; c.lease != 0 && !alive {
			return false, m.revision, errNoLease
		}
	}
	m.apply(then)
	return true, m.revision, nil
}

// apply makes changes in one revision.
func (m *memory) apply(changes []change) {
	m.revision++
	for _, c := range changes {
		old, there := m.live[c.key]
		r := record{key: c.key, value: bytes.Clone(c.value), created: old.created, modified: m.revision}
		if c.value == nil {
			if !there {
				continue
			}
			delete(m.live, c.key)
		} else {
			if !there {
				r.created = m.revision
			}
			m.live[c.key] = entry{r, c.lease}
		}
		m.kept = append(m.kept, r)
	}
	for len(m.kept) > keptChanges {
		m.dropped = m.kept[0].modified
		m.kept = m.kept[1:]
	}
	close(m.news)
	m.news = make(chan struct{})
}

func (m *memory) grant(ctx context.Context, _ time.Duration) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases++
	m.over[m.leases] = make(chan struct{})
	return m.leases, ctx.Err()
}

func (m *memory) revoke(ctx context.Context, lease int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end(lease)
	return ctx.Err()
}

func (m *memory) end(lease int64) {
	over, ok := m.over[lease]
	if !ok {
		return
	}
	var gone []change
	for k, e := range m.live {
		if e.lease == lease {
			gone = append(gone, change{key: k})
		}
	}
	slices.SortFunc(gone, func(a, b change) int { return cmp.Compare(a.key, b.key) })
	m.apply(gone)
	delete(m.over, lease)
	close(over)
}

func (m *memory) keep(ctx context.Context, lease int64, _ time.Duration) (<-chan struct{}, func() time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	over, ok := m.over[lease]
	if !ok {
		return nil, nil, errNoLease
	}
	return over, time.Now, ctx.Err()
}

func (m *memory) watch(_ context.Context, prefix string, after int64) log {
	return &memoryLog{m, prefix, after}
}

type memoryLog struct {
	m      *memory
	prefix string
	after  int64
}

func (l *memoryLog) next(ctx context.Context) ([]record, int64, error) {
	for {
		changes, revision, news, err := l.ready()
		if err != nil || revision > l.after {
			l.after = revision
			return changes, revision, err
		}
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-news:
		}
	}
}

// progress has nothing to do: next gives each revision.
func (l *memoryLog) progress(context.Context) {}

func (l *memoryLog) ready() (out []record, revision int64, news <-chan struct{}, err error) {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.dropped > l.after {
		return nil, l.after, nil, errBehind
	}
	for _, r := range l.m.kept {
		if r.modified > l.after && strings.HasPrefix(r.key, l.prefix) {
			out = append(out, r)
		}
	}
	return out, l.m.revision, l.m.news, nil
}

func (m *memory) where() string { return "memory" }
func (m *memory) close() error  { return nil }
