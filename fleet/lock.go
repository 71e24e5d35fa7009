package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/regular"
)

const lockFile = "lock"

// lock keeps a second fleet from a folder. It holds as long as this process lives, and has
// the process's number in it.
func lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, foreign(dir, err)
	}
	f, err := regular.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, foreign(dir, err)
	}
	if err := takeLock(f); err != nil {
		pid := holderOf(f)
		f.Close()
		return nil, &Error{Text: fmt.Sprintf("the cluster in %s is running already%s", dir, pid.words()), Err: err,
			Help: "use it, end it with `godwit down` or an interrupt, or name another directory with --cluster"}
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0) // on a full disk it stays empty; the socket knows, too
	}
	return f, nil
}

// takeLock tries a few times: who only looks holds the lock for a moment.
func takeLock(f *os.File) (err error) {
	for range 10 {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

type pid int

func (p pid) words() string {
	if p == 0 {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", int(p))
}

// holderOf is the process that wrote its number into a lock; 0 if it could not.
func holderOf(f *os.File) pid {
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	p, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil || p < 2 {
		return 0
	}
	return pid(p)
}

// locked reports whether a fleet has the folder, and its process if that is known.
func locked(dir string) (bool, pid, error) {
	f, err := regular.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, 0, nil
	}
	if err != nil {
		return false, 0, foreign(dir, err)
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, holderOf(f), nil
	}
	return false, 0, err // closing gives the lock back
}

// foreign says whose a folder is that this user may not use.
func foreign(dir string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	owner := "another user"
	var info syscall.Stat_t
	if syscall.Stat(dir, &info) == nil {
		owner = userName(info.Uid)
	}
	return &Error{Text: fmt.Sprintf("the cluster in %s belongs to %s: %v", dir, owner, err), Err: err,
		Help: "do it as that user, or name a directory of your own with --cluster"}
}

func userName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
