package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data/regular"
)

const lockFile = "lock"

// lock keeps a second fleet from a folder. It holds as long as this process lives. The number in
// it is for people and scripts: who holds the lock is what the system says, see holder.
func lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, foreign(dir, err)
	}
	f, err := regular.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, foreign(dir, err)
	}
	if err := takeLock(f); err != nil {
		by := holder(dir)
		f.Close()
		return nil, &Error{Text: fmt.Sprintf("the cluster in %s is running already%s", dir, by.words()), Err: err,
			Help: "use it, end it with `" + site.Command("down", dir) + "` or an interrupt, or name another directory with --cluster"}
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0) // on a full disk it stays empty
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

// locked reports whether a fleet has the folder.
func locked(dir string) (bool, error) {
	f, err := regular.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, foreign(dir, err)
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err // closing gives the lock back
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
