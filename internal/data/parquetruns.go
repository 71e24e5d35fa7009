package data

import (
	"encoding/binary"
	"errors"
)

// Levels and dictionary codes are stored as a mixture of runs: one value
// repeated, or groups of 8 values packed into width bits each. See
// "RLE/Bit-Packing Hybrid" in parquet-format's Encodings.md.
type runReader struct {
	b     []byte
	width uint // bits per value, 0 to 32
}

var (
	errRuns = errors.New("a run of packed values is damaged")
	errCode = errors.New("a code is not in the dictionary")
)

// run is the next run. packed holds its bytes, before those of the rest of the page, or is nil for n times value.
// n may exceed what the page still needs: the last group is padded.
type run struct {
	n      int
	value  uint32
	packed []byte
}

func (r *runReader) next() (run, error) {
	head, k := binary.Uvarint(r.b)
	if k <= 0 || head>>1 > 1<<31 {
		return run{}, errRuns
	}
	b := r.b[k:]
	if head&1 == 1 {
		n := int(head>>1) * int(r.width)
		if head>>1 == 0 {
			return run{}, errRuns
		}
		// Some writers cut the padding of the last group off.
		n = min(n, len(b))
		r.b = b[n:]
		return run{n: int(head>>1) * 8, packed: b[:n]}, nil
	}
	bytes := int(r.width+7) / 8
	if len(b) < bytes || head>>1 == 0 {
		return run{}, errRuns
	}
	var v [4]byte
	copy(v[:], b[:bytes])
	r.b = b[bytes:]
	return run{n: int(head >> 1), value: binary.LittleEndian.Uint32(v[:])}, nil
}

// levels decodes def levels of 0 or 1 into valid, one byte each, and returns
// how many are 1. Runs of one value are the usual case and cost nothing.
func levels(b []byte, valid []byte) (int, error) {
	r, ones := runReader{b, 1}, 0
	for len(valid) > 0 {
		u, err := r.next()
		if err != nil {
			return 0, err
		}
		n := min(u.n, len(valid))
		switch {
		case u.packed != nil:
			if n > len(u.packed)*8 {
				return 0, errRuns
			}
			for i := range n {
				v := u.packed[i>>3] >> (i & 7) & 1
				valid[i] = v
				ones += int(v)
			}
		case u.value > 1:
			return 0, errRuns
		case u.value == 1:
			fillOnes(valid[:n])
			ones += n
		default:
			clear(valid[:n])
		}
		valid = valid[n:]
	}
	return ones, nil
}

// allOnes reports whether the first n levels are 1 by runs alone; false means
// that levels has to look.
func allOnes(b []byte, n int) bool {
	r := runReader{b, 1}
	for n > 0 {
		u, err := r.next()
		if err != nil || u.packed != nil || u.value != 1 {
			return false
		}
		n -= u.n
	}
	return true
}

// lookUp decodes codes and writes the dictionary's value of each to dst.
func lookUp[T uint8 | uint16 | uint32 | uint64](dst, dict []T, r runReader) error {
	unpack := lookUpPacked[T]
	if r.width <= widestPair && len(dst) >= fewestForPairs {
		unpack = pairsOf(dict, r.width).lookUp
	}
	for len(dst) > 0 {
		u, err := r.next()
		if err != nil {
			return err
		}
		n := min(u.n, len(dst))
		switch {
		case u.packed == nil || r.width == 0:
			if uint64(u.value) >= uint64(len(dict)) {
				return errCode
			}
			fillWith(dst[:n], dict[u.value])
		default:
			if uint64(n)*uint64(r.width) > uint64(len(u.packed))*8 {
				return errRuns
			}
			if err := unpack(dst[:n], dict, u.packed, r.width); err != nil {
				return err
			}
		}
		dst = dst[n:]
	}
	return nil
}

