package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/store"
)

// Scrub is how a node reads its shards all the time, to find what the disk has lost. The
// bytes come from the disk and not from what the system remembers of it.
type Scrub struct {
	// Rate is bytes a second; there are no passes but those that are asked for if it is 0.
	Rate int64
	// Pause is between the end of a pass and the beginning of the next; an hour if 0.
	Pause time.Duration
}

// scrubFirst is when the first pass begins, after others have had their start. One after a
// disorderly end begins at once, with what was written last.
const scrubFirst = time.Minute

// Scrubbed is how far a node is with reading its shards.
type Scrubbed struct {
	Pass    int       `json:"pass"` // how many have begun
	Asked   bool      `json:"asked,omitempty"`
	Running bool      `json:"running"`
	Rate    int64     `json:"rate"`  // bytes a second; 0 for as fast as it can
	Bytes   int64     `json:"bytes"` // read in this pass
	Of      int64     `json:"of"`
	Shards  int       `json:"shards"` // read to their end
	Bad     int       `json:"bad"`    // of them
	Began   time.Time `json:"began,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
}

// scrubber runs one pass after the other.
type scrubber struct {
	d    *Daemon
	asks chan struct{} // holds one when wanted is set
	// newest says that passes begin with what was written last.
	newest bool

	mu     sync.Mutex // guards what follows
	state  Scrubbed
	wanted bool // a pass at a rate that somebody asked for
	rate   int64
	stop   context.CancelFunc // the pass under way, if it may be cut off
}

func newScrubber(d *Daemon) *scrubber {
	return &scrubber{d: d, asks: make(chan struct{}, 1), newest: d.cfg.Store.Disorderly()}
}

// errAsked cuts off a pass in the background, when somebody wants one sooner.
var errAsked = errors.New("another pass was asked for")

// ask begins a pass at a rate, in place of one that nobody asked for. One that was asked
// for is not begun again.
func (s *scrubber) ask(rate int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wanted || s.state.Running && s.state.Asked {
		return
	}
	s.wanted, s.rate = true, rate
	s.state = Scrubbed{Pass: s.state.Pass + 1, Asked: true, Running: true, Rate: rate, Began: time.Now()}
	if s.stop != nil {
		s.stop()
	}
	s.asks <- struct{}{}
}

// report is how far it is.
func (s *scrubber) report() Scrubbed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// run is for the life of the node.
func (s *scrubber) run() {
	pause := scrubFirst
	if s.newest {
		pause = 0
	}
	for {
		var due <-chan time.Time
		if s.d.cfg.Scrub.Rate > 0 {
			due = time.After(pause)
		}
		select {
		case <-s.d.ctx.Done():
			return
		case <-s.asks:
		case <-due:
		}
		s.pass()
		s.newest = false
		if pause = s.d.cfg.Scrub.Pause; pause <= 0 {
			pause = time.Hour
		}
	}
}

// pass reads all shards once.
func (s *scrubber) pass() {
	ctx, cancel := context.WithCancelCause(s.d.ctx)
	defer cancel(nil)
	rate, pass := s.begin(cancel)
	err := s.d.cfg.Store.Scrub(ctx, store.Scrubbing{
		Rate:   rate,
		Newest: s.newest,
		Read: func(n int64) {
			s.d.metrics.scrubbed.Add(float64(n))
			s.note(pass, func(st *Scrubbed) { st.Bytes += n })
		},
		Report: func(f store.File, err error) { s.found(pass, f, err) },
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = nil
	if s.state.Pass == pass {
		s.state.Running, s.state.Ended = false, time.Now()
	}
	if err != nil && !errors.Is(err, errAsked) && s.d.ctx.Err() == nil {
		s.d.log.Warn("a scrub ended early", "reason", err)
	}
}

// begin notes that a pass begins. One that nobody asked for may be cut off.
func (s *scrubber) begin(cancel context.CancelCauseFunc) (rate int64, pass int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rate = s.rate; !s.wanted {
		rate = s.d.cfg.Scrub.Rate
		s.state = Scrubbed{Pass: s.state.Pass + 1, Running: true, Rate: rate, Began: time.Now()}
		s.stop = func() { cancel(errAsked) }
	}
	s.wanted = false
	select {
	case <-s.asks: // it is this one
	default:
	}
	for _, f := range s.d.cfg.Store.Shards() {
		s.state.Of += f.Bytes
	}
	return rate, s.state.Pass
}

// note changes the state of a pass, unless another one has begun.
func (s *scrubber) note(pass int, f func(*Scrubbed)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Pass == pass {
		f(&s.state)
	}
}

// found takes in what became of a shard.
func (s *scrubber) found(pass int, f store.File, err error) {
	if v := s.d.view.Load(); v != nil && err == nil {
		err = s.d.unlike(v, f)
	}
	bad := errors.As(err, new(*store.DamageError))
	if bad {
		_ = s.d.lacks(f.Set, f.Shard, err)
	} else if err != nil {
		s.d.log.Warn("a shard was not scrubbed", "shard", f.String(), "reason", err)
	}
	s.note(pass, func(st *Scrubbed) {
		st.Shards++
		if bad {
			st.Bad++
		}
	})
}
