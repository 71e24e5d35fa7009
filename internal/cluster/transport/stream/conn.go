package stream

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// way is what a connection is.
type way string

// Of a peer's connections that work, the first way of these that there is carries its parcels.
const (
	byRing   way = "ring"
	byFabric way = "fabric"
	byStream way = "stream"
)

// line carries frames beside a stream. One goroutine reads, another one writes.
type line interface {
	Read() ([]byte, error)
	// Write sends a frame in two parts. With more, the other side may hear of it only when Write or Flush is
	// called again.
	Write(first, second []byte, more bool) error
	Flush()
	// Room says whether Write does not wait.
	Room(bytes int) bool
	Close(error)
	// Why waits until it has ended.
	Why() error
}

// conn is one stream, or one line beside it, with a peer whose hello was accepted.
type conn struct {
	peer    *peer
	stream  messages // nil of a ring
	line    line     // nil of a stream
	way     way
	inbound bool              // the other side dialled
	owner   string            // of the certificate of the other side
	shown   *x509.Certificate // nil without TLS
	remote  *greeting
	initial Grant  // what this side granted at first
	meter   *meter // nil if this side dialled, or without TLS
	// cancel ends the stream with a reason, which an accepting side tells the other.
	cancel context.CancelCauseFunc
	closed chan struct{}  // no handler runs any more, and Gone was told
	headed [headSize]byte // of the frame that is written; whoever writes has it
	swift  *swift         // of a ring whose handler may answer at once; else nil
	lent   *loan.Loan     // what the message that was read last lies in, if the handler gives it back

	// Under peer.mu:
	writing bool   // one goroutine is writing, and will write what has come up meanwhile
	wrote   bool   // since the last beat
	beat    bool   // something must be written, if only to be heard
	lost    error  // why it is not used any more
	notes   []note // of a stream: words on fabrics, to be written
	link    *link  // of a fabric's connection
	may     Grant  // what this side may still send
	handled Grant  // parcels of the other side, to be granted anew
}

// unacknowledged is how many bytes may lie in buffers on the way to the peer,
// with the heads of their frames.
func (c *conn) unacknowledged() int64 {
	const heads = headSize + 5 // gRPC's own has 5
	return c.remote.grant.Bytes - c.may.Bytes + heads*int64(c.remote.grant.Parcels-c.may.Parcels)
}

// direct says that writing a parcel of so many bytes now does not block.
func (c *conn) direct(parcel int) bool {
	if c.line != nil {
		return c.line.Room(headSize + parcel)
	}
	return c.unacknowledged() < buffered
}

func (c *conn) allowed() bool { return c.may.Parcels > 0 && c.may.Bytes > 0 }

// due says that handled parcels must be granted without waiting for a
// parcel that could tell so.
func (c *conn) due() bool {
	return 4*c.handled.Parcels >= c.initial.Parcels || c.handled.Bytes >= min(returnBytes, c.initial.Bytes/4+1)
}

// head begins a frame: what was handled is granted.
func (c *conn) head(kind frameKind) head {
	h := head{kind, c.handled}
	c.handled = Grant{}
	c.wrote, c.beat = true, false
	return h
}

// charge begins the frame of a parcel.
func (c *conn) charge(parcel []byte) head {
	c.may.Parcels--
	c.may.Bytes -= int64(len(parcel))
	c.link.keep(parcel)
	return c.head(carry)
}

// write writes a frame. Of a line, the other side may hear of it only when flush or write is
// called again if there is more.
func (c *conn) write(h head, parcel outbound, more bool) {
	if c.line == nil {
		m := frameOf(h, parcel.bytes)
		m.of = parcel.of
		c.say(m)
		return
	}
	putHead(c.headed[:], h)
	if err := c.line.Write(c.headed[:], parcel.bytes, more); err != nil {
		c.fail(err)
	}
	if c.way == byRing { // a fabric's parcels are kept until they are granted anew
		parcel.of.Back()
	}
}

// say writes a message to a stream.
func (c *conn) say(m *outgoing) {
	// At io.EOF the reading side learns why the stream ended.
	if err := c.stream.SendMsg(m); err != nil && !errors.Is(err, io.EOF) {
		c.fail(err)
	}
}

