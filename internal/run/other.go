package run

import (
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// other is another program that gives the same, made when a run first asks.
type other struct {
	once sync.Once
	p    atomic.Pointer[Program]
	err  error
}

func (o *other) prepare(lower func() (*schedule.Schedule, error)) (*Program, error) {
	o.once.Do(func() {
		s, err := lower()
		if o.err = err; err == nil {
			o.p.Store(Prepare(s))
		}
	})
	return o.p.Load(), o.err
}

// has finds which of a program and its others has a launch; nil if none that was made has.
func (p *Program) has(l *schedule.Launch) *Program {
	if _, ok := p.numbers[l.Kernel]; ok {
		return p
	}
	for _, o := range []*other{&p.sharing.other, &p.again.other} {
		if q := o.p.Load(); q != nil {
			if q = q.has(l); q != nil {
				return q
			}
		}
	}
	return nil
}

// of finds which of a program and its others goes by a schedule; nil if none that was made does.
func (p *Program) of(s *schedule.Schedule) *Program {
	if s == p.s {
		return p
	}
	for _, o := range []*other{&p.sharing.other, &p.again.other} {
		if q := o.p.Load(); q != nil {
			if q = q.of(s); q != nil {
				return q
			}
		}
	}
	return nil
}
