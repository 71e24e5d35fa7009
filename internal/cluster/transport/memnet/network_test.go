package memnet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"pgregory.net/rapid"
)

const ms = time.Millisecond

var rough = Config{
	Link: Link{
		Delay: Delay{Least: ms, Mean: 2 * ms, Most: 9 * ms},
		Loss:  0.1, Duplicate: 0.1, Reorder: 0.1, Late: 20 * ms,
	},
	Notice: Delay{Least: 5 * ms, Mean: 10 * ms},
}

// play makes random calls, and gives what happened as text.
func play(seed uint64, c Config, steps int) (string, Counts) {
	n := New(seed, c)
	r := rand.New(rand.NewPCG(seed, 1))
	var log bytes.Buffer
	var now time.Duration
	peer := func() catalog.Peer { return catalog.Peer(1 + r.IntN(4)) }
	for i := range steps {
		now += time.Duration(r.IntN(int(ms)))
		switch r.IntN(20) {
		case 0:
			n.Crash(now, peer())
		case 1, 2:
			n.Restart(peer())
		case 3:
			from := now + time.Duration(r.IntN(int(9*ms)))
			n.Cut(Cut{
				A: []catalog.Peer{peer()}, B: []catalog.Peer{peer(), peer()}, OneWay: r.IntN(2) == 0,
				From: from, Until: from + time.Duration(r.IntN(int(30*ms))),
			})
		default:
			n.Send(now, peer(), peer(), []byte{byte(i), byte(i >> 8)})
		}
		for _, d := range n.Due(now) {
			fmt.Fprintln(&log, d)
		}
	}
	for next, any := n.Next(); any; next, any = n.Next() {
		for _, d := range n.Due(next) {
			fmt.Fprintln(&log, d)
		}
	}
	return log.String(), n.Counts()
}

func TestSameSeedSameRun(t *testing.T) {
	first, counts := play(7, rough, 3000)
	again, countsAgain := play(7, rough, 3000)
	if first != again || counts != countsAgain {
		t.Error("two runs of one seed differ")
	}
	if other, _ := play(8, rough, 3000); other == first {
		t.Error("another seed gives the same run")
	}
	for name, n := range map[string]int64{
		"delivered": counts.Delivered, "duplicated": counts.Duplicated, "lost": counts.Lost, "cut": counts.Cut,
		"crashed": counts.Crashed, "overtaken": counts.Overtaken, "gone": counts.Gone, "crashes": counts.Crashes,
	} {
		if n == 0 {
			t.Errorf("no parcel was %s in 3000 steps", name)
		}
	}
}

func TestEveryParcelIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rough
		c.Link.Loss = rapid.Float64Range(0, 1).Draw(t, "loss")
		c.Link.Duplicate = rapid.Float64Range(0, 1).Draw(t, "duplicate")
		_, n := play(rapid.Uint64().Draw(t, "seed"), c, 300)
		if in, out := n.Sent+n.Duplicated, n.Delivered+n.Lost+n.Cut+n.Crashed; in != out {
			t.Fatalf("%d went in, %d came out: %+v", in, out, n)
		}
	})
}

// drain delivers everything that is on its way.
func drain(n *Network) []Delivery {
	var all []Delivery
	for next, any := n.Next(); any; next, any = n.Next() {
		all = append(all, n.Due(next)...)
	}
	return all
}

