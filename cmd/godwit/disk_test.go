package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// condition adds [mount]: small file systems can be mounted here; and [ucx]: nodes can have a fabric.
func condition(cond string) (bool, error) {
	if cond == "ucx" {
		return ucx.Installed() == nil, nil
	}
	if cond != "mount" {
		return false, fmt.Errorf("unknown condition %s", cond)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return false, err
	}
	defer os.Remove(dir)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		fmt.Fprintln(os.Stderr, "NOT TESTED: a full disk; mounting a tmpfs fails:", err)
		return false, nil
	}
	return true, unix.Unmount(dir, 0)
}

// mountSmall is the script command
//
//	tmpfs DIR SIZE
//
// that mounts a file system of SIZE until the script ends.
func mountSmall(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[1]))
	ts.Defer(func() {
		endClusters(dir) // before their folders are out of sight
		_ = unix.Unmount(dir, unix.MNT_DETACH)
	})
}
