package node

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"pgregory.net/rapid"
)

// crowd is greedy clients, who always have jobs waiting, and two that ask for one job at
// a time: one with a certificate of its own, one with that of a greedy client.
type crowd struct {
	t       *rapid.T
	c       *Core
	now     int64
	next    uint64
	running []running
	waiting map[catalog.Peer]int
	served  int64 // microseconds of jobs that have ended
	since   map[catalog.Peer]int64
	places  int64
}

type running struct {
	job    JobID
	client catalog.Peer
	until  int64
	took   int64
}

const (
	modest = catalog.FirstClient + 1
	sharer = catalog.FirstClient + 2
	greedy = catalog.FirstClient + 10 // and on; three of each owner
)

func ownerOf(p catalog.Peer) string {
	switch {
	case p == modest:
		return "client/modest"
	case p == sharer:
		return "client/0"
	}
	return fmt.Sprintf("client/%d", (p-greedy)/3)
}

func (w *crowd) ask(p catalog.Peer) {
	w.next++
	h := parcel.Header{Kind: parcel.Put, Hops: 1, Left: 1 << 31, Request: w.next, Caller: p}
	raw := (&parcel.Blob{Set: 7, Hi: 1, Total: 1 << 20}).Append(h.Append(nil, nil))
	w.waiting[p]++
	w.since[p] = w.served
	w.step(&Received{From: p, Bytes: raw, Owners: ownerOf})
}

func (w *crowd) step(in Input) {
	for _, e := range w.c.Step(w.now, in) {
		switch e := e.(type) {
		case *Start:
			w.waiting[e.Client]--
			took := rapid.Int64Range(1, longest(e.Client)).Draw(w.t, "micros")
			w.running = append(w.running, running{e.Job, e.Client, w.now + took, took})
			w.waited(e.Client)
		case *Send:
			if h, _, payload, err := parcel.ReadHeader(e.Bytes); err != nil || h.Kind == parcel.Fail {
				w.t.Fatalf("%v: %v, %s", h.Kind, err, payload)
			}
		}
	}
	if text := w.c.miscounted() + w.c.overfull() + w.c.lazy(); text != "" {
		w.t.Fatal(text)
	}
}

const (
	greedyMicros = 20_000
	modestMicros = 2_000
)

func longest(p catalog.Peer) int64 {
	if p >= greedy {
		return greedyMicros
	}
	return modestMicros
}

// waited holds a job that has begun, or waits still, to the time that it may wait: with n owners, who had
// something before falls behind each other one by that and by a job that ran.
func (w *crowd) waited(p catalog.Peer) {
	owners := int64(len(w.c.owners))
	most := owners * (modestMicros + 2*greedyMicros)
	switch {
	case p == sharer: // its owner has its part, of which four clients have theirs
		most *= 4
	case p != modest:
		return
	}
	if waited := w.served - w.since[p]; waited > most*w.places {
		w.t.Fatalf("client %d waited while jobs took %d µs, expected at most %d", p, waited, most*w.places)
	}
}

func answeredIn(id JobID, micros int64) *Answered {
	return &Answered{Ended: Ended{Job: id, Timing: parcel.Timing{Run: uint32(micros)}}, Answer: &parcel.Answer{}}
}

func (w *crowd) finish() {
	first := 0
	for i, r := range w.running {
		if r.until < w.running[first].until {
			first = i
		}
	}
	r := w.running[first]
	w.running = append(w.running[:first], w.running[first+1:]...)
	w.now, w.served = r.until, w.served+r.took
	for _, p := range []catalog.Peer{modest, sharer} {
		if w.waiting[p] > 0 {
			w.waited(p)
		}
	}
	w.step(answeredIn(r.job, r.took))
}

