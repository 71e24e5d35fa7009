//go:build !linux

package data

import (
	"os"
	"time"
)

// stamp tells states of a file's contents from each other.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(f *os.File) (stamp, error) {
	st, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stamp{st.Size(), st.ModTime()}, nil
}

// version is a stamp.
type version struct{ stamp }

func versionOf(f *os.File) (version, error) {
	s, err := stampOf(f)
	return version{s}, err
}

func (v version) same(now version) bool { return v == now }

func (v version) again(now version) bool { return v == now }
