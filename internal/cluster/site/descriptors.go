package site

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// NodeDescriptors is how many files and connections a node must be able to have open: about 90
// of its own and its member of etcd's each, a quarter for shards that nobody reads just then,
// whose files are closed when there are more (see store.Options), and the rest for clients.
const NodeDescriptors = 256

// Descriptors raises this process's limit of open files as far as it may, and gives an error if
// it needs more.
func Descriptors(needs uint64) error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("the limit of open files: %w", err)
	}
	if l.Cur < l.Max {
		l.Cur = l.Max
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
			return fmt.Errorf("the limit of open files cannot be raised to %d: %w", l.Max, err)
		}
	}
	return enough(l.Cur, needs)
}

func enough(has, needs uint64) error {
	if has < needs {
		return fmt.Errorf("this process may have %d files and connections open (ulimit -n), and needs %d: raise the limit, for example with `ulimit -Hn 4096` where you may, and start again", has, needs)
	}
	return nil
}
