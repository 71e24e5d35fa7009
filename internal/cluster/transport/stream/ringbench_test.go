package stream

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// BenchmarkRing measures round trips and one-way rates through a ring and through a stream, both ends in
// this process.
func BenchmarkRing(b *testing.B) {
	for _, rings := range []bool{true, false} {
		for _, size := range []int{48, 1024, 16 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("trip/rings=%v/%d", rings, size), func(b *testing.B) { benchTrip(b, rings, size) })
			b.Run(fmt.Sprintf("rate/rings=%v/%d", rings, size), func(b *testing.B) { benchRate(b, rings, size) })
		}
	}
}

// BenchmarkProcesses measures round trips with another process, alone, and beside processes that are busy on
// all processors.
func BenchmarkProcesses(b *testing.B) {
	for _, rings := range []bool{true, false} {
		for _, busy := range []int{0, 1, runtime.NumCPU()} {
			b.Run(fmt.Sprintf("rings=%v/busy=%d", rings, busy), func(b *testing.B) { benchProcesses(b, rings, busy, 0) })
		}
		b.Run(fmt.Sprintf("rings=%v/now and then", rings), func(b *testing.B) { benchProcesses(b, rings, 0, 2*time.Millisecond) })
	}
}

func benchProcesses(b *testing.B, rings bool, busy int, pause time.Duration) {
	w, here, _, other, to := partner(b, true)
	here.Close()
	back := make(chan []byte, 1)
	here = w.begin(Options{Self: client + 1, Rings: rings}, &hand{receive: func(_ catalog.Peer, m []byte) { back <- m }})
	other.Streams = !rings
	other.start(b)
	here.Know(map[catalog.Peer]string{to: other.Listen})
	message := make([]byte, 48)
	trip := func() {
		if err := here.Send(to, message); err != nil {
			b.Fatal(err)
		}
		<-back
	}
	trip()
	if rings {
		w.ringed(here, to)
	}
	for range busy {
		c := exec.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	}
	measure(b, func() { time.Sleep(pause) }, trip)
}

// measure reports the times of trips.
func measure(b *testing.B, pause, trip func()) {
	var all []time.Duration
	for b.Loop() {
		pause()
		start := time.Now()
		trip()
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "p99-ns")
}

func benchTrip(b *testing.B, rings bool, size int) {
	w := newWorld(b, false)
	w.rings = rings
	back := make(chan []byte, 1)
	near := w.start(1, &hand{receive: func(_ catalog.Peer, m []byte) { back <- m }})
	var far *Transport
	far = w.start(2, &hand{receive: func(from catalog.Peer, m []byte) { _ = far.Send(from, m) }})
	w.introduce()
	message := make([]byte, size)
	trip := func() {
		if err := near.Send(2, message); err != nil {
			b.Fatal(err)
		}
		if got := <-back; len(got) != size {
			b.Fatalf("%d bytes came back", len(got))
		}
	}
	trip()
	if rings {
		w.ringed(near, 2)
		w.ringed(far, 1)
	}
	measure(b, func() {}, trip)
}

func benchRate(b *testing.B, rings bool, size int) {
	w := newWorld(b, false)
	w.rings = rings
	var got atomic.Int64
	near := w.start(1, &hand{receive: func(catalog.Peer, []byte) {}})
	w.start(2, &hand{receive: func(catalog.Peer, []byte) { got.Add(1) }})
	w.introduce()
	message := make([]byte, size)
	send := func() {
		for near.Send(2, message) == transport.ErrFull {
			time.Sleep(20 * time.Microsecond)
		}
	}
	send()
	if rings {
		w.ringed(near, 2)
	}
	sent := int64(1)
	start := time.Now()
	for b.Loop() {
		send()
		sent++
	}
	for got.Load() < sent {
		time.Sleep(20 * time.Microsecond)
	}
	took := time.Since(start).Seconds()
	b.ReportMetric(float64(sent)/took/1e3, "k/s")
	b.ReportMetric(float64(sent)*float64(size)/took/1e9, "GB/s")
}
