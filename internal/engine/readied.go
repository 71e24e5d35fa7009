package engine

import (
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: kernels that become ready without the compiler of native code. Out: what that took, told once, for those who expect it of the same kernels in
// later processes: a short call takes little else.

// Readied is what it took to make a kernel as WebAssembly, or to bring native code of it from disk.
type Readied struct {
	ID   kernel.ID
	Tier Tier
	Took time.Duration
}

// readied is safe for concurrent use.
type readied struct {
	mu   sync.Mutex
	list []Readied // at most mostMade, that wait to be taken away
}

func (r *readied) note(id kernel.ID, tier Tier, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) < mostMade {
		r.list = append(r.list, Readied{id, tier, took})
	}
}

// Readied is what became ready since it was asked for last.
func (e *Engine) Readied() []Readied {
	e.readied.mu.Lock()
	defer e.readied.mu.Unlock()
	out := e.readied.list
	e.readied.list = nil
	return out
}
