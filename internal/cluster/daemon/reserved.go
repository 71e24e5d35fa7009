package daemon

import (
	"context"
	"fmt"
	"sync"
)

// In: parcels that store or drop shards of sets that are not in the catalogue. Out: whether their
// sender may. The number of such a set is reserved for whoever asked for it, and nobody else
// stores under it, or drops what is there.

// reserved remembers for whom numbers were reserved. A number has one owner for ever, so what
// was true stays true.
type reserved struct {
	mu     sync.Mutex
	owners map[uint32]string
}

// maxRemembered is how many numbers are remembered; then all are asked for again.
const maxRemembered = 1024

// may is an error if an owner may not store shards of a set.
func (d *Daemon) may(ctx context.Context, owner string, set uint32) error {
	r := &d.reserved
	r.mu.Lock()
	of, known := r.owners[set]
	r.mu.Unlock()
	if !known {
		var err error
		of, known, err = d.cfg.Membership.Reserved(ctx, set)
		switch {
		case err != nil:
			return err
		case !known:
			return fmt.Errorf("the number of set %d is reserved for nobody: ask for one first, with a client and nodes of the same version", set)
		}
		r.mu.Lock()
		if r.owners == nil || len(r.owners) >= maxRemembered {
			r.owners = map[uint32]string{}
		}
		r.owners[set] = of
		r.mu.Unlock()
	}
	return belongs(of, owner, set)
}

// belongs is an error if a number is another owner's. What is reserved for nobody in
// particular is everybody's.
func belongs(of, owner string, set uint32) error {
	if of != "" && of != owner {
		return fmt.Errorf("the number of set %d is reserved for another owner than %s", set, owner)
	}
	return nil
}
