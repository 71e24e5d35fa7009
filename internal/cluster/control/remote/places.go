package remote

import (
	"context"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// In: streams with whose they are. Out: which of them are served now.

// limits is for how many streams there are places: in all, for all who have a client's
// certificate together, and for those with the same one. The rest of the places, which
// clients cannot take, is for administrators and nodes: whoever floods a node can be revoked.
type limits struct{ all, clients, owner int }

// How much a node serves at once. A longer request than maxRequest is refused when all of
// it has come: until then it counts to what its owner may hold (transport/stream).
var (
	maxArriving = limits{all: 160, clients: 128, owner: 32}
	maxCalls    = limits{all: 64, clients: 48, owner: 16}
	maxViews    = limits{all: 1024, clients: 896, owner: 64}
)

// places are taken by streams and given back.
type places struct {
	limits

	mu      sync.Mutex
	taken   int
	clients int            // of those taken
	owners  map[string]int // of clients; none has 0
	left    chan struct{}  // closed and replaced when one was given back
}

func newPlaces(l limits) *places {
	return &places{limits: l, owners: map[string]int{}, left: make(chan struct{})}
}

// try takes a place if there is one.
func (p *places) try(who identity.Peer) bool {
	ok, _ := p.take(who)
	return ok
}

// wait takes a place, or fails when ctx ends.
func (p *places) wait(ctx context.Context, who identity.Peer) bool {
	for {
		ok, left := p.take(who)
		if ok {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-left:
		}
	}
}

// take takes a place if there is one. A client's owner has at most as many as are then left for
// clients: n owners that take all they get have n/(n+1) of the places, and whoever has none gets one.
// It gives what tells when it is worth while to try again.
func (p *places) take(who identity.Peer) (ok bool, left <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all {
		return false, p.left
	}
	if who.Role == identity.Client {
		own, free := p.owners[who.Owner()], p.limits.clients-p.clients
		if own >= min(p.owner, free) {
			return false, p.left
		}
		p.clients++
		p.owners[who.Owner()]++
	}
	p.taken++
	return true, nil
}

func (p *places) leave(who identity.Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if who.Role == identity.Client {
		p.clients--
		if p.owners[who.Owner()]--; p.owners[who.Owner()] == 0 {
			delete(p.owners, who.Owner())
		}
	}
	close(p.left)
	p.left = make(chan struct{})
}
