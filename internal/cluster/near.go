package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// In: shards whose nodes are processes of this machine and user, which a ring has shown. Out: their rows, read from the nodes' files by this
// process: one copy instead of four, and no node has work with it. The user may read the memory of those processes anyway, and a node
// says where a file is only to who may read its rows. Invariants: a block is used only if it has its checksum, as on the node;
// nothing is read without a connection with the node, which ends when the client is revoked or the node is gone; what cannot be read so comes in
// parcels, as if nobody had tried.

const (
	// nearTime is how long a file stays open that nobody reads, and how long nothing is tried after a failure. What a node drops
	// meanwhile has its space until then.
	nearTime = 10 * time.Second
	// nearLife is how long a file is read before its node is asked again.
	nearLife = time.Minute
	// mostNear is how many files are open, where the process may have four times as many.
	mostNear = 256
)

// near are the files of nodes that this process has open.
type near struct {
	mu     sync.Mutex
	open   map[nearKey]*nearShard
	laid   map[laidKey]*laid
	read   map[nearKey]int64 // bytes that calls have read, those that they have read again, too
	closed bool
}

type nearKey struct {
	set   uint32
	shard int
}

// nearShard is a shard's file.
type nearShard struct {
	settled chan struct{} // closed when it is known whether it can be read
	src     data.Source   // nil: it cannot; after settled
	at      catalog.Peer  // the node that has it; after settled
	opened  time.Time     // after settled

	// Under near.mu:
	failed  time.Time // zero while it can be read, or nobody knows
	readers int
	idle    *time.Timer
	gone    bool       // nobody begins to read it
	lease   *mem.Lease // while it is mapped; nil before
}

// nearBy gives a shard that can be read where it lies, which the caller releases; nil if there is none.
func (c *Cluster) nearBy(ctx context.Context, set *catalog.Set, shard int) *nearShard {
	n := &c.near
	key := nearKey{set.ID, shard}
	n.mu.Lock()
	s := n.open[key]
	if s != nil && s.over(c.net) {
		c.forgetNear(key, s)
		s = nil
	}
	first := s == nil || !s.failed.IsZero()
	if first {
		if n.closed || s != nil && time.Since(s.failed) < nearTime || s == nil && len(n.open) >= c.mostNear() || !c.isNear(set, shard) {
			n.mu.Unlock()
			return nil
		}
		s = &nearShard{settled: make(chan struct{})}
		if n.open == nil {
			n.open = map[nearKey]*nearShard{}
		}
		n.open[key] = s
	}
	s.readers++
	n.mu.Unlock()
	if first {
		c.settleNear(ctx, key, set, s)
	}
	select {
	case <-s.settled:
		if s.src != nil {
			return s
		}
	case <-ctx.Done():
	}
	c.releaseNear(key, s)
	return nil
}

// over reports that a file is not to be read any more: there is no connection with its node, or it was opened long ago. near.mu is held.
func (s *nearShard) over(net transport.Transport) bool {
	select {
	case <-s.settled:
	default:
		return false
	}
	if s.src == nil {
		return false
	}
	_, near := net.(transport.Neighbours).Near(s.at)
	return !near || time.Since(s.opened) > nearLife
}

// forgetNear has a file closed when those who read it now have read it. near.mu is held.
func (c *Cluster) forgetNear(key nearKey, s *nearShard) {
	if c.near.open[key] == s {
		delete(c.near.open, key)
		delete(c.near.read, key)
	}
	if s.gone = true; s.readers == 0 {
		s.end()
	}
}

// mostNear is how many files may be open: not so many that the process lacks them for something else.
func (c *Cluster) mostNear() int { return min(mostNear, descriptors()/4) }

// mayBeNear reports that a shard is going to be read where it lies, as far as is known without asking.
func (c *Cluster) mayBeNear(set *catalog.Set, shard int) bool {
	c.near.mu.Lock()
	s := c.near.open[nearKey{set.ID, shard}]
	failed := s != nil && !s.failed.IsZero() || s == nil && len(c.near.open) >= c.mostNear()
	c.near.mu.Unlock()
	return !failed && c.isNear(set, shard)
}

// isNear reports that a node with the shard shares memory with this process.
func (c *Cluster) isNear(set *catalog.Set, shard int) bool {
	net, ok := c.net.(transport.Neighbours)
	return ok && !set.Far && slices.ContainsFunc(set.Shards[shard].Everyone(), func(p catalog.Peer) bool {
		_, ok := net.Near(p)
		return ok
	})
}

// settleNear opens a shard's file, or notes that it cannot be opened.
func (c *Cluster) settleNear(ctx context.Context, key nearKey, set *catalog.Set, s *nearShard) {
	within, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	src, at, err := c.openNear(within, key, set)
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	switch {
	case err == nil:
		s.src, s.at, s.opened = src, at, time.Now()
	case ctx.Err() != nil: // which says nothing about the file
		delete(c.near.open, key)
	default:
		s.failed = time.Now()
	}
	close(s.settled)
}

