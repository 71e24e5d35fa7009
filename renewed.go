package godwit

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
)

// In: a call that failed because a data set was replaced, or rows were added to it, while it was read. Out: whether it may be made again, with
// what has the name now. Invariant: nothing that is read once, as a pipe, is read twice.

// mostAgain is how often a call is made again: a set that is replaced all the time is one that nobody can read. firstPause is how long the second time
// waits, and each one after it twice as long as the one before: what has the name now may have to be heard of first.
const (
	mostAgain  = 8
	firstPause = time.Millisecond
)

// pause waits before a call is made again.
func pause(ctx context.Context, again int) {
	if again == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(firstPause << (again - 1)):
	}
}

// setGone reports the error of such a call.
func setGone(err error) bool {
	if err == nil { // before anything is allocated
		return false
	}
	e := (*caller.Error)(nil)
	return errors.As(err, &e) && e.Gone
}

// repeatable reports arguments that can be read again.
func repeatable(args Args) bool {
	for _, v := range args {
		var name string
		switch v := v.(type) {
		case File:
			name = string(v)
		case Text:
			name = string(v)
		case Files:
			name = strings.Join(v, ",")
		}
		if name == "-" || strings.HasPrefix(name, "-?") || strings.Contains(name, "/dev/") {
			return false
		}
		if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
			return false
		}
	}
	return true
}
