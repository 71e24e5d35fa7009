package mem

import (
	"fmt"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

// Lease is a read lease on a file (fcntl(2), F_SETLEASE): while it is held,
// whoever wants to open the file for writing or to cut it short waits, up to
// /proc/sys/fs/lease-break-time seconds, until it is closed. So a mapping
// that is replaced before the lease is closed never loses its pages.
type Lease struct {
	path   string
	file   *os.File // an open file description of its own
	stat   unix.Stat_t
	broken func()
	once   sync.Once
}

// leases are all that are held; the kernel says that one is to end, not
// which.
var leases struct {
	sync.Mutex
	held    map[*Lease]struct{}
	signals chan os.Signal
}

// TakeLease takes a read lease on an open file. broken is called, once and
// from another goroutine, when somebody waits for its end. It fails when the
// file is open for writing, belongs to another user, or lies on a file
// system without leases.
func TakeLease(f *os.File, broken func()) (*Lease, error) {
	// A lease belongs to an open file description; that of f may be shared.
	own, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return nil, err
	}
	l := &Lease{path: f.Name(), file: own, broken: broken}
	l.hold()
	if _, err := unix.FcntlInt(own.Fd(), unix.F_SETLEASE, unix.F_RDLCK); err != nil {
		l.Close()
		return nil, fmt.Errorf("lease on %s: %w", f.Name(), err)
	}
	if err := unix.Fstat(int(own.Fd()), &l.stat); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Path is the file's name, as it was opened.
func (l *Lease) Path() string { return l.path }

// Held reports that nobody has changed the file or wants to. A process that is stopped for longer than
// lease-break-time loses its leases before it can be told.
func (l *Lease) Held() bool {
	kind, err := unix.FcntlInt(l.file.Fd(), unix.F_GETLEASE, 0)
	return err != nil || kind == unix.F_RDLCK
}

// Fd is a descriptor of the leased file, for mapping it.
func (l *Lease) Fd() int { return int(l.file.Fd()) }

// Size is the length of the file, which stays while the lease is held.
func (l *Lease) Size() int64 { return l.stat.Size }

// Version is a state of a file's contents.
type Version struct {
	dev, ino         uint64
	size             int64
	modified, change unix.Timespec
}

// Version tells the contents of the leased file from those of any other file
// and of the same file at other times.
func (l *Lease) Version() Version {
	return Version{uint64(l.stat.Dev), l.stat.Ino, l.stat.Size, l.stat.Mtim, l.stat.Ctim}
}

// Close gives the lease up: who waited may now change the file.
func (l *Lease) Close() {
	leases.Lock()
	delete(leases.held, l)
	leases.Unlock()
	l.file.Close() // which ends the lease too
}

// hold makes the lease known to the goroutine that waits for SIGIO.
func (l *Lease) hold() {
	leases.Lock()
	defer leases.Unlock()
	if leases.signals == nil {
		leases.held = map[*Lease]struct{}{}
		leases.signals = make(chan os.Signal, 1)
		signal.Notify(leases.signals, unix.SIGIO)
		go watchLeases(leases.signals)
	}
	leases.held[l] = struct{}{}
}

// watchLeases asks for the state of every lease whenever one is to end: a
// read lease that is being broken reports itself as unlocked.
func watchLeases(signals <-chan os.Signal) {
	for range signals {
		for _, l := range brokenLeases() {
			l.once.Do(l.broken)
		}
	}
}

func brokenLeases() []*Lease {
	leases.Lock()
	defer leases.Unlock()
	var list []*Lease
	for l := range leases.held {
		if !l.Held() {
			list = append(list, l)
		}
	}
	return list
}
