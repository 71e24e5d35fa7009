package gate

import (
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"
)

// Strangers can have a node log a line for each connection that they open, with text of
// theirs. So that they cannot fill its disk, there are Burst lines at once, and one a second
// later on, with at most mostText bytes of what they say.
const (
	Burst    = 50
	mostText = 200
)

// Refusals logs connections that do not come about.
type Refusals struct {
	log  *slog.Logger
	what string // the line

	mu     sync.Mutex
	used   int       // lines of the burst
	since  time.Time // used was right then
	silent int       // lines that were not logged since the last one that was
}

// NewRefusals logs lines that begin with what.
func NewRefusals(log *slog.Logger, what string) *Refusals {
	return &Refusals{log: log, what: what}
}

// Log logs why a connection does not come about, unless there are too many. Where the other
// side went away, nothing was refused.
func (r *Refusals) Log(from net.Addr, why error) {
	if Left(why) {
		r.log.Debug("a connection ended before it was one", "from", from, "why", short(why))
		return
	}
	if silent, ok := r.allow(time.Now()); ok {
		r.log.Warn(r.what, "from", from, "why", short(why), "not_logged_before", silent)
	}
}

// short is the beginning of a text that may hold a stranger's.
func short(err error) string {
	text := err.Error()
	if len(text) <= mostText {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:mostText], ""), len(text))
}

// allow says whether a line may be logged, and how many were not before it.
func (r *Refusals) allow(now time.Time) (silent int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if passed := int(now.Sub(r.since) / time.Second); passed > 0 {
		r.used, r.since = max(0, r.used-passed), now
	}
	if r.used >= Burst {
		r.silent++
		return 0, false
	}
	r.used++
	silent, r.silent = r.silent, 0
	return silent, true
}
