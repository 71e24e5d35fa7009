package fleet

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/repair"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// asking is how long the cluster may take to say what a node holds before it is
// started again.
const asking = 5 * time.Second

// Restarted is what became of an order to start a node again, or to add one.
type Restarted struct {
	Node    string  `json:"node"`
	Seconds float64 `json:"seconds"`
	Shards  int     `json:"shards"`         // that it holds, all it held before
	Lost    int     `json:"lost,omitempty"` // that it held in memory, and nobody holds any more
	Address string  `json:"address"`
	Pid     int     `json:"pid"`
}

// before is what the records said about a node.
type before struct {
	incarnation int64
	held        []shardOf
}

type shardOf struct {
	set   uint32
	shard int
}

// restart ends a node in order, starts it again, and waits until it is ready and holds
// what it held.
func (f *Fleet) restart(ctx context.Context, name string) (*Restarted, error) {
	k, err := f.find(name)
	if err != nil {
		return nil, err
	}
	release, err := f.turn(ctx, k)
	if err != nil {
		return nil, err
	}
	defer release()
	begin := time.Now()
	was := f.before(ctx, name)
	f.mu.Lock()
	starts := k.starts
	f.mu.Unlock()
	if !k.order(ctx, false) {
		return nil, fmt.Errorf("node %s is being ended", name)
	}
	return f.back(ctx, k, starts, was, begin)
}

// before asks the cluster; nothing if it does not answer.
func (f *Fleet) before(ctx context.Context, name string) (b before) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	_ = f.seen(ctx, func(v *catalog.View) bool { // without an answer nothing is compared
		if n := named(v, name); n != nil {
			b = before{n.Incarnation, shardsOf(v, n.Peer)}
		}
		return true
	})
	return b
}

// shardsOf are those that a node says it holds.
func shardsOf(v *catalog.View, p catalog.Peer) (list []shardOf) {
	for i := range v.Sets {
		for j := range v.Sets[i].Shards {
			if slices.Contains(v.Sets[i].Shards[j].Replicas, p) {
				list = append(list, shardOf{v.Sets[i].ID, j})
			}
		}
	}
	return list
}

// back waits until a node is a member under a new life, with everything that it held, less
// what was dropped meanwhile, and less what was in memory and has its copies elsewhere: nobody makes another.
func (f *Fleet) back(ctx context.Context, k *keeper, starts int, was before, begin time.Time) (*Restarted, error) {
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	if err := f.started(ctx, k, starts); err != nil {
		return nil, err
	}
	got, missing, lost := 0, 0, 0
	err := f.seen(ctx, func(v *catalog.View) bool {
		n := named(v, k.name)
		if n == nil || n.Incarnation <= was.incarnation {
			return false
		}
		have := shardsOf(v, n.Peer)
		got, missing, lost = len(have), 0, 0
		for _, s := range was.held {
			set, there := v.Set(s.set)
			switch {
			case !there || slices.Contains(have, s):
			case f.memory() && v.Owner(&set.Shards[s.shard], nil) == 0:
				lost++
			case f.memory() && repair.Missing(v, &set.Shards[s.shard]) == 0:
			default:
				missing++
			}
		}
		return missing == 0
	})
	if err != nil {
		return nil, fmt.Errorf("node %s was started, and %s after %v", k.name, incomplete(missing), starting)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &Restarted{Node: k.name, Seconds: time.Since(begin).Seconds(), Shards: got, Lost: lost}
	if c := f.card(k.name); c != nil {
		r.Address = c.Address
	}
	if k.life != nil {
		r.Pid = k.life.process.Pid
	}
	return r, nil
}

func incomplete(missing int) string {
	switch missing {
	case 0:
		return "is no member of the cluster"
	case 1:
		return "lacks a shard that it held"
	}
	return fmt.Sprintf("lacks %d shards that it held", missing)
}

// started waits until a node answers that was started more often than that.
func (f *Fleet) started(ctx context.Context, k *keeper, starts int) error {
	for {
		f.mu.Lock()
		state, now, last := k.state, k.starts, k.last
		f.mu.Unlock()
		switch {
		case now > starts && state == Ready:
			return nil
		case now > starts && (state == GivenUp || state == Waiting):
			return fmt.Errorf("node %s ended: %s", k.name, last)
		case f.ctx.Err() != nil:
			return errEnding
		case ctx.Err() != nil:
			return fmt.Errorf("node %s does not answer after %v: %s", k.name, starting, reason(k.dir+"/log", 0))
		}
		pause(ctx, look)
	}
}

var errEnding = &Error{Text: "the cluster is being ended", Help: "start it again with `godwit up`"}

// add makes a node of a new name, and keeps it.
func (f *Fleet) add(ctx context.Context, name string) (*Restarted, error) {
	begin := time.Now()
	k, err := f.enter(name)
	if err != nil {
		return nil, err
	}
	r, err := f.back(ctx, k, 0, before{}, begin)
	if err != nil {
		k.order(context.Background(), true)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.forget(name)
		f.complain(f.save())
		return nil, err
	}
	return r, nil
}

// enter enters a new node into cluster.json, with certificate and ports.
func (f *Fleet) enter(name string) (*keeper, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.ctx.Err() != nil || !f.ready:
		return nil, &Error{Text: "the cluster is starting or ending", Help: "wait until `godwit up` says that it is ready"}
	case f.card(name) != nil:
		return nil, &Error{Text: fmt.Sprintf("there is a node %q in %s already", name, f.opt.Dir), Help: "choose another name"}
	case len(f.site.Nodes) >= mostNodes:
		return nil, &Error{Text: fmt.Sprintf("the cluster in %s has %d nodes", f.opt.Dir, mostNodes), Help: "that is as many as one machine may have"}
	}
	_, old := os.Stat(f.site.NodeDir(name))
	if err := f.settle(name); err != nil {
		if old != nil {
			_ = os.RemoveAll(f.site.NodeDir(name)) // what there is of it
		}
		return nil, err
	}
	return f.enlist(name), nil
}

