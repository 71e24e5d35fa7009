package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/zeebo/xxh3"
)

// Checked is a file whose blocks are compared with their checksums the first time that
// this process reads them. Reads go in; bytes that are as they were when the sums were
// made come out, or a *DamageError. A block that was compared is not compared again as
// long as nobody writes to the file: system calls that change it change its times, which
// are looked at after every read. What changes below them, on the disk itself, is found by
// Recheck. It is safe for concurrent use.
type Checked struct {
	path string
	file *os.File
	sums Sums
	now  atomic.Pointer[epoch]
	tell func(*DamageError) error
}

// epoch is a state of the file, and the blocks that were compared in it.
type epoch struct {
	stamp
	seen []atomic.Uint64 // a bit for each block
}

// DamageError says that a file is not what it was when its checksums were made.
type DamageError struct {
	Path   string
	Block  int64 // -1 if it is not about one
	Reason string
	Err    error    // the cause, if the system reported one
	Of     *Checked // the file, as it was opened
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s is damaged: %s", e.Path, e.What()) }

// What tells block and reason without the path.
func (e *DamageError) What() string {
	if e.Block < 0 {
		return e.Reason
	}
	return fmt.Sprintf("block %d (bytes %d on): %s", e.Block, e.Block*Block, e.Reason)
}

func (e *DamageError) Unwrap() error { return e.Err }

// NewChecked makes a checked file of an open one, which stays the caller's. What tell
// gives stands for the damage in all errors; nil leaves it as it is.
func NewChecked(path string, f *os.File, sums Sums, tell func(*DamageError) error) (*Checked, error) {
	c := &Checked{path: path, file: f, sums: sums, tell: tell}
	if !sums.Fits() {
		return nil, c.damage(-1, nil, "%d checksums are no sums of %d bytes", len(sums.List), sums.Size)
	}
	st, err := stampOf(f)
	if err != nil {
		return nil, c.failed(-1, err)
	}
	if st.size != sums.Size {
		return nil, c.length(st.size)
	}
	c.begin(nil, st)
	return c, nil
}

// Sums are what the file must be.
func (c *Checked) Sums() Sums { return c.sums }

// begin starts an epoch after another one, unless somebody else has.
func (c *Checked) begin(after *epoch, st stamp) *epoch {
	e := &epoch{st, make([]atomic.Uint64, (len(c.sums.List)+63)/64)}
	if !c.now.CompareAndSwap(after, e) {
		e = c.now.Load()
	}
	return e
}

// writes is how often a file may change while it is read, before it is given up.
const writes = 8

// ReadAt fills p from offset off.
func (c *Checked) ReadAt(p []byte, off int64) (int, error) {
	e := c.now.Load() // before the bytes are read: they are of this epoch or of a later one
	n := readCached(c.file, p, off)
	for n < len(p) {
		m, err := c.file.ReadAt(p[n:], off+int64(n))
		if n += m; n == len(p) {
			break
		}
		if err == io.EOF || err == nil {
			return n, c.length(off + int64(n))
		}
		if !errors.Is(err, syscall.EINTR) {
			return n, c.failed((off+int64(n))/Block, err)
		}
	}
	return n, c.settle(p, off, e)
}

// Seen compares bytes of a mapping of the file, which begin at offset off, a multiple of
// Block, and end at one or at the end of the file. A lease keeps others from writing.
func (c *Checked) Seen(p []byte, off int64) (err error) {
	// The disk may fail to deliver a page.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = c.damage(-1, nil, "bytes %d to %d cannot be read: %v", off, off+int64(len(p)), r)
		}
	}()
	return c.settle(p, off, c.now.Load())
}

// Known reports that all blocks of bytes lo..hi were compared, and nobody has written to the
// file since.
func (c *Checked) Known(lo, hi int64) bool {
	e := c.now.Load()
	for b := lo / Block; b*Block < hi; b++ {
		if word := e.seen[b/64].Load(); b%64 == 0 && word == ^uint64(0) && (b+64)*Block <= hi {
			b += 63
		} else if word>>(b%64)&1 == 0 {
			return false
		}
	}
	st, err := stampOf(c.file)
	return err == nil && st == e.stamp
}

// settle compares p with the sums, and looks whether the file is still that of the epoch.
func (c *Checked) settle(p []byte, off int64, e *epoch) error {
	for range writes {
		if err := c.compare(p, off, e); err != nil {
			return err
		}
		st, err := stampOf(c.file)
		switch {
		case err != nil:
			return c.failed(-1, err)
		case st == e.stamp:
			return nil
		case st.size != c.sums.Size:
			return c.length(st.size)
		}
		e = c.begin(e, st)
	}
	return c.damage(-1, nil, "somebody keeps writing to it")
}

