package fleet

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// portUser is who has a port of this machine, as far as the system tells.
type portUser struct {
	pid  int    // 0 if it is another user's, who may not be looked at
	name string // of the program
	user string
}

func (u portUser) unknown() bool { return u == portUser{} }

func (u portUser) String() string {
	switch {
	case u.pid != 0:
		return fmt.Sprintf("%s (pid %d)", u.name, u.pid)
	case u.user != "":
		return "a process of " + u.user
	}
	return "another process"
}

// userOf looks an address's port up in the tables of sockets, see proc_net(5).
func userOf(at string) portUser {
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		return portUser{}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return portUser{}
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		if uid, inode, ok := socketAt(string(text), n); ok {
			u := ownerOf(inode)
			if id, err := strconv.ParseUint(uid, 10, 32); err == nil {
				u.user = userName(uint32(id))
			}
			return u
		}
	}
	return portUser{}
}

// socketAt finds the socket bound to a port, one that listens before others.
func socketAt(table string, port uint64) (uid, inode string, ok bool) {
	const local, state, user, node, listening = 1, 3, 7, 9, "0A"
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) <= node {
			continue
		}
		_, hex, _ := strings.Cut(f[local], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err != nil || n != port {
			continue
		}
		if uid, inode, ok = f[user], f[node], true; f[state] == listening {
			return
		}
	}
	return
}

// ownerOf finds the process that has a socket open.
func ownerOf(inode string) portUser {
	want := "socket:[" + inode + "]"
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*") // of processes that may be looked at
	for _, fd := range open {
		if to, err := os.Readlink(fd); err != nil || to != want {
			continue
		}
		dir := filepath.Dir(filepath.Dir(fd))
		n, err := strconv.Atoi(filepath.Base(dir))
		if err != nil { // never: the pattern has digits; letters after them are no process
			continue
		}
		name, _ := os.ReadFile(filepath.Join(dir, "comm"))
		return portUser{pid: n, name: strings.TrimSpace(string(name))}
	}
	return portUser{}
}
