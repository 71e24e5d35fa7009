package ring

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// What comes in is a descriptor that a peer has passed; what goes out is memory that stays as large
// as it is, whatever the peer does: reading it cannot end this process.

// seals keep anybody from making the memory smaller, which would end who reads it by SIGBUS, or
// larger, and from taking that back.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// create makes memory, mapped here, and the descriptor to pass.
func create() (memory []byte, file *os.File, err error) {
	fd, err := unix.MemfdCreate("godwit-ring", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("memory for a ring: %w", err)
	}
	file = os.NewFile(uintptr(fd), "godwit-ring")
	if err = unix.Ftruncate(fd, Bytes); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	}
	if err == nil {
		memory, err = mapped(fd)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("memory for a ring: %w", err), file.Close())
	}
	return memory, file, nil
}

// adopt maps what a peer has passed, if it is what create makes.
func adopt(fd int) ([]byte, error) {
	// Other files than memory have no seals at all.
	has, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, fmt.Errorf("what was passed is no memory that can be sealed: %w", err)
	}
	const must = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW
	if has&must != must {
		return nil, fmt.Errorf("the memory that was passed could be made smaller: its seals are %#x, expected %#x", has, must)
	}
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return nil, err
	}
	if s.Mode&unix.S_IFMT != unix.S_IFREG || s.Size != Bytes {
		return nil, fmt.Errorf("the memory that was passed has %d bytes and mode %#o: expected a regular file of %d", s.Size, s.Mode, Bytes)
	}
	return mapped(fd)
}

func mapped(fd int) ([]byte, error) {
	return unix.Mmap(fd, 0, Bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}