// compare compares the blocks of p that were not compared in the epoch. Those that p has
// only a part of are read as a whole, and p gets what was compared.
func (c *Checked) compare(p []byte, off int64, e *epoch) error {
	end := off + int64(len(p))
	if off < 0 || end > c.sums.Size {
		return c.damage(-1, nil, "bytes %d to %d do not lie in a file of %d bytes", off, end, c.sums.Size)
	}
	for b := off / Block; b*Block < end; b++ {
		if e.seen[b/64].Load()>>(b%64)&1 != 0 {
			continue
		}
		lo, hi := c.sums.bounds(b)
		var err error
		if lo >= off && hi <= end {
			err = c.match(b, p[lo-off:hi-off])
		} else {
			err = c.mend(b, lo, hi, p, off)
		}
		if err != nil {
			return err
		}
		e.seen[b/64].Or(1 << (b % 64))
	}
	return nil
}

// edges are blocks for what is read beside the bytes that were asked for.
var edges = sync.Pool{New: func() any { return new([Block]byte) }}

// mend reads a block as a whole and copies what lies in p.
func (c *Checked) mend(b, lo, hi int64, p []byte, off int64) error {
	buf := edges.Get().(*[Block]byte)
	defer edges.Put(buf)
	whole := buf[:hi-lo]
	if err := c.plain(whole, lo); err != nil {
		return err
	}
	if err := c.match(b, whole); err != nil {
		return err
	}
	first := max(lo, off)
	copy(p[first-off:min(hi, off+int64(len(p)))-off], whole[first-lo:])
	return nil
}

// plain reads without comparing.
func (c *Checked) plain(p []byte, off int64) error {
	n, err := c.file.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == io.EOF:
		return c.length(off + int64(n))
	}
	return c.failed(off/Block, err)
}

// match compares a whole block with its sum.
func (c *Checked) match(b int64, whole []byte) error {
	if got := xxh3.Hash(whole); got != c.sums.List[b] {
		return c.damage(b, nil, "its checksum is %016x, expected %016x", got, c.sums.List[b])
	}
	return nil
}

// length is the error of a file that was cut short, or has grown.
func (c *Checked) length(have int64) error {
	return c.damage(-1, nil, "it has %d bytes, expected %d", have, c.sums.Size)
}

// Passing reports that an error of a system call says nothing about a file: the process, or the
// system, lacks memory or descriptors.
func Passing(err error) bool {
	return slices.ContainsFunc([]error{os.ErrClosed, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN}, func(passing error) bool {
		return errors.Is(err, passing)
	})
}

// failed is the error of a system call.
func (c *Checked) failed(b int64, err error) error {
	if Passing(err) {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	return c.damage(b, err, "it cannot be read: %v", err)
}

func (c *Checked) damage(b int64, cause error, reason string, args ...any) error {
	e := &DamageError{Path: c.path, Block: b, Reason: fmt.Sprintf(reason, args...), Err: cause, Of: c}
	if c.tell != nil {
		return c.tell(e)
	}
	return e
}

// Recheck reads blocks through another descriptor of the file, whose offset it moves, from
// off on, a multiple of Block, as many as p has room for, and compares all of them, whether
// they were compared before or not. It gives how many bytes that were.
func (c *Checked) Recheck(f *os.File, p []byte, off int64) (int, error) {
	want := int(min(int64(len(p))/Block*Block, c.sums.Size-off))
	n := 0
	if _, err := f.Seek(off, io.SeekStart); err != nil {
		return 0, c.failed(off/Block, err)
	}
	for n < want {
		// Into all of p, and with one system call each: what goes around the page cache is
		// read in whole sectors, and ReadAt would go on behind the end.
		m, err := f.Read(p[n:])
		if n += m; n >= want {
			break
		}
		if err == io.EOF {
			return n, c.length(off + int64(n))
		}
		if err != nil {
			return n, c.failed((off+int64(n))/Block, err)
		}
	}
	for lo := 0; lo < want; lo += Block {
		if err := c.match((off+int64(lo))/Block, p[lo:min(lo+Block, want)]); err != nil {
			return want, err
		}
	}
	return want, nil
}

// Damage is an error about the whole file, found by whoever opened it.
func (c *Checked) Damage(reason string, args ...any) error { return c.damage(-1, nil, reason, args...) }
