package node

import (
	"fmt"
)

// miscounted compares what counts to clients with what is there.
func (c *Core) miscounted() string {
	var all, owned account
	running, waiting := map[*party][lanes]int{}, 0
	for _, j := range c.jobs {
		n := running[j.client]
		n[j.lane]++
		running[j.client] = n
	}
	for peer, k := range c.clients {
		all.parcels, all.bytes, all.codes = all.parcels+k.sum.parcels, all.bytes+k.sum.bytes, all.codes+k.sum.codes
		if peer != k.peer || c.owners[k.owner.name] != k.owner {
			return fmt.Sprintf("client %d is listed under %d, its owner %s under another name", k.peer, peer, k.owner.name)
		}
		for i := range k.in {
			if k.in[i].running != running[k][i] || k.in[i].waiting != k.jobs[i].len() {
				return fmt.Sprintf("client %d: %d run and %d wait in lane %d, counted are %+v", peer, running[k][i], k.jobs[i].len(), i, k.in[i])
			}
			waiting += k.in[i].waiting
		}
	}
	for i := range c.lanes {
		waiting -= c.lanes[i].queued
	}
	if waiting != 0 {
		return fmt.Sprintf("%d jobs more wait than are counted", waiting)
	}
	for _, o := range c.owners {
		owned.parcels, owned.bytes, owned.codes, owned.codeBytes = owned.parcels+o.sum.parcels, owned.bytes+o.sum.bytes, owned.codes+o.sum.codes, owned.codeBytes+o.sum.codeBytes
	}
	there, bytes := 0, int64(0)
	for _, e := range c.codes.byPrefix {
		if e.client != nil {
			there, bytes = there+1, bytes+int64(len(e.bytes))
		}
	}
	switch {
	case all.parcels != c.parcels || owned.parcels != c.parcels:
		return fmt.Sprintf("%d parcels in hand, %d of clients, %d of owners", c.parcels, all.parcels, owned.parcels)
	case all.bytes != c.bytes || owned.bytes != c.bytes:
		return fmt.Sprintf("%d bytes in hand, %d of clients, %d of owners", c.bytes, all.bytes, owned.bytes)
	case owned.codes != there || owned.codeBytes != bytes || all.codes > there:
		return fmt.Sprintf("%d kernels of %d bytes have an owner, counted are %+v", there, bytes, owned)
	}
	return ""
}

// overfull tells of more jobs than there are places.
func (c *Core) overfull() string {
	n := 0
	for i := range c.lanes {
		l := &c.lanes[i]
		if n += l.running; l.running > l.most+l.spare || l.running < 0 {
			return fmt.Sprintf("%d jobs run in lane %d, which has %d places and %d to spare", l.running, i, l.most, l.spare)
		}
	}
	if n != len(c.jobs) {
		return fmt.Sprintf("%d jobs run, counted are %d", len(c.jobs), n)
	}
	return ""
}

// lazy tells of jobs that wait although there is a place.
func (c *Core) lazy() string {
	for i := range c.lanes {
		l := &c.lanes[i]
		for _, k := range c.clients {
			if k.in[i].waiting > 0 && l.room(k) {
				return fmt.Sprintf("%d jobs of client %d wait in lane %d, where %d run", k.in[i].waiting, k.peer, i, l.running)
			}
		}
	}
	return ""
}

func (q *queue) len() int { return len(q.jobs) - q.head - q.dropped }
