package control

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

func (g *registry) Join(ctx context.Context, m Member) (Membership, error) {
	start := time.Now()
	if err := checkName("node", m.Name); err != nil {
		return nil, err
	}
	if m.Address == "" {
		return nil, &InvalidError{fmt.Sprintf("node %q needs an address at which it takes parcels, as host:port", m.Name)}
	}
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	s, err := g.join(ctx, m)
	if err != nil {
		return nil, g.failed("join the cluster", start, err)
	}
	return s, nil
}

func (g *registry) join(ctx context.Context, m Member) (*membership, error) {
	peer, err := g.number(ctx, m.Name)
	if err != nil {
		return nil, err
	}
	if err := g.begin(ctx, peer, m.Name); err != nil {
		return nil, err
	}
	lease, err := g.rec.grant(ctx, g.opt.TTL)
	if err != nil {
		return nil, err
	}
	s := &membership{g: g, peer: peer, lease: lease, lost: make(chan struct{}), held: shardsOf{}, doubt: map[pieceOf]bool{}}
	s.ctx, s.stop = context.WithCancel(g.ctx)
	if err = s.enter(ctx, m); err == nil {
		err = s.renew()
	}
	if err != nil {
		s.stop()
		_ = g.rec.revoke(ctx, lease) // else it runs out by itself
		return nil, err
	}
	return s, nil
}

// begin gives the records their name, unless they have one, and notes that there is a node of
// this name.
func (g *registry) begin(ctx context.Context, peer catalog.Peer, name string) error {
	known := numbered(knownPrefix, uint32(peer))
	recs, _, err := g.rec.read(ctx, birthKey, known)
	if err != nil {
		return err
	}
	for _, c := range []change{
		{key: birthKey, value: []byte(rand.Text())},
		{key: known, value: encode(knownRecord{format, name})},
	} {
		if find(recs, c.key) == nil {
			// Who was first has written it.
			if _, _, err := g.rec.commit(ctx, []condition{{key: c.key}}, []change{c}); err != nil {
				return err
			}
		}
	}
	return nil
}

// number gives the name's number, a new one to a new name.
func (g *registry) number(ctx context.Context, name string) (catalog.Peer, error) {
	key := nameKey(name)
	for range attempts {
		recs, _, err := g.rec.read(ctx, key, nextPeer)
		if err != nil {
			return 0, err
		}
		if r := find(recs, key); r != nil {
			var n nameRecord
			err := decode(key, r.value, &n, &n.Format)
			return n.Peer, err
		}
		n, when, then, err := count(nextPeer, recs)
		if err != nil {
			return 0, err
		}
		name := change{key: key, value: encode(nameRecord{format, catalog.Peer(n)})}
		done, _, err := g.rec.commit(ctx, []condition{when, {key: key}}, []change{then, name})
		if done || err != nil {
			return catalog.Peer(n), err
		}
	}
	return 0, errCrowded
}

// membership is one life of a node.
type membership struct {
	g           *registry
	peer        catalog.Peer
	incarnation int64
	lease       int64
	ctx         context.Context // of the renewals
	stop        context.CancelFunc
	lost        chan struct{}
	renewed     func() time.Time
	leaving     sync.Once

	mu     sync.Mutex
	record nodeRecord       // as it was written last
	held   shardsOf         // what was published
	doubt  map[pieceOf]bool // of which it is not known whether they were written
}

func (s *membership) Peer() catalog.Peer    { return s.peer }
func (s *membership) Incarnation() int64    { return s.incarnation }
func (s *membership) Lost() <-chan struct{} { return s.lost }
func (s *membership) Renewed() time.Time    { return s.renewed() }
func (s *membership) key() string           { return numbered(nodePrefix, uint32(s.peer)) }

// enter writes the node's record, and what it holds: the last part with the record,
// what does not go into one transaction before. A life that is still recorded is ended
// if this node can show that it was its own.
func (s *membership) enter(ctx context.Context, m Member) error {
	r := nodeRecord{Format: format, Name: m.Name, Address: m.Address, Metrics: m.Metrics, Arch: m.Arch, Machine: m.Machine, Far: m.Far, Lease: s.lease}
	if m.Secret != "" {
		sum := sha256.Sum256([]byte(m.Secret))
		r.Secret = hex.EncodeToString(sum[:])
	}
	held := bySet(m.Held)
	parts := append(portions(s.changes(held)), nil)
	s.held = held
	absent := []condition{{key: s.key()}}
	for range attempts {
		done, revision, err := true, int64(0), error(nil)
		for len(parts) > 2 && done && err == nil {
			if done, _, err = s.g.rec.commit(ctx, absent, parts[0]); done {
				parts = parts[1:]
			}
		}
		if done && err == nil {
			done, revision, err = s.g.rec.commit(ctx, absent, append(parts[0], change{s.key(), encode(r), s.lease}))
		}
		if err != nil {
			return err
		}
		if done {
			s.incarnation, s.record = revision, r
			return nil
		}
		if ended, err := s.succeed(ctx, &r); ended || err != nil {
			return err
		}
	}
	return errCrowded
}

// succeed ends the life that is recorded, if it was this node's. It reports whether it
// is the very one that was to be entered.
func (s *membership) succeed(ctx context.Context, r *nodeRecord) (entered bool, err error) {
	recs, _, err := s.g.rec.read(ctx, s.key())
	if err != nil || len(recs) == 0 {
		return false, err // it ended in between
	}
	node, old, err := decodeNode(recs[0])
	if err != nil {
		return false, err
	}
	if old.Lease == s.lease {
		s.incarnation, s.record = recs[0].created, *old // an earlier try whose answer was lost
		return true, nil
	}
	if r.Secret == "" || old.Secret != r.Secret {
		return false, &TakenError{node.Name, node.Address}
	}
	return false, s.g.rec.revoke(ctx, old.Lease)
}

// renew keeps the lease until it is lost or the node leaves.
func (s *membership) renew() error {
	over, renewed, err := s.g.rec.keep(s.ctx, s.lease, s.g.opt.TTL)
	if err != nil {
		return err
	}
	s.renewed = renewed
	go func() {
		select {
		case <-over:
			if s.ctx.Err() == nil {
				close(s.lost)
			}
		case <-s.ctx.Done():
		}
	}()
	return nil
}

func (s *membership) Leave(ctx context.Context) (err error) {
	s.leaving.Do(func() {
		start := time.Now()
		s.stop()
		ctx, cancel := s.g.bounded(ctx)
		defer cancel()
		err = s.g.failed("leave the cluster", start, s.g.rec.revoke(ctx, s.lease))
	})
	return err
}
