package stream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
)

// frame is one of HTTP/2's.
func frame(kind, flags byte, stream uint32, body []byte) []byte {
	b := []byte{byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body)), kind, flags}
	return append(binary.BigEndian.AppendUint32(b, stream), body...)
}

func message(n int) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(n)), make([]byte, n)...)
}

// fed is a connection that gives bytes in pieces.
type fed struct {
	net.Conn
	bytes []byte
	piece int
}

func (f *fed) Read(b []byte) (int, error) {
	if len(f.bytes) == 0 {
		return 0, io.EOF
	}
	n := copy(b, f.bytes[:min(f.piece, len(f.bytes))])
	f.bytes = f.bytes[n:]
	return n, nil
}

// metered gives a meter of an owner that may hold some bytes, and how many it holds.
func metered(t *testing.T, conn net.Conn, most int64) (*meter, func() int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	near, err := gate.New(l, gate.Limits{Strangers: 9, PerAddress: 9, PerOwner: 9, Patience: time.Minute}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	link := near.(*gate.Conn)
	if err := link.Admit("client/alice", nil); err != nil {
		t.Fatal(err)
	}
	held := func() int64 {
		n := int64(0)
		for !link.Hold(0, n) {
			n++
		}
		return n
	}
	return newMeter(conn, link, most), held
}

// Whatever pieces the bytes come in, what is held are those of messages: of calls until
// their side has said all, of parcels until they are handled.
func TestMeter(t *testing.T) {
	heads, last := frame(frameHeads, 4, 1, make([]byte, 50)), byte(endOfStream)
	all := bytes.Join([][]byte{
		[]byte(preface), heads, // parcels
		frame(frameHeads, 4, 3, make([]byte, 50)),
		frame(frameData, 0, 1, message(100)),
		frame(frameData, 0, 3, message(40)[:20]),
		frame(frameData, 0, 1, message(1000)[:500]),
		frame(8, 0, 0, make([]byte, 4)), // a window's
		frame(frameData, last, 3, message(40)[20:]),
		frame(frameData, 0, 5, message(7)),
		frame(frameReset, 0, 5, make([]byte, 4)),
		frame(frameData, 0, 1, message(1000)[500:]),
		frame(frameData, 0, 7, message(30)),
	}, nil)
	for _, piece := range []int{1, 2, 7, 64, 1 << 20} {
		m, held := metered(t, &fed{bytes: bytes.Clone(all), piece: piece}, 1<<20)
		if got, err := io.ReadAll(m); err != nil || !bytes.Equal(got, all) {
			t.Fatalf("in pieces of %d: %d bytes of %d, %v", piece, len(got), len(all), err)
		}
		if n := held(); n != 105+1005+35 {
			t.Errorf("in pieces of %d: %d bytes are held, want %d", piece, n, 105+1005+35)
		}
		m.handled(100)
		m.handled(1000)
		if n := held(); n != 35 {
			t.Errorf("in pieces of %d: %d bytes are held after parcels were handled, want 35", piece, n)
		}
	}
}

func TestMeterRefuses(t *testing.T) {
	begin := append([]byte(preface), frame(frameHeads, 4, 1, nil)...)
	compressed := message(10)
	compressed[0] = 1
	var many []byte
	for n := range maxCalls + 1 {
		many = append(many, frame(frameData, 0, uint32(2*n+1), message(1))...)
	}
	for want, b := range map[string][]byte{
		"not compressed":        frame(frameData, 0, 1, compressed),
		"without padding":       frame(frameData, padded, 1, message(10)),
		"at most 128 calls":     many,
		"client/alice has this": frame(frameData, 0, 1, message(2000)),
	} {
		m, _ := metered(t, &fed{bytes: append(bytes.Clone(begin), b...), piece: 100}, 1500)
		if _, err := io.ReadAll(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What the owner of a certificate can make a node hold does not grow with its
// connections: here of parcels that are never finished.
func TestUnfinishedParcels(t *testing.T) {
	const most, each, peers = defaultMaxParcel, 12 << 20, 8
	w := newWorld(t, false)
	a := newEvents(t)
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	node := w.begin(Options{Self: 1, Listener: l, Held: most}, a)
	greedy := w.issue(identity.Client, "greedy")
	ended := make(chan string, peers)
	for n := range peers {
		go func() {
			err := w.unfinished(greedy, client+catalog.Peer(n), each)
			ended <- fmt.Sprint(err)
		}()
	}
	// The first that goes beyond ends, and gives the others room.
	select {
	case got := <-ended:
		t.Log(got)
	case <-time.After(patience):
		t.Fatal("all may hold what they like")
	}
	if _, n := node.gate.Count("client/greedy"); n >= peers {
		t.Errorf("%d connections are left", n)
	}
	if held := node.holds("client/greedy"); held > most {
		t.Errorf("%d bytes are held, want at most %d", held, most)
	}
	honest := w.begin(Options{Self: client + 100}, newEvents(t))
	honest.Know(w.known)
	w.send(honest, 1, "undisturbed")
	for got := a.next(); got != fmt.Sprintf("%d: undisturbed", client+100); got = a.next() {
		if !strings.Contains(got, "gone") {
			t.Fatal(got)
		}
	}
}

// unfinished says hello and sends a part of a parcel; then it waits for the end.
func (w *world) unfinished(id *identity.Identity, self catalog.Peer, part int) error {
	c := w.opening(id, w.known[1])
	// The head of a stream as gRPC writes it, without compression of headers.
	var heads []byte
	for _, h := range [][2]string{{":method", "POST"}, {":scheme", "https"}, {":path", method}, {":authority", "x"},
		{"content-type", "application/grpc+godwit"}, {"te", "trailers"}} {
		heads = append(heads, 0, byte(len(h[0])))
		heads = append(append(append(heads, h[0]...), byte(len(h[1]))), h[1]...)
	}
	hello := w.good(self).frame()
	b := append([]byte(preface), frame(frameHeads, 4, 1, heads)...)
	b = append(b, frame(frameData, 0, 1, append(message(0)[:1], append(binary.BigEndian.AppendUint32(nil, uint32(len(hello))), hello...)...))...)
	b = append(b, frame(frameData, 0, 1, message(60 << 20)[:messageHead])...)
	if _, err := c.Write(b); err != nil {
		return err
	}
	over := make(chan error, 1)
	go func() { // answers pings
		r := bufio.NewReader(c)
		for {
			head := make([]byte, frameHead)
			if _, err := io.ReadFull(r, head); err != nil {
				over <- err
				return
			}
			body := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
			if _, err := io.ReadFull(r, body); err != nil {
				over <- err
				return
			}
			if head[3] == 6 && head[4] == 0 {
				_, _ = c.Write(frame(6, 1, 0, body))
			}
		}
	}()
	for range part / 16384 { // gRPC widens its window for a message that is awaited
		if _, err := c.Write(frame(frameData, 0, 1, make([]byte, 16384))); err != nil {
			return err
		}
	}
	return <-over
}

// holds is how much an owner's connected peers have a node hold.
func (t *Transport) holds(owner string) (n int64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, p := range t.peers {
		p.mu.Lock()
		if c := p.best(); c != nil && c.owner == owner {
			for !c.meter.link.Hold(0, n) {
				n += 1 << 16
			}
			p.mu.Unlock()
			return n
		}
		p.mu.Unlock()
	}
	return 0
}

// Answers that nobody reads are counted together, too, over all connections of an owner.
func TestUnreadParcels(t *testing.T) {
	const most, peers = defaultMaxParcel, 4
	w := newWorld(t, false)
	a := newEvents(t)
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	node := w.begin(Options{Self: 1, Listener: l, Held: most}, a)
	lazy := w.issue(identity.Client, "lazy")
	sent := 0
	for n := range peers {
		s := rogue(t, lazy, w.known[1])
		if err := s.SendMsg(&outgoing{head: w.good(client + catalog.Peer(n)).frame()}); err != nil {
			t.Fatal(err)
		}
		if err := s.SendMsg(frameOf(head{kind: carry}, []byte("here"))); err != nil {
			t.Fatal(err)
		}
		a.expect(fmt.Sprintf("%d: here", client+catalog.Peer(n)))
		more, _ := fill(t, node, client+catalog.Peer(n), make([]byte, 1<<20))
		sent += more
	}
	if held := node.holds("client/lazy"); held > most/2 || held < most/2-(2<<20) {
		t.Errorf("%d bytes wait, want %d", held, most/2)
	}
	// Beyond that, what gRPC and the socket took.
	if own := most / 2 >> 20; sent < own || sent > own+peers*(window>>20+6) {
		t.Errorf("%d MiB were taken for %d peers of one owner, want %d and what is under way", sent, peers, own)
	}
	honest := w.begin(Options{Self: client + 100}, newEvents(t))
	honest.Know(w.known)
	w.send(honest, 1, "undisturbed")
	a.expect(fmt.Sprintf("%d: undisturbed", client+100))
}

// A small message cannot become a large one.
func TestCompressedParcelsAreRefused(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	w.start(1, a)
	id := w.issue(identity.Client, "bomber")
	c, err := grpc.NewClient("passthrough:///"+w.known[1], dialOptions(credentials.NewTLS(id.Client("")), 1<<30)...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := c.NewStream(ctx, &description, method, grpc.UseCompressor(gzip.Name))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SendMsg(&outgoing{head: w.good(client).frame()}); err != nil {
		t.Fatal(err)
	}
	_ = s.SendMsg(frameOf(head{kind: carry}, make([]byte, 60<<20)))
	t.Log(verdict(t, s))
	a.none()
	e := newEvents(t)
	peer := w.begin(Options{Self: client}, e)
	peer.Know(w.known)
	w.send(peer, 1, "plain")
	a.expect(fmt.Sprintf("%d: plain", client))
}

// BenchmarkMeter is what counting costs for a full frame of HTTP/2.
func BenchmarkMeter(b *testing.B) {
	m := newMeter(nil, &gate.Conn{}, 1<<40)
	m.preface, m.parcels = 0, 1
	parcel := frame(frameData, 0, 1, message(16379))
	b.SetBytes(int64(len(parcel)))
	for b.Loop() {
		if err := m.scan(parcel); err != nil {
			b.Fatal(err)
		}
	}
}
