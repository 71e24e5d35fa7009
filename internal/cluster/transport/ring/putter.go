package ring

import "encoding/binary"

// putter is the producer of one direction: messages come in, records go into the ring. It is used by
// one goroutine at a time.
type putter struct {
	way
	sleeper
	end   uint64 // written, told or not
	told  uint64 // what the consumer was told of it
	taken uint64 // what the consumer had taken when last looked at
}

// flushAfter is how much may be written without the consumer being told.
const flushAfter = Size / 4

// put writes a message in two parts. With more, the consumer may be told later, by another put or
// flush. It waits for room, however long that takes, unless the peer is gone.
func (p *putter) put(first, second []byte, more bool) error {
	left := len(first) + len(second)
	for {
		n := min(left, piece)
		if err := p.await(padded(n)); err != nil {
			return err
		}
		left -= n
		var word [head]byte
		binary.LittleEndian.PutUint32(word[:], uint32(n))
		binary.LittleEndian.PutUint32(word[4:], uint32(left))
		p.copyIn(p.end, word[:])
		at := p.end + head
		k := min(n, len(first))
		p.copyIn(at, first[:k])
		p.copyIn(at+uint64(k), second[:n-k])
		first, second = first[k:], second[n-k:]
		p.end += padded(n)
		if left > 0 || p.end-p.told >= flushAfter {
			p.flush()
		}
		if left == 0 {
			break
		}
	}
	if !more {
		p.flush()
	}
	return nil
}

// flush tells the consumer what was written, and wakes it if it sleeps. The consumer says that it
// sleeps and looks once more; this side tells and then looks whether it sleeps. One of both sees
// the other only if neither of them may read before its own write is seen: the order of both
// must be sequentially consistent.
func (p *putter) flush() {
	if p.end == p.told {
		return
	}
	p.told = p.end
	p.store(written, p.end) // releases the records
	if p.cleared(asleep) {
		p.ring(toTake)
	}
}

// room is how many bytes are free, as far as this side knows without looking.
func (p *putter) room() uint64 { return Size - (p.end - p.taken) }

// look reads how far the consumer is. It may write over what was taken: acquire.
func (p *putter) look() error {
	t := p.load(taken)
	// What was taken lies between what was taken before and what was told.
	if p.told-t > p.told-p.taken {
		return broken("it has taken %d bytes after %d, of %d", t, p.taken, p.told)
	}
	p.taken = t
	return nil
}

// await waits for room.
func (p *putter) await(bytes uint64) error {
	if p.room() >= bytes {
		return nil
	}
	p.flush() // who waits for what is not told waits for ever
	for {
		if err := p.look(); err != nil {
			return err
		}
		if p.room() >= bytes {
			p.found(toWrite)
			return nil
		}
		if p.spin(toWrite) {
			continue
		}
		p.store(crowded, 1)
		if err := p.look(); err != nil {
			return err
		}
		if p.room() < bytes {
			if err := p.wait(toWrite); err != nil {
				return err
			}
		}
		p.store(crowded, 0)
	}
}
