package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
)

// meter counts what a peer has this side hold in memory: bytes of messages that it has
// begun and not finished, or that are not handled yet. gRPC bounds neither for a
// connection with several calls, nor for an owner with several connections. What comes
// in are HTTP/2's frames, after TLS, of which it looks at the heads, and at those of
// the messages inside; what goes out is the same, until the owner holds too much, or
// has sent what could become more than it counts, being compressed: then it ends.
//
// A call of another service holds its bytes until its side has said all, one of
// parcels until each is handled.
type meter struct {
	net.Conn
	link *gate.Conn
	most int64 // bytes that an owner may hold

	// Of the one goroutine that reads:
	preface int    // bytes of it to come
	head    []byte // of the frame, as far as it came
	left    int    // bytes of the frame to come
	parcels uint32 // the connection's first stream; see gate.Conn.Begin
	calls   map[uint32]*call
}

// call is the messages of one stream.
type call struct {
	held int64
	head []byte // of the message, as far as it came
	left int64  // bytes of the message to come
}

const (
	prefaceLen = 24
	frameHead  = 9
	// messageHead is gRPC's: whether it is compressed, and its length.
	messageHead = 5
	// maxCalls bounds the streams that have something left to say. HTTP/2 refuses more
	// than maxStreams, but may yet get some of their bytes.
	maxCalls = 16 * maxStreams
)

// Kinds and flags of HTTP/2's frames.
const (
	frameData   = 0
	frameHeads  = 1
	frameReset  = 3
	endOfStream = 1
	padded      = 8
)

func newMeter(c net.Conn, link *gate.Conn, most int64) *meter {
	return &meter{Conn: c, link: link, most: most, preface: prefaceLen, calls: map[uint32]*call{}}
}

// Read implements net.Conn. After an error the reader closes the connection.
func (m *meter) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	if err := m.scan(b[:n]); err != nil {
		return 0, err
	}
	return n, err
}

// handled gives back a message of parcels.
func (m *meter) handled(length int) {
	if m != nil {
		m.link.Hold(-int64(length)-messageHead, m.most)
	}
}

// holds counts a message that is coming, as came does for streams, whose bytes it counts one by one.
func (m *meter) holds(length int) error {
	if !m.link.Hold(int64(length)+messageHead, m.most) {
		return m.tooMuch()
	}
	return nil
}

func (m *meter) tooMuch() error {
	return fmt.Errorf("%s has this node hold more bytes than it may, of messages that are not finished or not handled", m.link.Owner())
}

// waits counts bytes that wait to be sent, and says whether there may be that many: they
// take half of what the owner may hold at most, so that a peer that reads nothing can
// still ask.
func (m *meter) waits(bytes int64) bool {
	return m == nil || m.link.Hold(bytes, m.most/2)
}

func (m *meter) scan(b []byte) error {
	skip := min(m.preface, len(b))
	m.preface -= skip
	b = b[skip:]
	for len(b) > 0 {
		if len(m.head) < frameHead {
			n := min(frameHead-len(m.head), len(b))
			m.head, b = append(m.head, b[:n]...), b[n:]
			if len(m.head) < frameHead {
				return nil
			}
			m.left = int(m.head[0])<<16 | int(m.head[1])<<8 | int(m.head[2])
			if m.head[3] == frameHeads && m.parcels == 0 {
				m.parcels = m.stream()
			}
		}
		n := min(m.left, len(b))
		if err := m.came(b[:n]); err != nil {
			return err
		}
		b = b[n:]
		if m.left -= n; m.left == 0 {
			m.ended()
			m.head = m.head[:0]
		}
	}
	return nil
}

func (m *meter) stream() uint32 { return binary.BigEndian.Uint32(m.head[5:]) &^ (1 << 31) }

// came counts bytes of a frame.
func (m *meter) came(b []byte) error {
	if m.head[3] != frameData || len(b) == 0 {
		return nil
	}
	if m.head[4]&padded != 0 {
		return errors.New("expected frames without padding")
	}
	c := m.calls[m.stream()]
	if c == nil {
		if len(m.calls) == maxCalls {
			return fmt.Errorf("expected at most %d calls with something left to say", maxCalls)
		}
		c = &call{}
		m.calls[m.stream()] = c
	}
	c.held += int64(len(b))
	if !m.link.Hold(int64(len(b)), m.most) {
		return m.tooMuch()
	}
	return c.messages(b)
}

// ended looks whether a call says nothing more.
func (m *meter) ended() {
	last := m.head[3] == frameReset || m.head[3] <= frameHeads && m.head[4]&endOfStream != 0
	id := m.stream()
	if c := m.calls[id]; last && c != nil {
		if id != m.parcels {
			m.link.Hold(-c.held, m.most)
		}
		delete(m.calls, id)
	}
}

// messages follows the heads of messages.
func (c *call) messages(b []byte) error {
	for len(b) > 0 {
		if c.left == 0 {
			n := min(messageHead-len(c.head), len(b))
			c.head, b = append(c.head, b[:n]...), b[n:]
			if c.head[0] != 0 {
				return errors.New("expected messages that are not compressed")
			}
			if len(c.head) == messageHead {
				c.left, c.head = int64(binary.BigEndian.Uint32(c.head[1:])), c.head[:0]
			}
			continue
		}
		n := min(c.left, int64(len(b)))
		b = b[n:]
		c.left -= n
	}
	return nil
}
