package worker

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Region is memory of the node that outlives calls: made by NewRegion, shared with
// the workers that it is granted to.
type Region struct {
	mu    sync.RWMutex // held for reading while descriptors are passed on
	bytes []byte       // nil after Close
	write *os.File
	// read is the same memory, opened for reading: a mapping of it cannot be made
	// writable afterwards.
	read *os.File
}

// NewRegion makes a region of n zero bytes, n ≥ 1.
func NewRegion(n int64) (*Region, error) {
	if n < 1 || n > 1<<46 {
		return nil, fmt.Errorf("a region of %d bytes: expected from 1 to %d", n, int64(1)<<46)
	}
	fd, err := unix.MemfdCreate("godwit-region", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("a region of %d bytes: %w", n, os.NewSyscallError("memfd_create", err))
	}
	r := &Region{write: os.NewFile(uintptr(fd), "region")}
	if err := r.open(n); err != nil {
		r.Close()
		return nil, fmt.Errorf("a region of %d bytes: %w", n, err)
	}
	return r, nil
}

func (r *Region) open(n int64) error {
	fd := int(r.write.Fd())
	if err := unix.Ftruncate(fd, n); err != nil {
		return os.NewSyscallError("ftruncate", err)
	}
	// A worker that shrinks it would end the node with SIGBUS.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return os.NewSyscallError("fcntl F_ADD_SEALS", err)
	}
	var err error
	if r.read, err = os.Open(fmt.Sprintf("/proc/self/fd/%d", fd)); err != nil {
		return err
	}
	r.bytes, err = unix.Mmap(fd, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return os.NewSyscallError("mmap", err)
}

// Bytes is the region's memory in this process. It must not be used after Close.
func (r *Region) Bytes() []byte { return r.bytes }

// Close gives the memory back once no worker maps it any more.
func (r *Region) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.bytes != nil {
		err = unix.Munmap(r.bytes)
		r.bytes = nil
	}
	for _, f := range []*os.File{r.write, r.read} {
		if f != nil {
			f.Close()
		}
	}
	return err
}

// hold keeps the regions open until release is called, and gives their sizes and
// the descriptors to pass on.
func hold(grants []Grant) (sizes []granted, fds []int, release func(), err error) {
	var held []*Region
	release = func() {
		for _, r := range held {
			r.mu.RUnlock()
		}
	}
	for _, g := range grants {
		g.Region.mu.RLock()
		held = append(held, g.Region)
		if g.Region.bytes == nil {
			release()
			return nil, nil, nil, fmt.Errorf("region %q has been closed", g.Name)
		}
		f := g.Region.read
		if g.Write {
			f = g.Region.write
		}
		sizes = append(sizes, granted{g.Name, int64(len(g.Region.bytes)), g.Write})
		fds = append(fds, int(f.Fd()))
	}
	return sizes, fds, release, nil
}
