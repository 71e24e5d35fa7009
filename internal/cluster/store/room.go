package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data/whole"
)

// room is memory, or a file that is mapped as memory if it is large.
type room struct {
	b      []byte
	mapped bool
}

// inMemory is up to which size room is memory.
const inMemory = 64 << 20

// newRoom makes room of n bytes, a multiple of 8, aligned for every kind.
func newRoom(dir string, n int64) (*room, error) {
	if n == 0 {
		return &room{}, nil
	}
	if n <= inMemory {
		words := make([]uint64, n/8)
		return &room{b: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)}, nil
	}
	f, err := nameless(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// A store to a page that the disk has no room for would kill the process.
	if err := reserve(f, n); err != nil {
		return nil, full(dir, err, n)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("cannot map %d bytes of %s: %w", n, dir, err)
	}
	return &room{b, true}, nil
}

func (r *room) free() {
	if r.mapped {
		_ = unix.Munmap(r.b)
	}
}

// nameless makes a file that vanishes when it is closed.
func nameless(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, whole.Temporary+"*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// reserve makes an empty file n bytes long, which the disk has room for.
func reserve(f *os.File, n int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, n)
	if errors.Is(err, unix.EOPNOTSUPP) {
		_, err = io.CopyN(f, zeros{}, n)
	}
	return err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