// next reads a frame.
func (c *conn) next() (b []byte, err error) {
	if c.line != nil {
		b, err = c.line.Read()
		c.borrowed()
		return b, c.whyNot(err)
	}
	m := incoming{lends: c.peer.transport.borrower != nil}
	err = c.stream.RecvMsg(&m)
	c.lent = m.of
	return m.bytes, plain(err)
}

// lending is a line whose messages may lie in memory that is lent.
type lending interface {
	// Lent is what the last message lies in; nil if that is not lent.
	Lent() *loan.Loan
}

// borrowed notes what the message that was read lies in.
func (c *conn) borrowed() {
	c.lent = nil
	if l, ok := c.line.(lending); ok {
		c.lent = l.Lent()
	}
}

// receive hands a parcel to the handler.
func (c *conn) receive(parcel []byte) {
	t, from := c.peer.transport, c.peer.number
	if of := c.lent; of != nil && t.borrower != nil {
		c.lent = nil
		t.borrower.Borrow(from, parcel, of)
		return
	}
	t.handler.Receive(from, parcel)
}

// whyNot is the reason why a line gives nothing more.
func (c *conn) whyNot(err error) error {
	if c.meter != nil && errors.Is(err, net.ErrClosed) { // by this side's gate
		return cmp.Or(c.meter.link.Refused(), err)
	}
	return err
}

// fail stops the use of a connection. Its reading goroutine does the rest.
func (c *conn) fail(err error) {
	c.peer.mu.Lock()
	c.lose(err)
	c.peer.mu.Unlock()
	c.cancel(err)
}

// lose notes why a connection ends, unless it is known, and has another one go on. p.mu is held.
func (c *conn) lose(err error) {
	if c.lost != nil {
		return
	}
	c.lost = err
	c.peer.part(c.link)
	if other := c.peer.best(); other != nil {
		c.peer.kick(other)
	}
}

// read hands parcels to the handler until the connection ends. A peer that
// sends more than was granted is read late: it fills HTTP/2's window, and then waits.
func (c *conn) read() {
	for {
		b, done, err := c.take()
		if err != nil {
			c.fail(err)
			return
		}
		if done {
			continue
		}
		total := len(b)
		h, body, err := readFrame(b)
		if err == nil && h.grant != (Grant{}) {
			err = c.credit(h.grant)
		}
		if err != nil {
			c.fail(fmt.Errorf("peer %d broke the protocol: %w", c.peer.number, err))
			return
		}
		if h.kind > credit {
			if err = c.word(h.kind, body); err != nil {
				c.fail(fmt.Errorf("peer %d broke the protocol: %w", c.peer.number, err))
				return
			}
		}
		if h.kind == carry && c.taking() {
			c.receive(body)
			c.handle(len(body))
		}
		c.meter.handled(total)
		c.link.read(total)
	}
}

// credit adds what a frame grants.
func (c *conn) credit(g Grant) error {
	p := c.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := c.grant(g); err != nil {
		return err
	}
	p.kick(c)
	return nil
}

// grant is credit for who has peer.mu, and sees to what waits for it.
func (c *conn) grant(g Grant) error {
	c.may.Parcels += g.Parcels
	c.may.Bytes += g.Bytes
	if first := c.remote.grant; c.may.Parcels > first.Parcels || c.may.Bytes > first.Bytes {
		return fmt.Errorf("it granted %d parcels and %d bytes, more than was sent", g.Parcels, g.Bytes)
	}
	c.link.granted(g.Parcels)
	return nil
}

// handle counts a parcel that the handler is done with.
func (c *conn) handle(bytes int) {
	p := c.peer
	p.mu.Lock()
	c.handled.Parcels++
	c.handled.Bytes += int64(bytes)
	if c.writing || c.lost != nil || !c.due() {
		p.mu.Unlock()
		return
	}
	c.writing = true
	p.mu.Unlock()
	p.drain(c, true)
}

// plain takes the gRPC code off an error. A dialler that ends its stream can
// give no reason.
func plain(err error) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	switch {
	case ok && s.Code() == codes.Canceled:
		return errEnded
	case ok:
		return errors.New(s.Message())
	}
	return err
}
