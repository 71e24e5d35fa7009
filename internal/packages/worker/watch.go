package worker

import (
	"fmt"
	"net"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/cpuclock"
)

// A pool looks at its workers as long as one is there that has run code: at what all of
// them hold of memory, and at what they do between calls, when there is nothing to do.
const (
	lookBusy = 250 * time.Millisecond // while calls are under way, at most
	lookIdle = 500 * time.Millisecond // in the first moments after a call
	lookLong = 2 * time.Second        // later
	calm     = 10 * time.Second       // when later begins
	// growth is how fast one processor fills fresh memory at most, in bytes a second. It
	// says how soon a limit that is not reached can be.
	growth   = 8 << 30
	lookNear = 5 * time.Millisecond // the least pause
)

// unrest is for how many looks in a row a worker's text may go on after a call: what the
// call wrote may have to be read slowly.
const unrest = 8

// watcher is the state of a pool's look at its workers. Pool.mu guards it.
type watcher struct {
	on    bool
	idle  bool          // it has a long pause, which a call ends
	wake  chan struct{} // holds at most one
	last  time.Time     // when a call was seen under way
	held  int64         // of all workers, in bytes
	ended int64         // workers that were ended for what they did, or to make room
}

// watched starts the watch, or ends its long pause; Pool.mu is held.
func (p *Pool) watched() {
	w := &p.watch
	switch {
	case !w.on:
		w.on, w.last = true, time.Now()
		p.pending.Go(p.watchAll)
	case w.idle:
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// watchAll looks at the workers until none is left that has run code.
func (p *Pool) watchAll() {
	t := time.NewTimer(lookBusy)
	defer t.Stop()
	for {
		select {
		case <-p.closing:
			return
		case <-p.watch.wake:
			t.Reset(p.pause(true))
			continue
		case <-t.C:
		}
		if !p.look() {
			return
		}
		t.Reset(p.pause(false))
	}
}

// pause is how long nothing has to be looked at. A call may have ended the pause before.
func (p *Pool) pause(busy bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for _, s := range p.slots {
		busy = busy || s.calls > 0
	}
	p.watch.idle = !busy
	switch {
	case busy:
		p.watch.last = now
		left := time.Duration(float64(p.opt.Memory-p.watch.held) / growth / float64(runtime.NumCPU()) * float64(time.Second))
		return min(max(left, lookNear), lookBusy)
	case now.Sub(p.watch.last) < calm:
		return lookIdle
	}
	return lookLong
}

// look looks once at all workers, and reports whether to go on.
func (p *Pool) look() bool {
	p.mu.Lock()
	var all []*slot
	for _, s := range p.slots {
		if s.filled() && s.process != nil && s.process.hasRun() {
			all = append(all, s)
		}
	}
	if p.watch.on = len(all) > 0; !p.watch.on {
		p.watch.held = 0
		p.mu.Unlock()
		return false
	}
	p.mu.Unlock()
	held := int64(0)
	for _, s := range all {
		w := s.process
		if how := w.stray(); how != "" {
			p.retire(s, how)
			continue
		}
		held += w.measure()
	}
	held = p.makeRoom(all, held)
	p.mu.Lock()
	p.watch.held = held
	p.mu.Unlock()
	return true
}

// makeRoom ends workers while all together hold too much: the biggest that are idle,
// and if that is not enough the biggest that is in a call. It gives what is still held.
func (p *Pool) makeRoom(all []*slot, held int64) int64 {
	for held > p.opt.Memory {
		s := biggest(all)
		if s == nil {
			break
		}
		mib := s.process.held >> 20
		if !p.retire(s, fmt.Sprintf("its idle worker was ended, because the packages of this node held %d MiB and may hold %d; this one held %d", held>>20, p.opt.Memory>>20, mib)) {
			s.process.kill(fmt.Sprintf("out of memory: the packages of this node may hold %d MiB together, and held %d; this one held %d", p.opt.Memory>>20, held>>20, mib), nil)
			s.process.gone()
			p.mu.Lock()
			p.watch.ended++
			p.mu.Unlock()
		}
		held -= s.process.held
		s.process.held = 0
	}
	return held
}

// biggest is the slot whose worker holds most: of those that are idle, if there is one.
func biggest(all []*slot) (found *slot) {
	rank := func(s *slot) (bool, int64) { return !s.process.inCall(), s.process.held }
	for _, s := range all {
		if s.process.held == 0 {
			continue // it has ended
		}
		if found == nil {
			found = s
			continue
		}
		idle, n := rank(s)
		foundIdle, most := rank(found)
		if idle == foundIdle && n > most || idle && !foundIdle {
			found = s
		}
	}
	return found
}

// retire ends a worker that is idle, and tells whether it was. The next call finds that
// its program has to be loaded again.
func (p *Pool) retire(s *slot, how string) bool {
	w := s.process
	select {
	case w.turn <- struct{}{}:
	default:
		return false
	}
	w.kill(how, nil)
	w.gone()
	<-w.turn
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slots[w.id] == s {
		delete(p.slots, w.id)
		p.tell()
	}
	p.watch.ended++
	if p.opt.Log != nil {
		p.opt.Log.Warn("a worker was ended between calls", "package", label(w.name, w.id), "reason", how)
	}
	return true
}

// rests is what is known of a worker between calls. process.mu guards it.
type rests struct {
	running bool   // a call is under way
	calls   uint64 // begun so far
	allowed allowance

	// Of the watch alone:
	seen    uint64 // calls when what follows was noted
	text    int64  // bytes of text
	looks   int    // since then
	settled bool   // the text had come to its end
}

func (p *process) hasRun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rests.calls > 0
}

func (p *process) inCall() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rests.running
}

