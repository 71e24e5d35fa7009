package control

import (
	"os"
	"time"
)

// exitStalled is how a member's process ends that was stopped for too long.
const exitStalled = 3

// glance is how often a member looks whether it was stopped. It is the shortest of all times
// in the process, so that on going on it is the first to be over.
const glance = 10 * time.Millisecond

// endIfStalled ends the process when it finds that it did not run for a time in which others
// may have elected another leader and renewed leases there. A leader that goes on after that
// first ends those leases, which by its own clock have run out, and only then learns that it
// leads no more (etcd's own look at that, issue 15247, is satisfied with a clock that goes).
// Started anew it is a follower.
func endIfStalled(limit time.Duration) {
	for last := time.Now(); ; {
		time.Sleep(glance)
		now := time.Now()
		if now.Sub(last) > limit {
			os.Exit(exitStalled)
		}
		last = now
	}
}
