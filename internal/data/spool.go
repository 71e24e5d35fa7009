package data

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: the bytes of columns, in any order, more than memory may hold. Out: a file with them. Until it
// is complete each column lies in a file of its own in the same directory (see fresh). The only column of an NPY file becomes that file; other formats are written from
// mappings of the columns, which need no memory.

// Spool is a table on its way to a file.
type Spool struct {
	target Target
	cols   []*Spooled
}

// NewSpool begins what a target shall be. Nothing is written before the first Column.
func NewSpool(t Target) *Spool { return &Spool{target: t} }

// spoolHead is left free before a column, for the header of a file. The column can be mapped.
const spoolHead = 4096

// reserveFrom is the length of a write from which on its blocks are reserved before: some file systems (ext4) then take
// it at twice the speed, because they need not reserve page by page.
const reserveFrom = 1 << 20

// Spooled is a column whose bytes may be written and read at any place.
type Spooled struct {
	path   string // of the file that it shall become
	f      *fresh
	mapped []byte // by Bytes
}

// Column begins a column.
func (s *Spool) Column() (*Spooled, error) {
	place, err := s.target.place()
	if err != nil {
		return nil, writeFailed(s.target.Path, err)
	}
	f, err := freshFile(place)
	if err != nil {
		return nil, writeFailed(s.target.Path, err)
	}
	c := &Spooled{path: s.target.Path, f: f}
	s.cols = append(s.cols, c)
	return c, nil
}

// WriteAt stores bytes from byte off of the column on.
func (c *Spooled) WriteAt(b []byte, off int64) (int, error) {
	if len(b) >= reserveFrom {
		reserve(c.f.File, spoolHead+off, int64(len(b)))
	}
	n, err := c.f.WriteAt(b, spoolHead+off)
	if err != nil {
		return n, writeFailed(c.path, err)
	}
	return n, nil
}

// ReadAt reads what was written; what nothing was written to in between is zero.
func (c *Spooled) ReadAt(b []byte, off int64) (int, error) { return c.f.ReadAt(b, spoolHead+off) }

// Bytes ends the column after n bytes and gives all of them, until the spool is closed.
func (c *Spooled) Bytes(n int64) ([]byte, error) {
	if err := c.f.Truncate(spoolHead + n); err != nil {
		return nil, writeFailed(c.path, err)
	}
	if n == 0 {
		return nil, nil
	}
	b, err := unix.Mmap(int(c.f.Fd()), spoolHead, int(n), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, writeFailed(c.path, err)
	}
	c.mapped = b
	return b, nil
}

// Write writes a table, whose values may be columns of the spool, as Write does.
func (s *Spool) Write(ctx context.Context, out *Output) (err error) {
	if c := s.npy(out); c != nil {
		return s.becomes(ctx, c, out)
	}
	// A disk that fails under a mapping is a fault of memory.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return s.target.Write(ctx, out)
}

// npy gives the column that becomes the file, if there is one.
func (s *Spool) npy(out *Output) *Spooled {
	if len(s.target.By) > 0 || len(out.Columns) != 1 || out.Columns[0].Valid != nil || out.Columns[0].Means.Sort == meaning.Date || formats[extension(s.target.Path)] != formatNPY {
		return nil
	}
	for _, c := range s.cols {
		if v := out.Columns[0].Values; len(v) > 0 && len(v) == len(c.mapped) && unsafe.SliceData(v) == unsafe.SliceData(c.mapped) {
			return c
		}
	}
	return nil
}

// becomes makes a column the file.
func (s *Spool) becomes(ctx context.Context, c *Spooled, out *Output) error {
	if err := checkOutput(s.target.Path, out); err != nil {
		return err
	}
	if err := checkTimes(&out.Columns[0]); err != nil {
		return writeFailed(s.target.Path, err)
	}
	head := npyHead(out, spoolHead)
	if len(head) != spoolHead {
		return s.target.Write(ctx, out)
	}
	target, mode, err := writeTarget(s.target.Path)
	if err == nil {
		_, err = c.f.WriteAt(head, 0)
	}
	if err == nil {
		err = c.f.Chmod(mode)
	}
	if err == nil {
		err = c.f.Sync()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = c.f.become()
	}
	if err != nil {
		return writeFailed(s.target.Path, err)
	}
	syncDirectory(filepath.Dir(target))
	return nil
}

// Close removes what has not become the file.
func (s *Spool) Close() error {
	var errs []error
	for _, c := range s.cols {
		if c.mapped != nil {
			errs = append(errs, unix.Munmap(c.mapped))
		}
		errs = append(errs, c.f.drop())
	}
	s.cols = nil
	return errors.Join(errs...)
}

var _ interface {
	io.ReaderAt
	io.WriterAt
} = (*Spooled)(nil)
