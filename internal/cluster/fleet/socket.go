package fleet

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const socketFile = "up.sock"

// socketPath is the path under which the socket of a folder is bound and reached. The
// address of a socket has 108 bytes at most (unix(7)); a folder with a longer path is named by an
// open descriptor instead, which must stay open meanwhile.
func socketPath(dir string) (string, func(), error) {
	const longest = 107
	path := filepath.Join(dir, socketFile)
	if len(path) <= longest {
		return path, func() {}, nil
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, socketFile), func() { unix.Close(fd) }, nil
}

// listen makes the folder's socket, for its owner alone. Who calls it has the lock, so
// a socket that is there is of a process that has ended.
func listen(dir string) (net.Listener, error) {
	path, done, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // the path may be one of a descriptor
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func dial(ctx context.Context, dir string) (net.Conn, error) {
	path, done, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
