package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// marker is the variable in the environment of a node, and of what it starts itself, by which they are
// found again when they have outlived what started them: its value is the node's folder.
const marker = "GODWIT_NODE_FOLDER"

// left are the processes of a node's folder, or of all nodes whose folders lie in dir.
func left(dir string) (list []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range all {
		n, err := strconv.Atoi(filepath.Base(process))
		if err == nil && n != os.Getpid() && marked(n, dir) {
			list = append(list, n)
		}
	}
	return list
}

// marked reports whether a process is of a folder, or of one in it.
func marked(process int, dir string) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", process)) // it has ended, or is another user's
	for v := range strings.SplitSeq(string(text), "\x00") {
		value, ok := strings.CutPrefix(v, marker+"=")
		if ok && (value == dir || strings.HasPrefix(value, dir+string(filepath.Separator))) {
			return true
		}
	}
	return false
}

// clearLeft ends what is left of dir: first it waits, as those that start processes here have them
// end by themselves, then it kills, and waits for that, too. It gives how many there were.
func clearLeft(ctx context.Context, dir string, patience time.Duration) int {
	first := left(dir)
	for end := time.Now().Add(patience); len(left(dir)) > 0 && time.Now().Before(end) && ctx.Err() == nil; {
		pause(ctx, 50*time.Millisecond)
	}
	for end := time.Now().Add(leaving); len(first) > 0 && time.Now().Before(end) && ctx.Err() == nil; {
		rest := left(dir)
		if len(rest) == 0 {
			break
		}
		for _, n := range rest {
			kill(n, dir)
		}
		pause(ctx, 20*time.Millisecond)
	}
	return len(first)
}

// kill ends a process of a folder. Its number may be another one's by now: os.FindProcess keeps
// hold of one process (pidfd_open(2)), which is looked at after that.
func kill(n int, dir string) {
	p, err := os.FindProcess(n)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if marked(n, dir) {
		_ = p.Kill() // it may have ended just now
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
