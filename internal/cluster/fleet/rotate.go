package fleet

import (
	"fmt"
	"io"
	"os"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// A log is written to by processes that keep it open: a node, its children, what Go's runtime says of
// a panic. So it is never moved. What is in it is copied and then cut off; who has it open goes
// on at its new end (O_APPEND). A line that comes between copying and cutting is lost.

const (
	// logSize is from how many bytes on a log is cut; it is looked at every 5 s.
	logSize = 16 << 20
	// logsKept is how many earlier parts stay: log.1, the youngest, to log.3.
	logsKept = 3
)

// rotate cuts all logs of the fleet that have grown.
func (f *Fleet) rotate() {
	f.mu.Lock()
	var logs []string
	for _, k := range f.nodes {
		logs = append(logs, logOf(k.dir))
	}
	f.mu.Unlock()
	if f.opt.Log != "" {
		logs = append(logs, f.opt.Log)
	}
	for _, path := range logs {
		_ = rotate(path, logSize) // a full disk, or a file that is none: tried again
	}
}

// rotate empties a log that has size bytes or more. Of what was in it, twice as much stays at most:
// a log may have grown far since it was looked at, or be of an earlier version.
func rotate(path string, size int64) error {
	log, err := regular.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil || info.Size() < size {
		return err
	}
	next := path + ".next"
	err = copyEnd(next, log, max(0, info.Size()-2*size))
	if err == nil {
		err = log.Truncate(0) // at once: what comes in between is lost
	}
	if err != nil {
		_ = os.Remove(next)
		return err
	}
	for i := logsKept; i > 1; i-- {
		_ = os.Rename(earlier(path, i-1), earlier(path, i)) // there may be none yet
	}
	return os.Rename(next, earlier(path, 1))
}

func earlier(path string, i int) string { return fmt.Sprintf("%s.%d", path, i) }

// copyEnd copies a log from a place on, with what is written to it meanwhile.
func copyEnd(to string, log *os.File, from int64) error {
	_ = os.Remove(to) // of an attempt that broke off
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(log, from, 4*logSize))
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}