// settle gives a new node its identity and its ports, and notes it. Its caller has the lock.
func (f *Fleet) settle(name string) error {
	if _, err := f.site.IssueNode(name, "127.0.0.1", "localhost"); err != nil {
		return err
	}
	at, err := f.ports.choose(2, f.taken())
	if err != nil {
		return err
	}
	f.site.Nodes = append(f.site.Nodes, site.NodeCard{Name: name, Address: at[0], Metrics: at[1]})
	if err := f.save(); err != nil {
		f.forget(name)
		return err
	}
	return nil
}

// forget takes a node out of everything. Its caller has the lock.
func (f *Fleet) forget(name string) {
	f.nodes = slices.DeleteFunc(f.nodes, func(k *keeper) bool { return k.name == name })
	f.site.Nodes = slices.DeleteFunc(f.site.Nodes, func(n site.NodeCard) bool {
		if n.Name != name {
			return false
		}
		for _, s := range seats(&n) {
			f.ports.release(*s.at)
		}
		return true
	})
}

// remove ends a node and takes it out of cluster.json. Its folder stays.
func (f *Fleet) remove(ctx context.Context, name string) error {
	k, err := f.find(name)
	if err != nil {
		return err
	}
	if err := f.state().removable(name); err != nil {
		return err
	}
	release, err := f.turn(ctx, k)
	if err != nil {
		return err
	}
	defer release()
	k.order(context.Background(), true)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(name)
	f.complain(f.save())
	f.say(Event{"stopped", name, fmt.Sprintf("node %s was stopped, and is not started again", name)})
	return nil
}

// State is how a fleet is.
type State struct {
	Dir   string `json:"dir"`
	Pid   int    `json:"pid"`
	Ready bool   `json:"ready"`
	Log   string `json:"log,omitempty"`
	// Memory says that nodes keep data in memory only.
	Memory bool        `json:"memory,omitempty"`
	Nodes  []NodeState `json:"nodes"`
}

// NodeState is how one of its nodes is.
type NodeState struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Pid     int    `json:"pid,omitempty"`
	Starts  int    `json:"starts"`
	Address string `json:"address"`
	Control bool   `json:"control"`        // it keeps the cluster's records
	Last    string `json:"last,omitempty"` // how it ended last
}

func (f *Fleet) state() *State {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &State{Dir: f.opt.Dir, Ready: f.ready, Log: f.opt.Log, Memory: f.memory(), Nodes: []NodeState{}}
	for _, k := range f.nodes {
		n := NodeState{Name: k.name, State: k.state, Starts: k.starts, Last: k.last}
		if c := f.card(k.name); c != nil {
			n.Address, n.Control = c.Address, c.ControlPeer != ""
		}
		if k.life != nil {
			n.Pid = k.life.process.Pid
		}
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

// removable says why a node cannot be taken out, if it cannot.
func (s *State) removable(name string) error {
	var names []string
	for _, n := range s.Nodes {
		names = append(names, n.Name)
		if n.Name != name {
			continue
		}
		if n.Control {
			return &Error{Text: fmt.Sprintf("node %s is one of those that keep the cluster's records, so it cannot be taken out", name),
				Help: "leave it running without data: `" + site.Command("drain "+name, s.Dir) + "`, without --stop"}
		}
		if len(s.Nodes) == 1 {
			return &Error{Text: fmt.Sprintf("node %s is the only one", name), Help: "end the cluster with `" + site.Command("down", s.Dir) + "`"}
		}
		return nil
	}
	return UnknownNode(name, s.Dir, names)
}
