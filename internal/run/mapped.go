package run

import (
	"sync"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// mapping is the file of an input as memory outside of the arena. It is made when a window
// first wants it and stays until the end of the run. A lease keeps everybody from writing to
// the file and from cutting it short meanwhile.
type mapping struct {
	once  sync.Once
	pages []byte // what is mapped, whole blocks where these have checksums; nil if that is not possible
	start int64  // where that begins in the file
}

// bytes are bytes lo..hi of the file.
func (m *mapping) bytes(lo, hi int64) []byte { return m.pages[lo-m.start : hi-m.start] }

// mapped reports that the input's file is mapped; otherwise it must be read.
func (m *memory) mapped(in *input) bool {
	in.file.once.Do(func() { m.mapColumn(in) })
	return in.file.pages != nil
}

func (m *memory) mapColumn(in *input) {
	lease, _ := m.lease(in)
	if lease == nil {
		return // reading says what is wrong
	}
	start, end := in.extent()
	if n := int64(len(in.raw.Pages)); 0 < end && end <= n {
		in.file.pages, in.file.start = in.raw.Pages[start:end:end], start
		return
	}
	if pages, err := m.mapPages(lease, start, end-start); err == nil {
		in.file.pages, in.file.start = pages, start
	}
}

// lease takes a lease on an input's file until the end of the run. There is none if it cannot be had, or the file is too short.
func (m *memory) lease(in *input) (lease *mem.Lease, short bool) {
	path := in.raw.path
	lease, err := mem.TakeLease(in.raw.File, func() { m.cancel(&data.ChangedError{Path: path}) })
	if err != nil {
		return nil, false
	}
	if _, end := in.extent(); lease.Size() < end {
		lease.Close()
		return nil, true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases = append(m.leases, lease)
	return lease, false
}

// mapPages maps a part of a leased file outside of the arena until the end of the run.
func (m *memory) mapPages(lease *mem.Lease, start, n int64) ([]byte, error) {
	pages, err := unix.Mmap(lease.Fd(), start, int(n), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.maps = append(m.maps, pages)
	return pages, nil
}

// unchanged is an error if a mapped file may be another than when the run began.
func (m *memory) unchanged() error {
	for _, l := range m.leases {
		if !l.Held() {
			return &data.ChangedError{Path: l.Path()}
		}
	}
	for _, l := range m.lays {
		if err := l.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}
