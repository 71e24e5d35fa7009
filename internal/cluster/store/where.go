package store

import (
	"errors"
	"syscall"

	"github.com/godwit-run/godwit/internal/data"
)

// OpenAt is where a shard's file is open in this process.
type OpenAt struct {
	File          uint64 // descriptor
	Device, Inode uint64
	Sums          data.Sums
}

// Where says where the file of a shard is open, which may be closed once the shard is released.
func (h *Shard) Where() (OpenAt, error) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if h.file == nil {
		return OpenAt{}, errors.New("its file is closed")
	}
	st, ok := h.as.Sys().(*syscall.Stat_t)
	if !ok {
		return OpenAt{}, errors.New("the system does not tell files apart")
	}
	return OpenAt{File: uint64(h.file.Fd()), Device: uint64(st.Dev), Inode: st.Ino, Sums: h.check.Sums()}, nil
}
