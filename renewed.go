package godwit

import (
	"errors"
	"os"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/caller"
)

// In: a call that failed because a data set was replaced, or rows were added to it, while it was read. Out: whether it may be made again, with
// what has the name now. Invariant: nothing that is read once, as a pipe, is read twice.

// mostAgain is how often a call is made again: a set that is replaced all the time is one that nobody can read.
const mostAgain = 3

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
