package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/repair"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: nodes that are to be ended and keep data in memory. Out: why they must not be. What they hold has to be held by others at this moment, so these are
// asked: records lie behind by as long as a lease lasts. One node is ended at a time, from the question until what it held is there again,
// or two orders would each count on the node that the other ends.

// memory says that the nodes keep data in memory only.
func (f *Fleet) memory() bool {
	return slices.Contains(f.opt.Flags, "--memory=true")
}

// turn waits until a node may be ended: no other order ends one until release.
func (f *Fleet) turn(ctx context.Context, k *keeper) (release func(), err error) {
	if !f.memory() {
		return func() {}, nil
	}
	for !f.ending.TryLock() {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("another node is being ended, or started again: %w", context.Cause(ctx))
		}
		pause(ctx, look)
	}
	if err := f.mayEnd(ctx, k); err != nil {
		f.ending.Unlock()
		return nil, err
	}
	return f.ending.Unlock, nil
}

// mayEnd says why a node must not be ended.
func (f *Fleet) mayEnd(ctx context.Context, k *keeper) error {
	f.mu.Lock()
	life, state := k.life, k.state
	f.mu.Unlock()
	if life == nil || state == Starting {
		return nil // it has nothing any more, or not yet
	}
	absent, err := Keeps(ctx, f.opt.Dir, k.name)
	if err != nil || len(absent) == 0 {
		return err
	}
	return &Error{Text: fmt.Sprintf("node %s keeps data in memory only; its process %d runs and gives no sign of life, so nobody can say what would be lost with it", k.name, life.process.Pid),
		Help: fmt.Sprintf("wait until `%s` shows it again; to give up what it holds, end the process: kill -9 %d", site.Command("status", f.opt.Dir), life.process.Pid)}
}

// Keeps refuses to end nodes of a directory's cluster that hold something in memory which no other node holds, and says of which of them the records know nothing.
func Keeps(ctx context.Context, dir string, names ...string) (absent []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	c, err := site.Connect(ctx, dir, site.Options{Admin: true})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	nodes, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	v, holds := c.View(), held(nodes)
	for _, name := range names {
		n := named(v, name)
		if n == nil {
			absent = append(absent, name)
			continue
		}
		if only := OnlyAt(v, n.Peer, holds); only.Shards > 0 {
			return nil, &Error{Text: fmt.Sprintf("node %s keeps data in memory only, and has the only replica of %s of @%s: with its end they would be lost", name, diag.Counted(int64(only.Shards), "shard"), strings.Join(only.Sets, ", @")),
				Help: only.help(name, dir)}
		}
	}
	return absent, nil
}

// holding is a shard that a node says it holds.
type holding struct {
	peer  catalog.Peer
	set   uint32
	shard int
}

// held is what nodes have said they hold. One that says nothing holds nothing to be counted on.
func held(nodes []cluster.NodeStatus) map[holding]bool {
	list := map[holding]bool{}
	for _, n := range nodes {
		var r daemon.Report
		if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
			continue
		}
		for _, s := range r.Shards {
			list[holding{n.Peer, s.Set, int(s.Shard)}] = true
		}
	}
	return list
}

// Only is what no node holds but one.
type Only struct {
	Shards int
	Sets   []string // that they are of
	Lost   bool     // each was given to more nodes, which are to have it again
}

// OnlyAt is what node p holds and no other node says it holds.
func OnlyAt(v *catalog.View, p catalog.Peer, holds map[holding]bool) Only {
	o := Only{Lost: true}
	for i := range v.Sets {
		before := o.Shards
		for j := range v.Sets[i].Shards {
			s := &v.Sets[i].Shards[j]
			mine, others := false, false
			for _, q := range s.Replicas {
				mine = mine || q == p
				others = others || q != p && holds[holding{q, v.Sets[i].ID, j}]
			}
			if mine && !others {
				o.Shards++
				o.Lost = o.Lost && (len(s.Replicas) > 1 || repair.Missing(v, s) > 0)
			}
		}
		if o.Shards > before {
			o.Sets = append(o.Sets, v.Sets[i].Name)
		}
	}
	return o
}

// help is what to do about shards that a node alone has.
func (o *Only) help(name, dir string) string {
	if o.Lost {
		return "other replicas of them went with nodes that are gone, and are made again when a node has been gone for half a minute: try again when `" + site.Command("status", dir) + "` lists none as missing"
	}
	return "load them again with --replicas 2, or move them by `" + site.Command("drain "+name, dir) + "`; `" + site.Command("down", dir) + "` ends all of it"
}
