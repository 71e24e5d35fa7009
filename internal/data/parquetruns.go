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

// run is the next run. packed holds its bytes, or is nil for n times value.
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
		return run{n: int(head>>1) * 8, packed: b[:n:n]}, nil
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
			if err := lookUpPacked(dst[:n], dict, u.packed, r.width); err != nil {
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

// lookUpPacked unpacks codes of width bits, 4 from each 8-byte load where
// they fit. The bytes of packed cover all of dst.
func lookUpPacked[T uint8 | uint16 | uint32 | uint64](dst, dict []T, packed []byte, width uint) error {
	mask := uint64(1)<<width - 1
	i, bit := 0, uint(0)
	if width <= 14 {
		// 4 codes and up to 7 bits before them are at most 63 bits.
		for ; i+4 <= len(dst) && int(bit>>3)+8 <= len(packed); i += 4 {
			x := binary.LittleEndian.Uint64(packed[bit>>3:]) >> (bit & 7)
			a, b, c, d := x&mask, x>>width&mask, x>>(2*width)&mask, x>>(3*width)&mask
			n := uint64(len(dict))
			if a >= n || b >= n || c >= n || d >= n {
				return errCode
			}
			out := dst[i : i+4 : i+4]
			out[0], out[1], out[2], out[3] = dict[a], dict[b], dict[c], dict[d]
			bit += 4 * width
		}
	}
	for ; i < len(dst); i++ {
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