func TestWithoutFaultsParcelsKeepTheirOrder(t *testing.T) {
	n := New(1, Config{Link: Link{Delay: Delay{Least: ms, Mean: 5 * ms}}})
	var want []byte
	for i := range 200 {
		n.Send(time.Duration(i)*ms/10, 1, 2, []byte{byte(i)})
		want = append(want, byte(i))
	}
	var got []byte
	var last time.Duration
	for _, d := range drain(n) {
		got = append(got, d.Bytes...)
		if d.At < last {
			t.Fatalf("delivery at %v after one at %v", d.At, last)
		}
		last = d.At
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestReceiverOwnsTheBytes(t *testing.T) {
	n := New(1, Config{Link: Link{Duplicate: 1}})
	sent := []byte("abc")
	n.Send(0, 1, 2, sent)
	got := n.Due(0)
	if len(got) != 2 {
		t.Fatalf("%d deliveries, want 2", len(got))
	}
	got[0].Bytes[0] = 'x'
	if string(sent) != "abc" || string(got[1].Bytes) != "abc" {
		t.Error("the copies share memory")
	}
}

func TestDelays(t *testing.T) {
	n := New(1, Config{})
	n.SetLink(1, 2, Link{Delay: Delay{Least: 3 * ms, Mean: 5 * ms, Most: 12 * ms}})
	var sum time.Duration
	const count = 4000
	for i := range count {
		now := time.Duration(i) * time.Second
		n.Send(now, 1, 2, nil)
		for _, d := range drain(n) {
			delay := d.At - now
			if delay < 3*ms || delay > 12*ms {
				t.Fatalf("delay %v", delay)
			}
			sum += delay
		}
	}
	// The cap at Most takes exp(-(12-3)/2) of the mean's 2 ms off: 0.02 ms.
	if mean := sum / count; mean < 4800*time.Microsecond || mean > 5150*time.Microsecond {
		t.Errorf("mean delay %v, want about 4.98ms", mean)
	}
}

// gone lists the observers of ends in a run, as observer:lost.
func gone(ds []Delivery) []string {
	var all []string
	for _, d := range ds {
		if d.Gone != nil {
			all = append(all, fmt.Sprintf("%d:%d", d.To, d.From))
		}
	}
	slices.Sort(all)
	return all
}

func TestGone(t *testing.T) {
	notice := Config{Notice: Delay{Least: 5 * ms}}
	ends := []catalog.Peer{1}
	others := []catalog.Peer{2, 3}
	tests := []struct {
		name string
		act  func(n *Network)
		want []string
	}{
		{"nothing happens", func(n *Network) {}, nil},
		{"a crash is told to those connected", func(n *Network) { n.Crash(ms, 1) }, []string{"2:1", "3:1"}},
		{"a second crash is not told again", func(n *Network) { n.Crash(ms, 1); n.Crash(2*ms, 1) }, []string{"2:1", "3:1"}},
		{"sends to a crashed peer are told once", func(n *Network) {
			n.Crash(ms, 1)
			n.Send(2*ms, 2, 1, nil)
			n.Send(3*ms, 2, 1, nil)
		}, []string{"2:1", "3:1"}},
		{"a stranger learns it when it sends", func(n *Network) {
			n.Crash(ms, 1)
			n.Send(2*ms, 9, 1, nil)
		}, []string{"2:1", "3:1", "9:1"}},
		{"a long cut ends connections on both sides", func(n *Network) {
			n.Cut(Cut{A: ends, B: others, From: ms, Until: 20 * ms})
		}, []string{"1:2", "1:3", "2:1", "3:1"}},
		{"so does one in one direction", func(n *Network) {
			n.Cut(Cut{A: ends, B: others, OneWay: true, From: ms, Until: 20 * ms})
		}, []string{"1:2", "1:3", "2:1", "3:1"}},
		{"a short one does not", func(n *Network) {
			n.Cut(Cut{A: ends, B: others, From: ms, Until: 4 * ms})
		}, nil},
		{"unless someone sends", func(n *Network) {
			n.Cut(Cut{A: ends, B: others, From: ms, Until: 4 * ms})
			n.Send(2*ms, 1, 2, nil)
		}, []string{"1:2", "2:1"}},
		{"a crashed peer is told nothing", func(n *Network) {
			n.Cut(Cut{A: ends, B: others, From: ms, Until: 4 * ms})
			n.Send(2*ms, 1, 2, nil)
			n.Crash(3*ms, 1)
		}, []string{"2:1", "3:1"}},
		{"nobody sends to itself", func(n *Network) { n.Send(ms, 3, 3, nil) }, []string{"3:3"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := New(1, notice)
			n.Send(0, 1, 2, nil)
			n.Send(0, 3, 1, nil)
			if got := n.Due(0); len(got) != 2 {
				t.Fatalf("%d deliveries at first, want 2", len(got))
			}
			test.act(n)
			if got := gone(drain(n)); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestCrashLosesWhatIsOnItsWay(t *testing.T) {
	n := New(1, Config{Link: Link{Delay: Delay{Least: 10 * ms}}})
	for range 100 {
		n.Send(0, 2, 1, []byte("to"))
		n.Send(0, 1, 2, []byte("from"))
	}
	n.Crash(ms, 1)
	n.Restart(1)
	n.Send(2*ms, 2, 1, []byte("again"))
	got := map[string]int{}
	for _, d := range drain(n) {
		got[string(d.Bytes)]++
	}
	if got["to"] != 0 || got["again"] != 1 || got["from"] < 20 || got["from"] > 80 {
		t.Errorf("arrived: %v; want none of to, about half of from, the one of again", got)
	}
	if n.InFlight(2, 1) != 0 || n.InFlight(1, 2) != 0 {
		t.Error("parcels are still on their way")
	}
}

func TestCutSeparatesGroups(t *testing.T) {
	n := New(1, Config{})
	n.Cut(Cut{A: []catalog.Peer{1, 2}, B: []catalog.Peer{3, 4}, From: 10 * ms, Until: 20 * ms})
	passes := func(now time.Duration, from, to catalog.Peer) bool {
		n.Send(now, from, to, []byte{1})
		return slices.ContainsFunc(n.Due(now), func(d Delivery) bool { return d.Gone == nil })
	}
	tests := []struct {
		now      time.Duration
		from, to catalog.Peer
		want     bool
	}{
		{9 * ms, 1, 3, true}, {10 * ms, 1, 3, false}, {11 * ms, 4, 2, false}, {11 * ms, 1, 2, true},
		{11 * ms, 4, 3, true}, {12 * ms, 5, 3, true}, {19 * ms, 1, 4, false}, {20 * ms, 1, 4, true},
	}
	for _, test := range tests {
		if got := passes(test.now, test.from, test.to); got != test.want {
			t.Errorf("at %v from %d to %d: passes %v", test.now, test.from, test.to, got)
		}
	}
}
