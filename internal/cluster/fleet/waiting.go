package fleet

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// lookWaiting is how often the log of a node that starts is read for what it waits for.
const lookWaiting = 500 * time.Millisecond

// usualStart is how long a node may wait before that is said: at every start members of etcd wait for each
// other a little.
const usualStart = 4 * time.Second

// tellWaiting says what a node waits for that does not get ready, each thing once, until it has ended or is
// ready.
func (f *Fleet) tellWaiting(k *keeper, l *life, ready <-chan struct{}) {
	tick := time.NewTicker(lookWaiting)
	defer tick.Stop()
	last, began := "", time.Now()
	for {
		select {
		case <-l.ended:
			return
		case <-ready:
			return
		case <-tick.C:
		}
		if time.Since(began) < usualStart {
			continue
		}
		if what := waitingFor(logOf(k.dir), l.from); what != "" && what != last {
			f.say(Event{"waiting", k.name, fmt.Sprintf("node %s is not ready yet: %s", k.name, what)})
			last = what
		}
	}
}

// waitingFor is the last message of a log, from a place on, that says what is waited for.
func waitingFor(log string, from int64) (what string) {
	f, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	for line := range strings.Lines(tail(f, from)) {
		_, msg, ok := strings.Cut(line, `msg="`)
		if msg, _, _ = strings.Cut(msg, `"`); ok && strings.Contains(msg, " waits for ") {
			what = msg
		}
	}
	return what
}
