package repair

// In: that a copy of a shard was made here. Out: whether the node may make another one. A
// disk that damages what it is given must not be written and read without end; meanwhile
// it is other nodes' turn.

// made are the copies of a shard that the node made in a row.
type made struct {
	times int
	at    int64 // the last one
}

// Pause is how long a node makes no other copy of a shard, and how many it has made in a row.
type Pause struct {
	Times int
	Time  int64 // from the last copy on; μs
}

// longest is how often the pause doubles; a copy that lasts for twice the longest pause is
// the last of its row.
const longest = 6

// pause grows from After to 64 times that.
func (p *Plan) pause(m made) int64 { return p.opt.After << min(m.times-1, longest) }

// again counts a copy.
func (p *Plan) again(now int64, n Name) Pause {
	for k, m := range p.made {
		if now-m.at > p.opt.After<<(longest+1) {
			delete(p.made, k)
		}
	}
	m := made{p.made[n].times + 1, now}
	p.made[n] = m
	return Pause{m.times, p.pause(m)}
}

// pausing reports that the last copy is too recent for another one.
func (p *Plan) pausing(now int64, n Name) bool {
	m, ok := p.made[n]
	return ok && now-m.at < p.pause(m)
}
