// Package ring carries messages between two processes of one machine through memory that both
// have mapped: a ring of bytes each way, with one producer and one consumer.
//
// What comes in are messages and a Unix socket whose far end is known to be the peer's; what goes
// out are the same messages, in order, whole. Invariants: nothing of the memory is looked at
// before it was copied out, since the peer may write to it at any time; no length and no index that
// the peer can write is used before it was checked; the memory is unmapped after the last reader
// and writer of it. So a peer can damage what it sends itself, and nothing else: rubbish ends
// the connection with a *BrokenError.
package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// Layout of the memory: a page of words, then the ring of the dialler's messages, then that of the
// accepting side's. Words that different sides write lie on lines of their own, in pairs of
// lines, which processors fetch together.
const (
	// Size is that of a ring in bytes. It stays in a processor's own cache, and large messages
	// pass through it in pieces, of which one is copied out while the next is copied in.
	Size = 256 << 10
	line = 128
	page = 4096
	// Bytes is the whole memory. Pages that nothing was written to take none.
	Bytes = page + 2*Size

	// piece is the most that one record has of a message. A quarter of a ring lets both sides
	// copy at the same time.
	piece = Size/4 - head
	head  = 8 // of a record: bytes in it (4), bytes of its message that come after it (4)
)

// Words of a direction, by their line. The consumer writes taken and asleep, the producer written
// and crowded; asleep and crowded are cleared by the side that they ask something of.
const (
	written = iota // bytes that were written, ever
	taken          // bytes that were taken out, ever
	asleep         // 1: the consumer is to be woken when there is something
	crowded        // 1: the producer is to be woken when there is room
	words
)

// What the lines after those of both directions have.
const (
	beatLine = 2 * words // of the dialler; the accepting side's comes after it
	lines    = beatLine + 2
)

// The page must hold the lines.
var _ [page - lines*line]struct{}

// Errors of a ring.
var (
	// ErrNone says that there are no rings here: on this system, or with that peer.
	ErrNone = errors.New("no ring")
	// ErrSilent ends a ring whose peer gives no sign of life, being stopped or stuck.
	ErrSilent = fmt.Errorf("the peer gave no sign of life for %v", silentBeats*beatTime)
	// ErrEnded is the reason where the peer gave none.
	ErrEnded = errors.New("the peer has ended the connection")
)

// BrokenError says that a peer wrote to the memory what no peer writes.
type BrokenError struct{ What string }

func (e *BrokenError) Error() string { return "the peer broke the ring: " + e.What }

func broken(format string, args ...any) error { return &BrokenError{fmt.Sprintf(format, args...)} }

// way is one direction, as both of its sides see it. The words of a mapping are read and written
// by sync/atomic alone, whose operations are sequentially consistent. That is more than release
// and acquire, and is needed where a side tells something and then looks for a flag of the other: at
// written and asleep, and at taken and crowded. putter.flush says why.
type way struct {
	word [words]*uint64
	data []byte
	// at, if not nil, is called before each access to a word, so that tests can stop or end a side
	// between any two.
	at func()
}

// wayIn is a direction of a memory of Bytes bytes: 0 from the dialler, 1 to it.
func wayIn(memory []byte, direction int, at func()) way {
	w := way{data: memory[page+direction*Size:][:Size:Size], at: at}
	for i := range w.word {
		w.word[i] = wordIn(memory, direction*words+i)
	}
	return w
}

// wordIn is the word at the beginning of a line. The mapping begins on a page, so it is aligned.
func wordIn(memory []byte, l int) *uint64 {
	return (*uint64)(unsafe.Pointer(&memory[l*line : l*line+8][0]))
}

func (w *way) load(i int) uint64 {
	if w.at != nil {
		w.at()
	}
	return atomic.LoadUint64(w.word[i])
}

// store is an exchange: what comes after it, looking at a flag too, must not be done before it. A plain
// atomic store says that as well, and is the same instruction on amd64; but of arm64's STLR
// followed by LDAR, emulators make a store and a load that an amd64 processor reorders.
func (w *way) store(i int, v uint64) {
	if w.at != nil {
		w.at()
	}
	atomic.SwapUint64(w.word[i], v)
}

// cleared clears a flag, and reports whether it was set.
func (w *way) cleared(i int) bool {
	return w.load(i) != 0 && func() bool {
		if w.at != nil {
			w.at()
		}
		return atomic.SwapUint64(w.word[i], 0) != 0
	}()
}

// copyIn and copyOut go around the end of the ring.
func (w *way) copyIn(pos uint64, b []byte) {
	n := copy(w.data[pos%Size:], b)
	copy(w.data, b[n:])
}

func (w *way) copyOut(b []byte, pos uint64) {
	n := copy(b, w.data[pos%Size:])
	copy(b[n:], w.data)
}

// padded is how many bytes a record with n bytes of a message takes.
func padded(n int) uint64 { return uint64(head + (n+7)&^7) }

// A bell is one byte on the socket.
type bell byte

const (
	toTake  bell = iota // something was written
	toWrite             // there is room
	bells               // how many wake somebody
	// because is followed by the reason why the connection ends, until its end.
	because = '!'
	ready   = 'k' // the memory is passed, or mapped
)

// sleeper is how a side rings and waits.
type sleeper interface {
	// ring wakes the other side. It does not block.
	ring(bell)
	// wait returns after the other side rang, perhaps earlier, or with an error when it
	// will not do so any more.
	wait(bell) error
	// spin says whether to look once more instead of going to sleep. The first call after
	// something was found begins anew.
	spin(bell) bool
	// found is told that looking or waiting has been of use.
	found(bell)
}

// Signs of life. They are words of the memory, so a handler that takes long, or a full ring, does
// not keep a peer from giving them.
const (
	beatTime    = time.Second
	silentBeats = 5
)
