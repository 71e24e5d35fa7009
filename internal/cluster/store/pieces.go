package store

import (
	"fmt"
	"io"
	"sort"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
)

// In: the writes of a file, most of them slices of memory that stays, or of memory that only
// stands for a part of another file. Out: a list of where the bytes of the file lie.

// pieces are a file in the order of its bytes, without gaps.
type pieces []piece

// piece is n bytes of the file from at on: b, or from of raw on.
type piece struct {
	at, n int64
	b     []byte
	raw   data.Raw
	from  int64
}

// ReadAt reads bytes of the file.
func (p pieces) ReadAt(b []byte, offset int64) (int, error) {
	done := 0
	for i := sort.Search(len(p), func(i int) bool { return p[i].at+p[i].n > offset }); done < len(b) && i < len(p); i++ {
		q := &p[i]
		skip := offset + int64(done) - q.at
		part := b[done:][:min(int64(len(b)-done), q.n-skip)]
		if q.b != nil {
			done += copy(part, q.b[skip:])
			continue
		}
		n, err := q.raw.ReadAt(part, q.from+skip)
		if done += n; err != nil {
			return done, err
		}
	}
	if done < len(b) {
		return done, io.EOF
	}
	return done, nil
}

// pieceWriter takes what is written as pieces. It knows memory that stays; the rest it copies.
type pieceWriter struct {
	pieces
	at    int64
	known []known
}

// known is memory that stays as it is, or that stands for a part of raw.
type known struct {
	b    []byte
	raw  data.Raw
	from int64
	rest bool // it stands for a part of raw
}

func (w *pieceWriter) stays(b []byte) {
	if len(b) > 0 {
		w.known = append(w.known, known{b: b})
	}
}

// elsewhere gives n bytes of memory that stand for those of raw from an offset on. It has
// no bytes of its own: if it was read, which no writer of uncompressed columns does, they would be zeros.
func (w *pieceWriter) elsewhere(raw data.Raw, from, n int64) ([]byte, error) {
	if raw.File == nil {
		b := raw.Bytes[from : from+n]
		w.stays(b)
		return b, nil
	}
	if n == 0 {
		return nil, nil
	}
	b, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve %d addresses: %w", n, err)
	}
	w.known = append(w.known, known{b, raw, from, true})
	return b, nil
}

// free gives addresses back; the pieces stay.
func (w *pieceWriter) free() {
	for _, k := range w.known {
		if k.rest {
			_ = unix.Munmap(k.b)
		}
	}
	w.known = nil
}

// Write never fails.
func (w *pieceWriter) Write(b []byte) (int, error) {
	n := int64(len(b))
	if n == 0 {
		return 0, nil
	}
	q := piece{at: w.at, n: n}
	w.at += n
	if k, off := w.find(b); k == nil {
		if last := len(w.pieces) - 1; last >= 0 && w.pieces[last].owned() {
			w.pieces[last].b = append(w.pieces[last].b, b...)
			w.pieces[last].n += n
			return len(b), nil
		}
		q.b, q.from = append([]byte(nil), b...), -1
	} else if k.rest {
		q.raw, q.from = k.raw, k.from+off
	} else {
		q.b = b
	}
	w.pieces = append(w.pieces, q)
	return len(b), nil
}

// owned pieces are copies.
func (p *piece) owned() bool { return p.from < 0 }

// find tells which known memory b is a part of, and where in it.
func (w *pieceWriter) find(b []byte) (*known, int64) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for i := range w.known {
		k := &w.known[i]
		if off := at - uintptr(unsafe.Pointer(unsafe.SliceData(k.b))); off < uintptr(len(k.b)) && uintptr(len(b)) <= uintptr(len(k.b))-off {
			return k, int64(off)
		}
	}
	return nil, 0
}
