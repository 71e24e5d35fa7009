package stream

import (
	"bytes"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// In: small parcels of a ring whose handler may answer them at once. Out: their answers, on the same ring, written by the goroutine that
// reads. Invariant: between a parcel and its answer nobody else writes to the connection, for this goroutine has c.writing; and it
// gives that up before it waits for anything. What the handler does not answer at once is received as ever.

// courier is a line that lends messages.
type courier interface {
	line
	// ReadInto puts the next message into room if it fits.
	ReadInto(room []byte) ([]byte, error)
	// More says whether the next message is there without looking.
	More() bool
}

// swift is what a connection has for parcels that are answered at once.
type swift struct {
	line courier
	room [headSize + transport.SwiftBytes]byte // of a message that came
	back [transport.SwiftBytes]byte            // of the answer
	has  bool                                  // this goroutine has c.writing
	owed int                                   // frames since it has
}

// quicken has a ring's small parcels answered at once, if the handler may.
func (c *conn) quicken(t *Transport) {
	if l, ok := c.line.(courier); ok && t.swift != nil {
		c.swift = &swift{line: l}
	}
}

// take reads a frame, and says whether it was a parcel that has been answered.
func (c *conn) take() (b []byte, done bool, err error) {
	s := c.swift
	if s == nil {
		b, err = c.next()
		return b, false, err
	}
	if s.has && (s.owed >= turns || !s.line.More()) {
		c.hand()
	}
	b, err = s.line.ReadInto(s.room[:])
	c.borrowed()
	if err != nil {
		return nil, false, c.whyNot(err)
	}
	lent := len(b) > 0 && &b[0] == &s.room[0]
	if lent && len(b) > headSize && frameKind(b[0]) == carry && b[1] == 0 {
		if done, err := c.atOnce(b); done || err != nil {
			return nil, done, err
		}
	}
	if s.has { // what comes now may take long
		c.hand()
	}
	if !lent {
		return b, false, nil
	}
	if c.meter != nil {
		if err := c.meter.holds(len(b)); err != nil {
			return nil, false, err
		}
	}
	return bytes.Clone(b), false, nil
}

// hand has the other side hear of all answers, and gives up writing, or has the rest written.
func (c *conn) hand() {
	c.swift.has, c.swift.owed = false, 0
	c.swift.line.Flush()
	c.peer.drain(c, true)
}

// atOnce has a parcel answered, and reports whether it was. If not, it is as it came.
func (c *conn) atOnce(b []byte) (bool, error) {
	s, p := c.swift, c.peer
	if !s.line.Room(headSize + transport.SwiftBytes) {
		return false, nil
	}
	p.mu.Lock()
	if c.lost != nil || !c.allowed() || !s.has && (c.writing || len(p.queue) > 0 || c != p.best()) {
		p.mu.Unlock()
		return false, nil
	}
	c.writing, s.has = true, true
	p.mu.Unlock()
	answer, ok := p.transport.swift.Swift(p.number, b[headSize:], s.back[:0])
	if !ok {
		return false, nil
	}
	p.mu.Lock()
	if err := c.grant(grantIn(b)); err != nil {
		p.mu.Unlock()
		return true, fmt.Errorf("peer %d broke the protocol: %w", p.number, err)
	}
	c.handled.Parcels++
	c.handled.Bytes += int64(len(b) - headSize)
	if len(answer) == 0 {
		p.mu.Unlock()
		return true, nil
	}
	h := c.charge(answer)
	p.mu.Unlock()
	s.owed++
	c.write(h, outbound{bytes: answer}, s.line.More())
	return true, nil
}
