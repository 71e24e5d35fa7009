//go:build (amd64 || arm64) && !static

package ucx

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// This file is the goroutine that looks where no reader does: all sleep, or are in their handlers. What comes in are
// the library's event and the end of looks; what goes out are packets to their connections, and signs of life.
// It takes no processor while nothing comes.

// watch runs until the fabric is closed.
func (f *Fabric) watch() {
	last := int64(-1)
	next := time.Now().Add(beatTime)
	timer := time.NewTimer(tick)
	for {
		f.lock()
		f.polling = false
		if f.closed {
			f.mu.Unlock()
			return
		}
		if now := time.Now(); !now.Before(next) {
			f.beat()
			next = now.Add(beatTime)
		}
		turns := f.turns.Load()
		if !f.leading.Load() && turns == last && f.rest() {
			f.polling = true
			f.mu.Unlock()
			f.poll(time.Until(next))
			continue
		}
		last = turns
		f.mu.Unlock()
		timer.Reset(tick)
		select {
		case <-timer.C:
		case <-f.closing:
		case <-f.idle:
			last = f.turns.Load()
		}
	}
}

// rest looks once more, and arms the worker if there is nothing. Who was woken looks then, and who cannot be
// armed has something that it waits for and that tells nobody.
func (f *Fabric) rest() bool {
	for range 8 {
		if f.look(1) > 0 {
			if f.leading.CompareAndSwap(false, true) { // who led went to sleep: it is known now whether that was right
				f.spins.Found()
				f.leading.Store(false)
			}
			return false
		}
		if f.arm() {
			return true
		}
	}
	return false
}

func (f *Fabric) poll(d time.Duration) {
	fds := []unix.PollFd{{Fd: int32(f.event), Events: unix.POLLIN}, {Fd: int32(f.wake), Events: unix.POLLIN}}
	_, _ = unix.Poll(fds, int(max(0, d.Milliseconds())+1))
	if fds[1].Revents != 0 {
		var b [8]byte
		_, _ = unix.Read(f.wake, b[:])
	}
}

// beat gives signs of life and looks for those of others. It counts its own beats and not the time: where this
// process stood still, the other one is given the time to follow.
func (f *Fabric) beat() {
	for _, c := range f.conns {
		if c.endpoint == 0 || c.over.Load() {
			continue
		}
		if c.silent++; c.silent > silentBeats {
			c.end(ErrSilent)
			continue
		}
		if err := c.trouble(); err != nil {
			c.end(err)
			continue
		}
		if c.quiet {
			c.sign()
		}
		c.quiet = true
	}
	f.dying = slices.DeleteFunc(f.dying, func(c *Conn) bool {
		if c.flying() {
			return false
		}
		c.arena.free()
		return true
	})
}
