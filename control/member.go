package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/godwit-run/godwit/catalog"
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
	lease, err := g.rec.grant(ctx, g.opt.TTL)
	if err != nil {
		return nil, err
	}
	s := &membership{g: g, peer: peer, lease: lease, lost: make(chan struct{}), held: map[uint32]map[uint32]sumHex{}}
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
	leaving     sync.Once

	mu   sync.Mutex
	held map[uint32]map[uint32]sumHex // by set and shard: what was published
}

func (s *membership) Peer() catalog.Peer    { return s.peer }
func (s *membership) Incarnation() int64    { return s.incarnation }
func (s *membership) Lost() <-chan struct{} { return s.lost }
func (s *membership) key() string           { return numbered(nodePrefix, uint32(s.peer)) }

// enter writes the node's record. A life that is still recorded is ended
// if this node can show that it was its own.
func (s *membership) enter(ctx context.Context, m Member) error {
	r := nodeRecord{Format: format, Name: m.Name, Address: m.Address, Metrics: m.Metrics, Arch: m.Arch, Lease: s.lease}
	if m.Secret != "" {
		sum := sha256.Sum256([]byte(m.Secret))
		r.Secret = hex.EncodeToString(sum[:])
	}
	for range attempts {
		done, revision, err := s.g.rec.commit(ctx, []condition{{key: s.key()}}, []change{{s.key(), encode(r), s.lease}})
		if err != nil {
			return err
		}
		if done {
			s.incarnation = revision
			return nil
		}
		recs, _, err := s.g.rec.read(ctx, s.key())
		if err != nil {
			return err
		}
		if len(recs) == 0 {
			continue // it ended in between
		}
		node, old, err := decodeNode(recs[0])
		if err != nil {
			return err
		}
		if old.Lease == s.lease {
			s.incarnation = recs[0].created // an earlier try whose answer was lost
			return nil
		}
		if r.Secret == "" || old.Secret != r.Secret {
			return &TakenError{node.Name, node.Address}
		}
		if err := s.g.rec.revoke(ctx, old.Lease); err != nil {
			return err
		}
	}
	return errCrowded
}

// renew keeps the lease until it is lost or the node leaves.
func (s *membership) renew() error {
	over, err := s.g.rec.keep(s.ctx, s.lease)
	if err != nil {
		return err
	}
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

func (s *membership) Hold(ctx context.Context, set, shard uint32, sum [32]byte) error {
	return s.publish(ctx, set, func(shards map[uint32]sumHex) { shards[shard] = sum })
}

func (s *membership) Unhold(ctx context.Context, set, shard uint32) error {
	return s.publish(ctx, set, func(shards map[uint32]sumHex) { delete(shards, shard) })
}

// publish writes what the node holds of a set. Nobody else writes this record, so
// what was written last needs no reading.
func (s *membership) publish(ctx context.Context, set uint32, edit func(map[uint32]sumHex)) error {
	start := time.Now()
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	shards := maps.Clone(s.held[set])
	if shards == nil {
		shards = map[uint32]sumHex{}
	}
	edit(shards)
	put := change{key: numbered(heldIn(set), uint32(s.peer))}
	if len(shards) > 0 {
		put.value, put.lease = encode(heldRecord{format, shards}), s.lease
	}
	done, _, err := s.g.rec.commit(ctx, []condition{{key: s.key(), created: true, revision: s.incarnation}}, []change{put})
	if errors.Is(err, errNoLease) || err == nil && !done {
		return &StaleError{s.peer, s.incarnation}
	}
	if err != nil {
		return s.g.failed("publish a shard", start, err)
	}
	s.held[set] = shards
	if len(shards) == 0 {
		delete(s.held, set)
	}
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
