package ring

import (
	"encoding/binary"

	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// taker is the consumer of one direction: records come out of the ring, messages go out. It is used by
// one goroutine at a time.
type taker struct {
	way
	sleeper
	most int // bytes that a message may have
	// hold is asked before memory for a message is made, and may refuse; nil: never.
	hold func(bytes int) error

	end     uint64     // taken, told or not
	told    uint64     // what the producer was told of it
	written uint64     // what the producer had written when last looked at
	message []byte     // what came of a message that is not whole
	left    int        // bytes of it to come
	last    bool       // nothing is looked at any more
	lends   bool       // long messages lie in memory that is lent
	lent    *loan.Loan // what message lies in, or the last one that was given
	room    []byte     // of whoever takes, for a message that fits; see Conn.ReadInto
}

// take gives the next message, and waits for it. An error of the sleeper leaves what the producer had
// told before it went away to rest.
func (t *taker) take() ([]byte, error) {
	for {
		for t.end != t.written {
			m, err := t.record()
			if m != nil || err != nil {
				return m, err
			}
		}
		if err := t.look(); err != nil {
			return nil, err
		}
		if t.end != t.written {
			t.found(toTake)
			continue
		}
		t.tell()
		if t.spin(toTake) {
			continue
		}
		// See putter.flush for the order.
		t.store(asleep, 1)
		if err := t.look(); err != nil {
			return nil, err
		}
		if t.end == t.written {
			if err := t.wait(toTake); err != nil {
				return nil, err
			}
		}
		t.store(asleep, 0)
	}
}

// rest gives the next message of what was told when rest was called first, and nil when there is no
// more: a producer that only seems to be gone cannot go on.
func (t *taker) rest() ([]byte, error) {
	if !t.last {
		t.last = true
		if err := t.look(); err != nil {
			return nil, err
		}
	}
	for t.end != t.written {
		if m, err := t.record(); m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// look reads how far the producer is. The records before that may be read: acquire.
func (t *taker) look() error {
	w := t.load(written)
	// What was written is no less than before, and no more than the ring holds.
	if w-t.written > Size-(t.written-t.told) || w%8 != 0 {
		return broken("it has written %d bytes after %d, of which %d were taken", w, t.written, t.told)
	}
	t.written = w
	return nil
}

// record takes a record, and gives a message if it is whole then.
func (t *taker) record() ([]byte, error) {
	var word [head]byte
	t.copyOut(word[:], t.end)
	size, after := uint64(binary.LittleEndian.Uint32(word[:])), uint64(binary.LittleEndian.Uint32(word[4:]))
	switch {
	case size > piece || padded(int(size)) > t.written-t.end:
		return nil, broken("a record has %d bytes, of %d that were written", size, t.written-t.end)
	case t.message != nil && (size == 0 || size+after != uint64(t.left)):
		return nil, broken("a record has %d bytes and %d after it, of a message with %d to come", size, after, t.left)
	case t.message == nil && size+after > uint64(t.most):
		return nil, broken("a message has %d bytes: expected at most %d", size+after, t.most)
	case after > 0 && size != piece:
		return nil, broken("a record has %d bytes and %d after it: expected %d", size, after, piece)
	}
	n, whole := int(size), int(size+after)
	if t.message == nil {
		t.lent = nil // the one before is its reader's
	}
	if t.message == nil && after == 0 && n <= len(t.room) && n > 0 {
		m := t.room[:n:n]
		t.copyOut(m, t.end+head)
		t.end += padded(n)
		if t.end-t.told >= flushAfter {
			t.tell()
		}
		return m, nil
	}
	if t.message == nil {
		if t.hold != nil {
			if err := t.hold(whole); err != nil {
				return nil, err
			}
		}
		t.left = whole
		if t.lends && whole >= loan.Least {
			t.lent = loan.Of(whole)
			t.message = t.lent.Bytes()
		} else {
			t.message = make([]byte, whole)
		}
	}
	t.copyOut(t.message[len(t.message)-t.left:][:n], t.end+head)
	t.left -= n
	t.end += padded(n)
	if t.end-t.told >= flushAfter {
		t.tell()
	}
	if t.left > 0 {
		return nil, nil
	}
	m := t.message
	t.message = nil
	return m, nil
}

// follows says whether there is a message in one piece, as far as was looked.
func (t *taker) follows() bool {
	if t.end == t.written || t.message != nil {
		return false
	}
	var word [head]byte
	t.copyOut(word[:], t.end)
	return binary.LittleEndian.Uint32(word[4:]) == 0
}

// tell lets the producer write over what was taken, and wakes it if it waits for that: the
// order is that of putter.flush.
func (t *taker) tell() {
	if t.end == t.told {
		return
	}
	t.told = t.end
	t.store(taken, t.end) // releases the room
	if t.cleared(crowded) {
		t.ring(toWrite)
	}
}
