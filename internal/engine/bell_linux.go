package engine

import (
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// polled is a bell that the poller listens to: a counter of the kernel.
type polled struct{ file *os.File }

// polledBells is how many there are in this process.
var polledBells atomic.Int64

// mostPolled is how many there may be: an eighth of the descriptors that the process may have, which others need.
var mostPolled = sync.OnceValue(func() int64 {
	var most unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &most) != nil {
		return 0
	}
	return int64(min(most.Cur/8, 4096))
})

var errManyBells = errors.New("engine: bells have an eighth of the descriptors")

func newPolled() (bell, error) {
	if polledBells.Add(1) > mostPolled() {
		polledBells.Add(-1)
		return nil, errManyBells
	}
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		polledBells.Add(-1)
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

func (p *polled) close() {
	_ = p.file.Close()
	polledBells.Add(-1)
}
