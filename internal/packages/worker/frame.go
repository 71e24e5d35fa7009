package worker

import (
	"encoding/binary"
	"fmt"
	"io"
)

// What node and worker say to each other is a sequence of frames: the length of
// the body (4 bytes, little-endian), a kind (1 byte), the body. The node asks, the
// worker answers each question with one frame.
const (
	frameHead = 5

	askLoad   = 1 // program
	askCall   = 2 // question; the descriptors of the granted regions travel with the head
	sayLoaded = 3 // loaded
	sayDone   = 4 // Outcome
	sayFailed = 5 // text; the worker is still good after a call, and ends after a load
)

// Bounds on the pieces in which a frame comes: each takes time, and a package can write
// to the socket too. The kernel passes on what is written at once in pieces of 32 KiB,
// or what is left.
const (
	pieces     = 64      // that may be of any length
	pieceBytes = 4 << 10 // of each beyond them, on average
)

// maxText is how much of an error text is read.
const maxText = 4 << 10

func frame(kind byte, body []byte) []byte {
	b := make([]byte, frameHead, frameHead+len(body))
	binary.LittleEndian.PutUint32(b, uint32(len(body)))
	b[4] = kind
	return append(b, body...)
}

// readFrame reads a frame whose body has at most the given number of bytes.
func readFrame(r io.Reader, most int64) (kind byte, body []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > most {
		return 0, nil, fmt.Errorf("a frame of %d bytes, expected at most %d", n, most)
	}
	body = make([]byte, n)
	for done, reads := 0, 0; done < len(body); reads++ {
		if reads > pieces+done/pieceBytes {
			return 0, nil, fmt.Errorf("a frame of %d bytes comes in too many pieces: %d for %d bytes", n, reads, done)
		}
		m, err := io.ReadAtLeast(r, body[done:], 1)
		if err != nil {
			return 0, nil, fmt.Errorf("a frame of %d bytes ends early: %w", n, err)
		}
		done += m
	}
	return head[4], body, nil
}

// fields appends the parts of a body. Integers are little-endian.
type fields []byte

func (f *fields) u32(v uint32)   { *f = binary.LittleEndian.AppendUint32(*f, v) }
func (f *fields) u64(v uint64)   { *f = binary.LittleEndian.AppendUint64(*f, v) }
func (f *fields) bytes(v []byte) { f.u32(uint32(len(v))); *f = append(*f, v...) }
func (f *fields) text(v string)  { f.u32(uint32(len(v))); *f = append(*f, v...) }
func (f *fields) flag(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	*f = append(*f, b)
}

func (f *fields) texts(v []string) {
	f.u32(uint32(len(v)))
	for _, s := range v {
		f.text(s)
	}
}

// cursor reads a body. The first error stays, and all that is read after it is 0.
type cursor struct {
	b   []byte
	err error
}

// take gives the next n bytes, or nil after an error.
func (c *cursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)) {
		c.err = fmt.Errorf("expected %d more bytes, found %d", n, len(c.b))
	}
	if c.err != nil {
		return nil
	}
	part := c.b[:n:n]
	c.b = c.b[n:]
	return part
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (c *cursor) flag() bool {
	b := c.take(1)
	if b != nil && b[0] > 1 {
		c.err = fmt.Errorf("expected 0 or 1, found %d", b[0])
	}
	return b != nil && b[0] == 1
}

func (c *cursor) bytes() []byte { return c.take(int(c.u32())) }
func (c *cursor) text() string  { return string(c.bytes()) }

// count reads the number of entries that follow, each of at least size bytes, so
// that no more is allocated than was received.
func (c *cursor) count(size int) int {
	n := int(c.u32())
	if c.err == nil && n > len(c.b)/size {
		c.err = fmt.Errorf("%d entries in %d bytes", n, len(c.b))
	}
	if c.err != nil {
		return 0
	}
	return n
}

func (c *cursor) texts() []string {
	list := make([]string, c.count(4))
	for i := range list {
		list[i] = c.text()
	}
	return list
}

// end gives the first error; what was not read is one.
func (c *cursor) end() error {
	if c.err == nil && len(c.b) > 0 {
		c.err = fmt.Errorf("%d bytes too many", len(c.b))
	}
	return c.err
}
