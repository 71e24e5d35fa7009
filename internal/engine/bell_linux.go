package engine

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// polled is a bell that the poller listens to: a counter of the kernel.
type polled struct{ file *os.File }

func newPolled() (bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &polled{os.NewFile(uintptr(fd), "bell")}, nil
}

func (p *polled) ring() {
	_, _ = p.file.Write(binary.NativeEndian.AppendUint64(nil, 1))
}

// wait looks every millisecond if the system does not let it listen: whoever waits looks for what it waits for.
func (p *polled) wait() {
	var count [8]byte
	if _, err := p.file.Read(count[:]); err != nil {
		time.Sleep(time.Millisecond)
	}
}

func (p *polled) close() { _ = p.file.Close() }
