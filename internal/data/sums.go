package data

import "github.com/zeebo/xxh3"

// Block is the unit of checksums, in bytes. What is read reaches into blocks at both of
// its ends, which have to be read as a whole to be compared: small blocks cost less
// there. Of windows of half a megabyte it is a thirty-second part; and the sums are a
// two-thousandth part of the file.
const Block = 16 << 10

// Sums are what the bytes of a file must be: the XXH3 of each of its blocks. The last
// block may be shorter.
type Sums struct {
	Size int64
	List []uint64
}

// Blocks is how many blocks a file of size bytes has.
func Blocks(size int64) int64 { return (size + Block - 1) / Block }

// Fits reports that there is a sum for every block.
func (s *Sums) Fits() bool { return s.Size >= 0 && int64(len(s.List)) == Blocks(s.Size) }

// bounds are the bytes of a block.
func (s *Sums) bounds(block int64) (lo, hi int64) {
	return block * Block, min((block+1)*Block, s.Size)
}

// Summing is a writer that makes the sums of what is written to it.
type Summing struct {
	sums Sums
	rest []byte // less than a block
}

// Write takes the next bytes of the file.
func (w *Summing) Write(p []byte) (int, error) {
	n := len(p)
	w.sums.Size += int64(n)
	if len(w.rest) > 0 {
		take := min(len(p), Block-len(w.rest))
		w.rest = append(w.rest, p[:take]...)
		p = p[take:]
		if len(w.rest) == Block {
			w.add(w.rest)
			w.rest = w.rest[:0]
		}
	}
	for ; len(p) >= Block; p = p[Block:] {
		w.add(p[:Block])
	}
	w.rest = append(w.rest, p...)
	return n, nil
}

func (w *Summing) add(block []byte) { w.sums.List = append(w.sums.List, xxh3.Hash(block)) }

// Sums are those of all that was written. Nothing may be written afterwards.
func (w *Summing) Sums() Sums {
	if len(w.rest) > 0 {
		w.add(w.rest)
		w.rest = nil
	}
	return w.sums
}
