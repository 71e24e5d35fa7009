package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// marker is the variable in the environment of a node, and of what it starts itself, by which they are
// found again when they have outlived what started them: its value is the node's folder.
const marker = "GODWIT_NODE_FOLDER"

// left are the processes of a node's folder, or of all nodes whose folders lie in dir.
func left(dir string) (list []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		n, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || n == os.Getpid() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended, or is another user's
		}
		for v := range strings.SplitSeq(string(text), "\x00") {
			value, ok := strings.CutPrefix(v, marker+"=")
			if ok && (value == dir || strings.HasPrefix(value, dir+string(filepath.Separator))) {
				list = append(list, n)
			}
		}
	}
	return list
}

// clearLeft ends what is left of dir: first it waits, as those that start processes here have them
// end by themselves, then it kills. It gives how many there were.
func clearLeft(ctx context.Context, dir string, patience time.Duration) int {
	first := left(dir)
	for end := time.Now().Add(patience); len(left(dir)) > 0 && time.Now().Before(end) && ctx.Err() == nil; {
		pause(ctx, 50*time.Millisecond)
	}
	for len(first) > 0 && ctx.Err() == nil {
		rest := left(dir)
		if len(rest) == 0 {
			break
		}
		for _, p := range rest {
			_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended just now
		}
		pause(ctx, 20*time.Millisecond)
	}
	return len(first)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
