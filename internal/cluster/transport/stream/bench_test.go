package stream

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// hand is a handler made of functions.
type hand struct {
	receive func(from catalog.Peer, bytes []byte)
	gone    func(catalog.Peer, error)
}

func (h *hand) Receive(from catalog.Peer, bytes []byte) { h.receive(from, bytes) }
func (h *hand) Gone(p catalog.Peer, err error) {
	if h.gone != nil {
		h.gone(p, err)
	}
}

// BenchmarkRoundTrip compares a round trip with one over a bare stream, in
// turns of a few hundred, so that noise meets both alike.
func BenchmarkRoundTrip(b *testing.B) {
	for _, plain := range []bool{false, true} {
		for _, size := range []int{48, 1024, 16 << 10} {
			b.Run(fmt.Sprintf("plain=%v/%d", plain, size), func(b *testing.B) { benchRoundTrip(b, plain, size) })
		}
	}
}

func benchRoundTrip(b *testing.B, plain bool, size int) {
	w := newWorld(b, plain)
	back := make(chan []byte, 1)
	near := w.start(1, &hand{receive: func(_ catalog.Peer, m []byte) { back <- m }})
	var far *Transport
	far = w.start(2, &hand{receive: func(from catalog.Peer, m []byte) { far.Send(from, m) }})
	w.introduce()
	bare, err := NewBare(w.node("bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	message := make([]byte, size)
	ours := func() {
		if err := near.Send(2, message); err != nil {
			b.Fatal(err)
		}
		if got := <-back; len(got) != size {
			b.Fatalf("%d bytes came back", len(got))
		}
	}
	theirs := func() {
		if got, err := bare.RoundTrip(message); err != nil || len(got) != size {
			b.Fatalf("%d bytes came back, %v", len(got), err)
		}
	}
	ours()
	var times [2]time.Duration
	trips := 0
	for b.Loop() {
		const block = 200
		for i, f := range []func(){ours, theirs} {
			start := time.Now()
			for range block {
				f()
			}
			times[i] += time.Since(start)
		}
		trips += block
	}
	b.ReportMetric(float64(times[0].Nanoseconds())/float64(trips), "ours-ns/trip")
	b.ReportMetric(float64(times[1].Nanoseconds())/float64(trips), "bare-ns/trip")
	b.ReportMetric(float64(times[0])/float64(times[1]), "ours/bare")
}

// BenchmarkOneWay sends as fast as parcels are taken, in turns with a bare stream that
// is read as fast.
func BenchmarkOneWay(b *testing.B) {
	for _, size := range []int{48, 1024, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchOneWay(b, size) })
	}
}

func benchOneWay(b *testing.B, size int) {
	w := newWorld(b, false)
	var got [2]atomic.Int64
	near := w.start(1, &hand{receive: func(catalog.Peer, []byte) {}})
	w.start(2, &hand{receive: func(catalog.Peer, []byte) { got[0].Add(1) }})
	w.introduce()
	bare := bareSink(b, w.node("bare"), &got[1])
	message := make([]byte, size)
	ways := []func(){
		func() {
			for near.Send(2, message) == transport.ErrFull {
				time.Sleep(20 * time.Microsecond)
			}
		},
		func() {
			if err := bare.SendMsg(&outgoing{head: message}); err != nil {
				b.Fatal(err)
			}
		},
	}
	block := min(5000, 64<<20/size)
	var times [2]time.Duration
	sent := int64(0)
	for b.Loop() {
		sent += int64(block)
		for i, send := range ways {
			start := time.Now()
			for range block {
				send()
			}
			for got[i].Load() < sent {
				time.Sleep(20 * time.Microsecond)
			}
			times[i] += time.Since(start)
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"ours", "bare"} {
		b.ReportMetric(float64(sent)/times[i].Seconds()/1e3, name+"-k/s")
		b.ReportMetric(float64(sent)*float64(size)/times[i].Seconds()/1e9, name+"-GB/s")
	}
}

// bareSink is a stream whose far end counts messages.
func bareSink(b *testing.B, id *identity.Identity, got *atomic.Int64) grpc.ClientStream {
	server := grpc.NewServer(serverOptions(credentials.NewTLS(id.Server(identity.Node)), defaultMaxParcel)...)
	server.RegisterService(serviceOf(func(_ any, s grpc.ServerStream) error {
		for {
			var m []byte
			if err := s.RecvMsg(&m); err != nil {
				return err
			}
			got.Add(1)
		}
	}), nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(l)
	b.Cleanup(server.Stop)
	client, err := grpc.NewClient("passthrough:///"+l.Addr().String(), dialOptions(credentials.NewTLS(id.Client("")), defaultMaxParcel)...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() })
	stream, err := client.NewStream(context.Background(), &description, method)
	if err != nil {
		b.Fatal(err)
	}
	return stream
}
