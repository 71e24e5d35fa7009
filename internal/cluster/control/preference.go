package control

import (
	"slices"
	"time"
)

// distrusted is how long who failed comes after all others.
const distrusted = 10 * time.Second

// Preference is in which order to ask those who can answer. It is not safe for concurrent use;
// the zero value is ready.
type Preference[T comparable] struct {
	failed map[T]time.Time // when each failed last that has not answered since
}

// Order puts those first that have not failed lately, and then those that failed the longest ago.
func (p *Preference[T]) Order(all []T) []T {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b T) int { return p.suspicion(a).Compare(p.suspicion(b)) })
	return out
}

func (p *Preference[T]) suspicion(x T) time.Time {
	at := p.failed[x]
	if time.Since(at) > distrusted {
		return time.Time{}
	}
	return at
}

// Judge remembers whether somebody has answered.
func (p *Preference[T]) Judge(x T, answered bool) {
	if answered {
		delete(p.failed, x)
		return
	}
	if p.failed == nil {
		p.failed = map[T]time.Time{}
	}
	p.failed[x] = time.Now()
}
