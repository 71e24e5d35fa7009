package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/site"
)

// States of a node.
const (
	Starting = "starting"
	Ready    = "ready"   // it is a member, and answers
	Waiting  = "waiting" // it ended, and is started again soon
	GivenUp  = "given up"
	Ending   = "stopping"
)

// keeper keeps one node running. Its fields from state on are guarded by the fleet's lock.
type keeper struct {
	name   string
	dir    string
	orders chan bool     // true: end for good; false: end and start again
	gone   chan struct{} // closed when it keeps nothing any more

	state  string
	life   *life // nil when there is no process
	starts int
	last   string // how the last process ended
}

// enlist begins to keep a node. Its caller has the lock.
func (f *Fleet) enlist(name string) *keeper {
	k := &keeper{name: name, dir: f.site.NodeDir(name), state: Starting, orders: make(chan bool), gone: make(chan struct{})}
	f.nodes = append(f.nodes, k)
	go f.keep(k)
	return k
}

// order tells a keeper to end its node, for good or to start it again, and waits for the
// former. It reports false if it could not: the node is ended for good already.
func (k *keeper) order(ctx context.Context, end bool) bool {
	select {
	case k.orders <- end:
	case <-k.gone:
		return end
	case <-ctx.Done():
		return false
	}
	if end {
		<-k.gone
	}
	return true
}

// keep starts a node again and again, until it is ordered to end.
func (f *Fleet) keep(k *keeper) {
	defer close(k.gone)
	p := &pauses{limit: f.opt.Restarts, first: f.opt.Pause}
	if p.first <= 0 {
		p.first = firstPause
	}
	for {
		why, misused, asked, end := f.live(k)
		clearLeft(context.Background(), k.dir, time.Second)
		if end {
			return
		}
		if asked {
			p.forget()
			continue
		}
		if end, asked = f.recover(k, p, why, misused); end {
			return
		}
		if asked {
			p.forget()
		}
	}
}

// live is one life of a node. It ends unasked, why says how, or by an order.
func (f *Fleet) live(k *keeper) (why string, misused, asked, end bool) {
	f.mu.Lock()
	k.state, k.life = Starting, nil
	k.starts++
	f.mu.Unlock()
	l, err := f.begin(k)
	if err != nil {
		f.set(k, Waiting, nil)
		return "it did not start: " + err.Error(), false, false, false
	}
	f.set(k, Starting, l)
	go f.greet(k, l)
	select {
	case <-l.ended:
		f.set(k, Waiting, nil)
		return l.how(), l.misused(), false, false
	case end = <-k.orders:
		f.set(k, Ending, l)
		l.end(Stopping)
		return "", false, true, end
	}
}

// recover waits until a node that ended is to be started again.
func (f *Fleet) recover(k *keeper, p *pauses, why string, misused bool) (end, asked bool) {
	wait, nth := p.next(time.Now())
	if nth == 0 || misused {
		f.giveUp(k, p, why, misused)
		return <-k.orders, true
	}
	f.mu.Lock()
	k.last = why
	f.mu.Unlock()
	f.say(Event{"ended", k.name, fmt.Sprintf("node %s ended: %s; it is started again in %v (%d of %d)", k.name, why, wait, nth, p.limit)})
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case end = <-k.orders:
		return end, true
	case <-t.C:
		return false, false
	}
}

// giveUp leaves a node alone until somebody asks for it, and ends the fleet if it was
// the last one.
func (f *Fleet) giveUp(k *keeper, p *pauses, why string, misused bool) {
	restart := site.Command("restart "+k.name, f.opt.Dir)
	text := fmt.Sprintf("it was started again %d times within %v; it is given up: mend what is wrong, and then `%s`", p.limit, window, restart)
	if misused || p.limit == 0 {
		text = fmt.Sprintf("it is not started again; `%s` does", restart)
	}
	f.say(Event{"given-up", k.name, fmt.Sprintf("node %s ended: %s; %s", k.name, why, text)})
	f.mu.Lock()
	defer f.mu.Unlock()
	k.state, k.last = GivenUp, why
	if f.count(GivenUp) == len(f.nodes) {
		f.cancel(&allGivenUp{fmt.Sprintf("node %s: %s", k.name, why)})
	}
}

func (f *Fleet) set(k *keeper, state string, l *life) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k.state, k.life = state, l
}

// greet waits until a node answers: it does once it is a member.
func (f *Fleet) greet(k *keeper, l *life) {
	began := time.Now()
	ready := make(chan struct{})
	defer close(ready)
	go f.tellWaiting(k, l, ready)
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for !f.answers(client, k.name) {
		select {
		case <-l.ended:
			return
		case <-time.After(look):
		}
	}
	f.mu.Lock()
	fresh := k.life == l && k.state == Starting
	if fresh {
		k.state = Ready
	}
	again := fresh && f.ready && k.starts > 1
	delete(f.moved, k.name) // as a member it has told the others where it is
	f.mu.Unlock()
	if again {
		f.say(Event{"ready", k.name, fmt.Sprintf("node %s is ready again, after %.1f s", k.name, time.Since(began).Seconds())})
	}
}

func (f *Fleet) answers(c *http.Client, name string) bool {
	f.mu.Lock()
	card := f.card(name)
	f.mu.Unlock()
	if card == nil {
		return false
	}
	r, err := c.Get("http://" + card.Metrics + "/metrics")
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

// card is what cluster.json says about a node. Its caller has the lock; the card is a copy.
func (f *Fleet) card(name string) *site.NodeCard {
	i := slices.IndexFunc(f.site.Nodes, func(n site.NodeCard) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	c := f.site.Nodes[i]
	return &c
}

// begin starts a node's process where its ports are free, with what somebody may have removed.
func (f *Fleet) begin(k *keeper) (*life, error) {
	f.mu.Lock()
	err := errors.Join(f.claim(k.name), f.identify(k.name))
	cmd := f.command(f.card(k.name))
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.starter.begin(cmd, k.dir, f.opt.Verbose)
}

// command is the process of one node.
func (f *Fleet) command(n *site.NodeCard) *exec.Cmd {
	args := []string{"--name", n.Name, "--dir", f.site.NodeDir(n.Name), "--listen", n.Address, "--metrics", n.Metrics, "--ttl", f.opt.TTL.String()}
	if len(f.site.Endpoints) > 0 {
		args = append(args, "--etcd", strings.Join(f.site.Endpoints, ","))
	}
	if n.ControlClient != "" {
		var members []string
		for _, m := range f.site.Nodes {
			if m.ControlPeer != "" {
				members = append(members, m.Name+"="+m.ControlPeer)
			}
		}
		args = append(args, "--control", n.ControlClient, "--control-peer", n.ControlPeer, "--control-members", strings.Join(members, ","),
			"--authority", filepath.Join(f.site.Dir, "authority"))
		if !f.site.Forming {
			args = append(args, "--control-formed")
		}
	}
	all := slices.Concat(f.opt.Program, args, f.opt.Flags)
	return exec.Command(all[0], all[1:]...)
}