func fillWith[T uint8 | uint16 | uint32 | uint64](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// lookUpPacked unpacks codes of width bits. Eight of them begin at a byte and end at one, and the last four begin in the middle of that, so that
// two loads of 8 bytes have 8 narrow codes, and four have wider ones. The bytes of packed cover all of dst; those behind them, which may be loaded,
// count for nothing.
func lookUpPacked[T uint8 | uint16 | uint32 | uint64](dst, dict []T, packed []byte, width uint) error {
	mask, n, w := uint64(1)<<width-1, uint64(len(dict)), width&63
	b := packed[:cap(packed)]
	switch {
	case width <= 14:
		half, odd := int(width/2), width%2*4
		for len(dst) >= 8 && len(b) >= half+8 {
			x := binary.LittleEndian.Uint64(b)
			y := binary.LittleEndian.Uint64(b[half:]) >> (odd & 63)
			out := dst[:8:8]
			c0, d0 := x&mask, y&mask
			x, y = x>>w, y>>w
			c1, d1 := x&mask, y&mask
			x, y = x>>w, y>>w
			c2, d2 := x&mask, y&mask
			c3, d3 := x>>w&mask, y>>w&mask
			if c0 >= n || c1 >= n || c2 >= n || c3 >= n || d0 >= n || d1 >= n || d2 >= n || d3 >= n {
				return errCode
			}
			out[0], out[1], out[2], out[3] = dict[c0], dict[c1], dict[c2], dict[c3]
			out[4], out[5], out[6], out[7] = dict[d0], dict[d1], dict[d2], dict[d3]
			dst, b = dst[8:], b[width:]
		}
	case width <= 28:
		bit := uint(0)
		for ; len(dst) >= 2 && len(b) >= int(bit>>3)+8; bit += 2 * width {
			x := binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7)
			c, d := x&mask, x>>w&mask
			if c >= n || d >= n {
				return errCode
			}
			dst[0], dst[1] = dict[c], dict[d]
			dst = dst[2:]
		}
		return lookUpOneByOne(dst, dict, b, bit, width)
	}
	return lookUpOneByOne(dst, dict, b, 0, width)
}

// Codes of up to widestPair bits are looked up by twos, in a table of all pairs; fewestForPairs are worth making one.
const widestPair, fewestForPairs = 4, 2048

// pairs are the values of all pairs of codes.
type pairs[T uint8 | uint16 | uint32 | uint64] struct {
	of  [1 << (2 * widestPair)][2]T
	bad [1 << (2 * widestPair)]uint8 // 1 where a code of the pair is in no dictionary
}

func pairsOf[T uint8 | uint16 | uint32 | uint64](dict []T, width uint) *pairs[T] {
	p := &pairs[T]{}
	for i := range 1 << (2 * width) {
		if c, d := i&(1<<width-1), i>>width; c < len(dict) && d < len(dict) {
			p.of[i] = [2]T{dict[c], dict[d]}
		} else {
			p.bad[i] = 1
		}
	}
	return p
}

// lookUp unpacks codes as lookUpPacked does. Eight of them are four pairs, in width bytes.
func (p *pairs[T]) lookUp(dst, dict []T, packed []byte, width uint) error {
	mask, w := uint8(1)<<(2*width)-1, 2*width&63
	b, bad := packed[:cap(packed)], uint8(0)
	for len(dst) >= 8 && len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		i, j, k, l := uint8(x)&mask, uint8(x>>w)&mask, uint8(x>>(2*w&63))&mask, uint8(x>>(3*w&63))&mask
		*(*[2]T)(dst[0:2]), *(*[2]T)(dst[2:4]) = p.of[i], p.of[j]
		*(*[2]T)(dst[4:6]), *(*[2]T)(dst[6:8]) = p.of[k], p.of[l]
		bad |= p.bad[i] | p.bad[j] | p.bad[k] | p.bad[l]
		dst, b = dst[8:], b[width:]
	}
	if bad != 0 {
		return errCode
	}
	return lookUpOneByOne(dst, dict, b, 0, width)
}

// lookUpOneByOne unpacks codes from a bit on.
func lookUpOneByOne[T uint8 | uint16 | uint32 | uint64](dst, dict []T, packed []byte, bit, width uint) error {
	mask := uint64(1)<<width - 1
	for i := range dst {
		c := code(packed, bit) & mask
		if c >= uint64(len(dict)) {
			return errCode
		}
		dst[i] = dict[c]
		bit += width
	}
	return nil
}

// code is at least 57 bits that begin at a bit of packed, as far as it goes.
func code(packed []byte, bit uint) uint64 {
	at := int(bit >> 3)
	if at+8 <= len(packed) {
		return binary.LittleEndian.Uint64(packed[at:]) >> (bit & 7)
	}
	var tail [8]byte
	copy(tail[:], packed[at:])
	return binary.LittleEndian.Uint64(tail[:]) >> (bit & 7)
}
