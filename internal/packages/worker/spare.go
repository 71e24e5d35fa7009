package worker

import "time"

// settle is how long a new spare waits before it is started.
const settle = 20 * time.Millisecond

// spare is a process that was started ahead, so that a Load only has to link.
type spare struct {
	wanted  bool
	coming  bool
	process *process // without a program; nil if there is none
}

// Warm keeps one process started ahead from now on. It does not wait for it.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare.wanted = true
	p.prepare()
}

// prepare starts a spare in the background if one is wanted and missing.
func (p *Pool) prepare() {
	if p.closed || !p.spare.wanted || p.spare.coming || p.spare.process != nil {
		return
	}
	p.spare.coming = true
	p.pending.Go(func() {
		// Whoever took the last one is about to link: starting takes the processors.
		time.Sleep(settle)
		w, err := newProcess(&p.spawner, p.opt)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.spare.coming = false
		if err == nil { // else the next Load meets the error, and says so
			p.spare.process = w
		}
	})
}

// take gives the spare, and prepares the next one, or starts a process.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	w := p.spare.process
	p.spare.process = nil
	p.prepare()
	p.mu.Unlock()
	if w != nil && !w.exited() {
		return w, nil
	}
	return newProcess(&p.spawner, p.opt)
}

// discard ends the spare of a pool that is closed.
func (p *Pool) discard() {
	p.mu.Lock()
	w := p.spare.process
	p.spare.process = nil
	p.mu.Unlock()
	if w != nil {
		w.kill("the node ends", nil)
		w.gone()
	}
}