// Nobody starves: what a client waits is bounded by the number of others and the length
// of their jobs, however many these have waiting.
func TestNobodyStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &crowd{t: t, waiting: map[catalog.Peer]int{}, since: map[catalog.Peer]int64{}, places: rapid.Int64Range(1, 3).Draw(t, "places")}
		w.c = New(1, Limits{Parcels: 1 << 20, Bytes: 1 << 30, Steps: 1, Turns: 1, Codes: 2, CodeBytes: 1, Jobs: int(w.places), Calls: 1, Retry: 1, RegionBytes: 1})
		clients := 3 * rapid.IntRange(1, 4).Draw(t, "owners")
		for range rapid.IntRange(20, 200).Draw(t, "jobs") {
			for i := range clients {
				for p := greedy + catalog.Peer(i); w.waiting[p] < 5; {
					w.ask(p)
				}
			}
			for _, p := range []catalog.Peer{modest, sharer} {
				if w.waiting[p] == 0 && rapid.Bool().Draw(t, "asks") {
					w.ask(p)
				}
			}
			w.finish()
		}
	})
}

// Work gets its part by weight: clients of equal weight within a job of each other, and
// a node that makes replicas an eighth of that.
func TestParts(t *testing.T) {
	c := New(1, Limits{Parcels: 1 << 20, Bytes: 1 << 30, Steps: 1, Turns: 1, Codes: 2, CodeBytes: 1, Jobs: 1, Calls: 1, Retry: 1, RegionBytes: 1})
	micros := map[catalog.Peer]int64{1: 1000, 2: 1000, greedy: 5000, greedy + 3: 1000}
	used := map[catalog.Peer]int64{}
	var next uint64
	var effects []Effect
	ask := func(p catalog.Peer) {
		next++
		h := parcel.Header{Kind: parcel.Put, Hops: 1, Left: 1 << 31, Request: next, Caller: p}
		effects = append(effects, c.Step(0, &Received{From: p, Bytes: (&parcel.Blob{Set: 7, Hi: 1, Total: 1 << 20}).Append(h.Append(nil, nil))})...)
	}
	for _, p := range []catalog.Peer{2, greedy, greedy + 3} {
		ask(p)
		ask(p)
	}
	for range 3000 {
		e := effects[0].(*Start)
		effects = effects[1:]
		used[e.Client] += micros[e.Client]
		ask(e.Client)
		for _, out := range c.Step(0, answeredIn(e.Job, micros[e.Client])) {
			if s, ok := out.(*Start); ok {
				effects = append(effects, s)
			}
		}
	}
	a, b, node := used[greedy], used[greedy+3], used[2]
	if a-b > 10_000 || b-a > 10_000 {
		t.Errorf("two clients used %d and %d µs", a, b)
	}
	if ratio := float64(a) / float64(node); ratio < 7.5 || ratio > 8.5 {
		t.Errorf("a client used %.2f times what a node used, expected 8", ratio)
	}
}

// A client with thousands of numbers leaves no trace once its parcels have gone.
func TestClientsAreForgotten(t *testing.T) {
	limits := Limits{Parcels: 16, Bytes: 1 << 20, Steps: 1, Turns: 1, Codes: 2, CodeBytes: 1, Jobs: 1, Calls: 1, Retry: 1, RegionBytes: 1}
	c := New(1, limits)
	for i := range 20_000 {
		p := greedy + catalog.Peer(i)
		h := parcel.Header{Kind: parcel.Status, Hops: 1, Left: 1 << 20, Request: 1, Caller: p}
		for _, e := range c.Step(int64(i), &Received{From: p, Bytes: h.Append(nil, nil)}) {
			if s, ok := e.(*Start); ok {
				c.Step(int64(i), answeredIn(s.Job, 0))
			}
		}
	}
	if n := len(c.clients); n > limits.Parcels+mostClients {
		t.Errorf("%d clients are known, expected at most %d", n, limits.Parcels+mostClients)
	}
	if len(c.owners) > len(c.clients) {
		t.Errorf("%d owners of %d clients", len(c.owners), len(c.clients))
	}
	if text := c.miscounted(); text != "" {
		t.Error(text)
	}
	if list := c.Status().Clients; len(list) > shownClients || strings.TrimSpace(fmt.Sprint(list)) == "" {
		t.Errorf("status shows %d clients", len(list))
	}
}