// openNear asks a node where the file is, and opens it.
func (c *Cluster) openNear(ctx context.Context, key nearKey, set *catalog.Set) (data.Source, catalog.Peer, error) {
	sh := &set.Shards[key.shard]
	g := &parcel.Gather{Set: set.ID, Lo: sh.Lo, Hi: sh.Lo, Where: true, Column: slices.IndexFunc(set.Columns, func(c catalog.Column) bool { return c.Kind.Valid() })}
	d, err := c.do(ctx, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Read, Payload: g.Append(nil), Set: set.ID, Shard: key.shard, Left: c.left(ctx)}
	})
	if err != nil {
		return nil, 0, err
	}
	at, err := parcel.ReadLocated(d.Answer)
	if err != nil {
		return nil, 0, err
	}
	process, ok := c.net.(transport.Neighbours).Near(at.Peer)
	if !ok {
		return nil, 0, errFarAway
	}
	src, err := openAt(process, at)
	if err != nil {
		return nil, 0, err
	}
	if !fits(src, set, sh) {
		return nil, 0, errors.Join(errors.New("the file is not what the catalogue says"), src.Close()) // which its node tells
	}
	return src, at.Peer, nil
}

var errFarAway = errors.New("the node that has answered is none of this machine's")

// fits reports that a shard's file has the rows and the columns that it should.
func fits(src data.Source, set *catalog.Set, sh *catalog.Shard) bool {
	return src.Rows() == sh.Hi-sh.Lo && slices.EqualFunc(src.Columns(), set.Columns, func(a data.Column, b catalog.Column) bool {
		return a.Kind == b.Kind && slices.Equal(a.Dims, b.Dims)
	})
}

// releaseNear notes that somebody has read a shard.
func (c *Cluster) releaseNear(key nearKey, s *nearShard) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	c.releasedNear(key, s)
}

// releasedNear is releaseNear while near.mu is held.
func (c *Cluster) releasedNear(key nearKey, s *nearShard) {
	if s.readers--; s.readers > 0 {
		return
	}
	switch {
	case c.near.closed || s.gone:
		s.end()
	case s.idle != nil:
		s.idle.Reset(nearTime)
	default:
		s.idle = time.AfterFunc(nearTime, func() { c.restNear(key, s) })
	}
}

// restNear closes a file that nobody reads.
func (c *Cluster) restNear(key nearKey, s *nearShard) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	if s.readers > 0 {
		return // who releases it comes back
	}
	if c.near.open[key] == s {
		delete(c.near.open, key)
		delete(c.near.read, key)
	}
	s.end()
}

// end closes the file. near.mu is held, and nobody reads.
func (s *nearShard) end() {
	if s.idle != nil {
		s.idle.Stop()
	}
	if s.lease != nil {
		s.lease.Close()
	}
	if s.src != nil {
		_ = s.src.Close() // it was only read
		s.src = nil
	}
}

// closeNear closes all files, those that are being read when that is over.
func (c *Cluster) closeNear() {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	c.near.closed = true
	for k, l := range c.near.laid {
		c.forgetLaid(k, l)
	}
	for _, s := range c.near.open {
		if s.readers == 0 {
			s.end()
		}
	}
	c.near.open, c.near.read = nil, nil
}

// readNear reads rows of so many bytes where they lie, if they can be read there.
func (c *Cluster) readNear(ctx context.Context, set *catalog.Set, shard int, g *parcel.Gather, rowBytes int64) (*parcel.Answer, bool) {
	lengths := []int{int((g.Hi - g.Lo) * rowBytes)}
	if g.Null {
		lengths = append(lengths, int(g.Hi-g.Lo))
	}
	a := parcel.Lay(lengths...)
	var ones []byte
	if g.Null {
		ones = a.Columns[1]
	}
	if !c.nearInto(ctx, set, shard, g, a.Columns[0], ones) {
		a.Loan.Back()
		return nil, false
	}
	return a, true
}

// nearInto reads rows to where values and, with nulls, ones go; see data.ReadRows.
func (c *Cluster) nearInto(ctx context.Context, set *catalog.Set, shard int, g *parcel.Gather, values, ones []byte) bool {
	s := c.nearBy(ctx, set, shard)
	if s == nil {
		return false
	}
	defer c.releaseNear(nearKey{set.ID, shard}, s)
	first := set.Shards[shard].Lo
	err := data.ReadRows(ctx, s.src, g.Column, g.Null, g.Lo-first, g.Hi-first, values, ones)
	if err != nil && ctx.Err() == nil {
		c.failNear(s) // a damaged file, say: its node finds out when it is asked
	}
	return err == nil
}

// noteNear counts bytes of a shard that a call has read where they lie.
func (c *Cluster) noteNear(key nearKey, bytes int64) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	c.countNear(key, bytes)
}

// countNear is noteNear while near.mu is held.
func (c *Cluster) countNear(key nearKey, bytes int64) {
	if c.near.open[key] == nil {
		return // it is over
	}
	if c.near.read == nil {
		c.near.read = map[nearKey]int64{}
	}
	c.near.read[key] += bytes
}

// unread is how many of so many bytes of a set, and how many of its shards' files, no call has read yet, as far as that was counted. What is read to
// measure the way does not count, so that who asks twice is told the same.
func (c *Cluster) unread(set *catalog.Set, bytes float64) (left, files float64) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	left = bytes
	for i := range set.Shards {
		n := c.near.read[nearKey{set.ID, i}]
		if left -= float64(n); n == 0 {
			files++
		}
	}
	return max(0, left), files
}

func (c *Cluster) failNear(s *nearShard) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	s.failed = time.Now()
}
