package engine

import (
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: when the compiler of native code begins and ends. Out: what it took, for those who expect that of other kernels, and for how long it was at work, for
// those who measure what runs beside it: on the same processors it takes part of their time.

// Made is what it took to make native code of a kernel of so many instructions, and whether the compiler was started for it.
type Made struct {
	Instructions int
	Took         time.Duration
	Starts       bool
}

// mostMade is how many of them wait to be taken away.
const mostMade = 64

// making is safe for concurrent use.
type making struct {
	mu    sync.Mutex
	under int           // way
	since time.Time     // the first of them
	spent time.Duration // before, with one under way or several
	made  []Made
}

// begin is told when code is asked for, and the function that it gives when it is there: whether it was made, and not found.
func (m *making) begin(k *kernel.Kernel, starts bool) (end func(made bool)) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.under++; m.under == 1 {
		m.since = now
	}
	return func(made bool) {
		over := time.Now()
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.under--; m.under == 0 {
			m.spent += over.Sub(m.since)
		}
		if made && len(m.made) < mostMade {
			m.made = append(m.made, Made{kernel.Instructions(k), over.Sub(now), starts})
		}
	}
}

// Making is for how long native code has been made so far.
func (e *Engine) Making() time.Duration {
	if e == nil || e.native == nil {
		return 0
	}
	m := &e.native.making
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.under > 0 {
		return m.spent + time.Since(m.since)
	}
	return m.spent
}

// Made is what was made since it was asked for last.
func (e *Engine) Made() []Made {
	if e.native == nil {
		return nil
	}
	m := &e.native.making
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.made
	m.made = nil
	return out
}
