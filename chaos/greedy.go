package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// burn is a client that lets nodes compute for long, many times at once.
func (r *run) burn(ctx context.Context, rng *rand.Rand, _ string) bool {
	r.greedy(ctx, between(rng, 3*time.Second, 10*time.Second), 3, func(ctx context.Context) {
		r.godwit(ctx, Hung, "run", filepath.Join(r.tables.dir, "burn.gw"), "v=@v", "--cluster", r.dir, "--strategy", "ship", "--deadline", "30s")
	})
	return true
}

// flood is a client that calls and calls.
func (r *run) flood(ctx context.Context, rng *rand.Rand, _ string) bool {
	r.greedy(ctx, between(rng, 2*time.Second, 6*time.Second), 10, func(ctx context.Context) {
		r.godwit(ctx, Hung, "run", filepath.Join(r.tables.dir, "fold.gw"), "v=@v", "--cluster", r.dir, "--strategy", "ship", "--deadline", "10s")
	})
	return true
}

// greedy does something again and again, several times at once, and is killed in the end.
func (r *run) greedy(ctx context.Context, d time.Duration, n int, what func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			for ctx.Err() == nil {
				what(ctx)
			}
		})
	}
	group.Wait()
}

// connections are many that somebody opens to all ports of a node, and says nothing.
func (r *run) connections(ctx context.Context, rng *rand.Rand, node string) bool {
	s := r.status(ctx)
	if s == nil {
		return false
	}
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for _, n := range s.Nodes {
		for range 100 {
			c, err := net.DialTimeout("tcp", n.Address, time.Second)
			if err != nil {
				break
			}
			open = append(open, c)
		}
	}
	r.say("%d connections are open", len(open))
	sleep(ctx, between(rng, 3*time.Second, 10*time.Second))
	return true
}

// churn loads, replaces, reads and drops a data set of its own.
func (r *run) churn(ctx context.Context, rng *rand.Rand, _ string) bool {
	name := fmt.Sprintf("other%d", rng.IntN(1000))
	began := time.Now()
	steps := [][]string{
		{"load", filepath.Join(r.tables.dir, "v.npy"), "--as", name, "--replicas", "2"},
		{"load", filepath.Join(r.tables.dir, "next.npy"), "--as", name, "--replace"},
		{"drop", name},
	}
	for _, w := range steps {
		o := r.godwit(ctx, Hung, append(w, "--cluster", r.dir)...)
		if o.killed && ctx.Err() == nil {
			r.report.find("hung", "godwit %v did not end within %v", w, Hung)
		}
		if o.code != 0 {
			r.say("%v: %.300s", w, o.stderr)
		}
	}
	r.say("churned in %.1f s", time.Since(began).Seconds())
	r.dropAgain(ctx, name)
	return true
}

// dropAgain drops a set that a failed step may have left.
func (r *run) dropAgain(ctx context.Context, name string) {
	for range 20 {
		s := r.status(ctx)
		if s != nil {
			left := false
			for i := range s.Sets {
				left = left || s.Sets[i].Name == name
			}
			if !left {
				return
			}
			r.godwit(ctx, Hung, "drop", name, "--cluster", r.dir)
		}
		sleep(ctx, time.Second)
	}
}

// killLoad kills a load in the middle: the set must not appear, or be whole.
func (r *run) killLoad(ctx context.Context, rng *rand.Rand, _ string) bool {
	name := fmt.Sprintf("half%d", rng.IntN(1000))
	r.godwit(ctx, between(rng, 20*time.Millisecond, 400*time.Millisecond),
		"load", filepath.Join(r.tables.dir, "v.npy"), "--as", name, "--replicas", "2", "--cluster", r.dir)
	s := r.status(ctx)
	for end := time.Now().Add(Noticing); s == nil && ctx.Err() == nil; s = r.status(ctx) {
		if time.Now().After(end) {
			r.report.find("silent", "godwit status does not answer %v after a load was killed", Noticing)
			return true
		}
		sleep(ctx, look)
	}
	if s == nil {
		return true // the run is over
	}
	for i := range s.Sets {
		if s.Sets[i].Name == name {
			c := *r.calls[0]
			c.set = name
			e := r.ask(ctx, &c, "auto", 0)
			r.report.called("half loaded", e.verdict, e.took)
			if slices.Contains(findings, e.verdict) {
				r.report.find(string(e.verdict), "a set whose load was killed: %s", e.text)
			}
		}
	}
	r.dropAgain(ctx, name)
	return true
}