// wakes begins a call. It gives the processor time that the worker has used so far, and
// what it did since the last call that it may not.
func (p *process) wakes() (used time.Duration, how string) {
	used, err := cpuclock.Used(p.cmd.Process.Pid)
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.rests
	if err == nil && r.calls > 0 && r.allowed.look(used, time.Now()) {
		return used, usesTime
	}
	r.running = true
	r.calls++
	return used, ""
}

// sleeps ends a call that moved so many bytes.
func (p *process) sleeps(bytes int) {
	used, err := cpuclock.Used(p.cmd.Process.Pid)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rests.running = false
	if err == nil {
		p.rests.allowed.rest(used, time.Now(), bytes)
	}
}

const usesTime = "its worker used processor time between calls"

// stray says what a worker does between calls that it may not, or "".
func (p *process) stray() string {
	pid := p.cmd.Process.Pid
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.rests
	if r.running || p.reason != nil || p.ending.state != nil {
		return ""
	}
	if used, err := cpuclock.Used(pid); err == nil && r.allowed.look(used, time.Now()) {
		return usesTime
	}
	if u, ok := usageOf(pid); ok && u.threads > p.threads {
		return fmt.Sprintf("its worker has %d threads after a call, and had %d before the first", u.threads, p.threads)
	}
	if unread(p.conn.(*net.UnixConn)) > 0 {
		return "its worker broke the protocol: it gave an answer that nobody asked for"
	}
	if p.talks() {
		return "its worker wrote text between calls"
	}
	return ""
}

// talks reports whether the worker writes although what the last call wrote has been read.
func (p *process) talks() bool {
	r := &p.rests
	total, _ := p.said.counts()
	quiet := unread(p.stderr.file) == 0
	switch {
	case r.seen != r.calls:
		r.seen, r.looks, r.settled = r.calls, 0, false
	case quiet && total == r.text:
		r.settled = true
	case r.settled || r.looks >= unrest:
		return true
	}
	r.text = total
	r.looks++
	return false
}

// unread is how many bytes wait in a pipe or socket.
func unread(f syscall.Conn) (n int) {
	c, err := f.SyscallConn()
	if err == nil {
		err = c.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	}
	if err != nil {
		return 0
	}
	return n
}

// dying is how long a process may outlive the thread that runs its code: one that exits as
// a whole ends its threads one by one, and how it ended is known only after the last.
const dying = time.Second

// measure notes what the worker holds, and ends it if the thread that runs its code has
// ended and the process goes on, for then no answer will come.
func (p *process) measure() int64 {
	pid := p.cmd.Process.Pid
	switch {
	case !p.inCall() || runs(pid, p.loaded.thread):
		p.threadless = time.Time{}
	case p.threadless.IsZero():
		p.threadless = time.Now()
	case time.Since(p.threadless) > dying && !p.exited():
		p.kill("its code ended the thread that it runs on", nil)
	}
	u, _ := usageOf(pid)
	p.held = u.held
	return u.held
}
