package mem

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// In: stretches of files, each of which goes on where the one before ends. Out: their bytes one behind the other, to be read. What begins in its
// page where the one before ends is mapped, all but the pages that have bytes of two files, which are copies; of the others
// the caller makes copies. Invariant: what is mapped is longer than what is copied.

// Stretch is Length bytes of a file from Offset on.
type Stretch struct {
	File           *os.File
	Offset, Length int64
}

// ErrApart says that the pages of files do not follow each other: more would be copied than mapped.
var ErrApart = errors.New("the pages of the files do not follow each other")

// leastStretch is how long what is mapped is at least: of two pages, one may be all its own.
const leastStretch = 2 * Page

// Joined are stretches as one piece of memory, until Close.
type Joined struct {
	pages, bytes []byte
	list         []Stretch
	shift        int64 // where in a page the first begins
}

// Join maps stretches. It gives ErrApart where they do not fit together.
func Join(list []Stretch) (*Joined, error) {
	shift, n, ok := commonShift(list)
	if !ok {
		return nil, ErrApart
	}
	pages, err := unix.Mmap(-1, 0, int(roundUp(shift+n)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", n, err)
	}
	j := &Joined{pages, pages[shift:][:n:n], list, shift}
	at := shift
	for i, s := range list {
		if fits(s, at) {
			if err := j.place(s, at, i == 0, i == len(list)-1); err != nil {
				return nil, errors.Join(err, j.Close())
			}
		}
		at += s.Length
	}
	return j, nil
}

// commonShift is where in a page the first stretch must begin for most bytes to be mapped, and how many bytes there are; false if less than half of them would be.
func commonShift(list []Stretch) (shift, n int64, ok bool) {
	by := map[int64]int64{} // bytes that are mapped
	for _, s := range list {
		if s.Length >= leastStretch {
			by[((s.Offset-n)%Page+Page)%Page] += s.Length
		}
		n += s.Length
	}
	most := int64(0)
	for at, bytes := range by {
		if bytes > most || bytes == most && at < shift {
			shift, most = at, bytes
		}
	}
	return shift, n, most > 0 && most >= n-most
}

// fits reports that a stretch is mapped to where it begins among the pages.
func fits(s Stretch, at int64) bool { return s.Length >= leastStretch && s.Offset%Page == at%Page }

// place maps a stretch to where it begins among the pages. A page that it shares with the one before or the one after it gets a copy of its bytes.
func (j *Joined) place(s Stretch, at int64, first, last bool) error {
	from, end := at&^(Page-1), at+s.Length
	to := roundUp(end)
	if !first && from < at {
		from += Page
		if err := read(s, j.pages[at:from], 0); err != nil {
			return err
		}
	}
	if !last && end < to {
		to -= Page
		if err := read(s, j.pages[to:end], to-at); err != nil {
			return err
		}
	}
	return mapOver(j.pages[from:to], s.File, s.Offset+from-at)
}

// mapOver maps a part of a file, from a page on, in place of pages of which nothing is left then.
func mapOver(pages []byte, f *os.File, off int64) error {
	if len(pages) == 0 {
		return nil
	}
	at := unsafe.Pointer(unsafe.SliceData(pages))
	if _, err := unix.MmapPtr(int(f.Fd()), off, at, uintptr(len(pages)), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_NORESERVE|unix.MAP_FIXED); err != nil {
		return fmt.Errorf("map %d bytes of %s: %w", len(pages), f.Name(), err)
	}
	return nil
}

// read copies bytes of a stretch.
func read(s Stretch, p []byte, off int64) error {
	n, err := s.File.ReadAt(p, s.Offset+off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s: %w", s.File.Name(), err)
}

// Bytes are those of all stretches. Nothing may write to what is mapped.
func (j *Joined) Bytes() []byte { return j.bytes }

// Part is the memory of a stretch, and whether its file is mapped there; else it is zero, and the caller's to fill.
func (j *Joined) Part(i int) (part []byte, mapped bool) {
	at := int64(0)
	for _, s := range j.list[:i] {
		at += s.Length
	}
	n := j.list[i].Length
	return j.bytes[at:][:n:n], fits(j.list[i], j.shift+at)
}

// Close unmaps the memory. Nothing may use it afterwards.
func (j *Joined) Close() error {
	pages := j.pages
	j.pages, j.bytes = nil, nil
	return unix.Munmap(pages)
}
