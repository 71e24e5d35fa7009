package data

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/zeebo/xxh3"
)

// In: texts, most of them seen before. Out: the number of each. A table of the runtime keeps texts elsewhere, so that each look-up waits for memory
// twice; here those of at most 16 bytes lie in the table. Invariant: a text has one number; who writes a file cannot know which texts share a place.

// textTable numbers texts. The zero table is empty.
type textTable struct {
	places []textPlace // a power of two, at most half of them taken
	taken  int
}

// textsAtOnce are as many texts as are looked for at the same time.
const textsAtOnce = 32

// textPlace is a text of at most 16 bytes, of which first and last have all bytes, or a longer one by its hash in first.
type textPlace struct {
	first, last uint64
	length      int32 // plus one; 0 where nothing is, and isLong
	code        int32
}

const isLong = -1

// textSeeds are this process's own.
var textSeeds = [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}

// textPlaceOf is what a text's place has, without its number.
func textPlaceOf(b []byte) textPlace {
	n := len(b)
	p := textPlace{length: int32(n) + 1}
	switch {
	case n > 16:
		p.first, p.length = xxh3.HashSeed(b, textSeeds[0]), isLong
	case n >= 8:
		p.first, p.last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		p.first = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		p.first = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	return p
}

func (p *textPlace) hash() uint64 {
	hi, lo := bits.Mul64(p.first^textSeeds[0], p.last^textSeeds[1])
	hi, lo = bits.Mul64(hi^lo^uint64(p.length), textSeeds[0]|1<<63)
	return hi ^ lo
}

// code is the number of a text among texts, whose key and hash are given; false if it is not there.
func (t *textTable) code(b []byte, key *textPlace, hash uint64, texts []string) (code int32, ok bool) {
	if len(t.places) == 0 {
		return 0, false
	}
	mask := uint64(len(t.places) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		p := &t.places[at]
		switch {
		case p.length == 0:
			return 0, false
		case p.first == key.first && p.last == key.last && p.length == key.length && (p.length != isLong || texts[p.code] == string(b)):
			return p.code, true
		}
	}
}

// look has the processor bring the places of hashes, all at the same time. What it gives means nothing.
func (t *textTable) look(hashes []uint64) (some int32) {
	if len(t.places) == 0 {
		return 0
	}
	mask := uint64(len(t.places) - 1)
	for _, h := range hashes {
		some |= t.places[h&mask].length
	}
	return some
}

// put adds a text that is not there.
func (t *textTable) put(key textPlace, code int32) {
	if t.taken*2 >= len(t.places) {
		old := t.places
		t.places = make([]textPlace, max(64, 2*len(old)))
		for i := range old {
			if old[i].length != 0 {
				t.set(old[i])
			}
		}
	}
	key.code = code
	t.set(key)
	t.taken++
}

func (t *textTable) set(key textPlace) {
	mask := uint64(len(t.places) - 1)
	at := key.hash() & mask
	for t.places[at].length != 0 {
		at = (at + 1) & mask
	}
	t.places[at] = key
}
