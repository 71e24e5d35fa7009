package repair

import (
	"fmt"
	"slices"
)

// drops lists what this node is to drop: shards of sets that were removed while it was away,
// and copies that are too many.
func (p *Plan) drops(now int64, held []Name) (list []Action) {
	gone, many := map[uint32]bool{}, map[Name]bool{}
	for _, n := range held {
		set, there := p.view.Set(n.Set)
		switch {
		case !there && p.wasRemoved(n.Set):
			if gone[n.Set] = true; p.removed[n.Set] == 0 {
				p.removed[n.Set] = max(now, 1)
			}
			if now-p.removed[n.Set] >= p.opt.After {
				gone[n.Set] = false // if it does not succeed, it is tried as long after
				list = append(list, &Drop{n, fmt.Sprintf("set %d was removed by revision %d", n.Set, p.view.Revision)})
			}
		case there && n.Shard < len(set.Shards) && p.tooMany(n):
			if many[n] = true; p.surplus[n] == 0 {
				p.surplus[n] = max(now, 1)
			}
			if now-p.surplus[n] >= p.opt.Surplus {
				many[n] = false
				list = append(list, &Drop{n, fmt.Sprintf("shard %d of @%s has as many other replicas as it should have", n.Shard, set.Name)})
			}
		}
	}
	for set := range p.removed {
		if !gone[set] {
			delete(p.removed, set)
		}
	}
	for n := range p.surplus {
		if !many[n] {
			delete(p.surplus, n)
		}
	}
	return list
}

// unclaimed lists shards of sets that no view has shown for long, though they came under these
// records. What is not dropped then is listed again after as long.
func (p *Plan) unclaimed(now int64, held []Name) (list []Action) {
	still := map[uint32]bool{}
	for _, n := range held {
		if _, there := p.view.Set(n.Set); there || p.known.Sets[n.Set] != 0 || p.known.Before[n.Set] {
			continue
		}
		if still[n.Set] = true; p.unshown[n.Set] == 0 {
			p.unshown[n.Set] = max(now, 1)
		}
		if now-p.unshown[n.Set] >= p.opt.Unclaimed {
			list = append(list, &Unclaimed{n})
		}
	}
	for set, since := range p.unshown {
		if !still[set] || now-since >= p.opt.Unclaimed {
			delete(p.unshown, set)
		}
	}
	return list
}

// wasRemoved reports that a set was in a view once and is in a later one no more. A view of an
// earlier revision says nothing.
func (p *Plan) wasRemoved(set uint32) bool {
	at, known := p.known.Sets[set]
	return known && p.view.Revision > at
}

// tooMany reports whether the replicas that come before this node's are enough. So of
// several that are too many each knows whether it goes, and those that were given the
// shard stay.
func (p *Plan) tooMany(n Name) bool {
	set, _ := p.view.Set(n.Set)
	s := &set.Shards[n.Shard]
	if slices.Contains(s.Assigned, p.self) || !slices.Contains(s.Replicas, p.self) {
		return false
	}
	before := 0
	for _, q := range lasting(p.view, s) {
		if s.Before(q, p.self) {
			before++
		}
	}
	return before >= len(s.Assigned)
}
