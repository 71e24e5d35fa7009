package cluster

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
)

var errOther = errors.New("another file is there")

// openAt opens a file that another process has open. The number of a descriptor may stand for another file by now: nothing is opened but the one
// that is meant.
func openAt(process int, at *parcel.Located) (src data.Source, err error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", process, at.File)
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || !same(&st, at) {
		return nil, errors.Join(err, errOther)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	sums := data.Sums{Size: at.Size, List: at.Sums}
	var check *data.Checked
	if err = unix.Fstat(int(f.Fd()), &st); err == nil && !same(&st, at) {
		err = errOther
	}
	if err == nil {
		check, err = data.NewChecked(path, f, sums, nil)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return data.OpenChecked(path, f, check)
}

// descriptors is how many files this process may have open, beyond the few that everything needs.
func descriptors() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil || l.Cur < fewDescriptors {
		return 0
	}
	return int(min(l.Cur-fewDescriptors, 1<<20))
}

const fewDescriptors = 32

func same(st *unix.Stat_t, at *parcel.Located) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFREG && st.Dev == at.Device && st.Ino == at.Inode && st.Size == at.Size
}
