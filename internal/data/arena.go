package data

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// In: a folder and a number of bytes. Out: memory of this size in a file without a name, of which as much is in memory as the system has room for. All of
// the disk that it needs is taken before: a mapping cannot say that a disk is full.

// arena is such memory.
type arena struct {
	file   *os.File
	mapped []byte
	used   int64
}

// page is what pieces of it begin at multiples of.
const page = 1 << 12

// padded is what a piece of n bytes takes.
func padded(n int64) int64 { return (n + page - 1) &^ (page - 1) }

// next is the next piece, of n bytes.
func (a *arena) next(n int64) []byte {
	if n == 0 {
		return []byte{}
	}
	b := a.mapped[a.used:][:n:n]
	a.used += padded(n)
	return b
}

// take makes it of total bytes, all of them zero.
func (a *arena) take(dir string, total int64) (err error) {
	if total == 0 {
		return nil
	}
	if a.file, err = os.CreateTemp(dir, ".godwit.*"); err != nil {
		return err
	}
	if err := os.Remove(a.file.Name()); err != nil {
		return err
	}
	err = allocate(a.file, total)
	if errors.Is(err, unix.EOPNOTSUPP) {
		zeros := make([]byte, 1<<20)
		for off := int64(0); off < total && (err == nil || errors.Is(err, unix.EOPNOTSUPP)); off += int64(len(zeros)) {
			_, err = a.file.WriteAt(zeros[:min(int64(len(zeros)), total-off)], off)
		}
	}
	if err != nil {
		return err
	}
	a.mapped, err = unix.Mmap(int(a.file.Fd()), 0, int(total), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return err
}

func (a *arena) close() {
	if a.mapped != nil {
		_ = unix.Munmap(a.mapped)
	}
	if a.file != nil {
		a.file.Close()
	}
}
