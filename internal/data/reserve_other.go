//go:build !linux

package data

import (
	"os"

	"golang.org/x/sys/unix"
)

func reserve(*os.File, int64, int64) {}

func allocate(*os.File, int64) error { return unix.EOPNOTSUPP }
