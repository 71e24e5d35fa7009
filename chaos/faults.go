package chaos

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"
)

// fault is something that goes wrong. It takes a node that nothing is the matter with,
// and returns when what it did is undone; the cluster may still have to notice.
type fault struct {
	name   string
	weight int
	// do may give up, with false, if it finds nothing that it may spoil.
	do func(r *run, ctx context.Context, rng *rand.Rand, node string) bool
}

var faults = []fault{
	{"kill", 5, (*run).killNode},
	{"stop", 5, (*run).stopNode},
	{"term", 3, (*run).termNode},
	{"member", 3, (*run).stopMember},
	{"majority", 1, (*run).loseMajority},
	{"damage", 3, (*run).damageRunning},
	{"damagedown", 2, (*run).damageDown},
	{"truncate", 2, (*run).truncateRunning},
	{"delete", 2, (*run).deleteRunning},
	{"fulldisk", 2, (*run).fullDisk},
	{"burn", 2, (*run).burn},
	{"flood", 2, (*run).flood},
	{"connections", 2, (*run).connections},
	{"churn", 4, (*run).churn},
	{"loadkill", 2, (*run).killLoad},
	{"restartup", 1, (*run).restartUp},
}

// FaultNames are all faults that Config can name, with those that clients make.
func FaultNames() []string {
	list := []string{"clientkill"}
	for _, f := range faults {
		list = append(list, f.name)
	}
	return list
}

func (r *run) wants(name string) bool {
	return len(r.Faults) == 0 || slices.Contains(r.Faults, name)
}

// atOnce is how many faults may last at the same time.
const atOnce = 2

// makeFaults makes faults until the time is over, and waits until they are undone.
func (r *run) makeFaults(ctx context.Context, end time.Time) {
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	var draw []fault
	for _, f := range faults {
		for range f.weight {
			if r.wants(f.name) {
				draw = append(draw, f)
			}
		}
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for time.Now().Before(end) && ctx.Err() == nil {
		pause := time.Duration(1000+rng.IntN(3000)) * time.Millisecond
		if rng.IntN(4) > 0 && len(slots) > 0 {
			pause += 2 * time.Second // most faults come alone
		}
		time.Sleep(min(pause, time.Until(end)))
		if len(draw) == 0 || time.Now().After(end) {
			continue
		}
		f, seed := draw[rng.IntN(len(draw))], rng.Uint64()
		node, ok := r.healthy(rng)
		if !ok {
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			continue
		}
		group.Go(func() {
			defer func() { <-slots }()
			r.happen(ctx, f, seed, node)
		})
	}
	group.Wait()
}

func (r *run) happen(ctx context.Context, f fault, seed uint64, node string) {
	r.say("fault %s, %s", f.name, node)
	if f.do(r, ctx, rand.New(rand.NewPCG(seed, 2)), node) {
		r.report.fault(f.name)
		r.say("undone: %s, %s", f.name, node)
		return
	}
	r.say("not possible now: %s, %s", f.name, node)
}

// healthy is a node that nothing is the matter with.
func (r *run) healthy(rng *rand.Rand) (string, bool) {
	for _, i := range rng.Perm(nodeCount) {
		if name := nodeName(i); !r.account.busy(name) && runs(r.pid(name)) {
			return name, true
		}
	}
	return "", false
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// between draws a time.
func between(rng *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(rng.Int64N(int64(most-least)))
}

func (r *run) killNode(ctx context.Context, rng *rand.Rand, node string) bool {
	r.kill(node, syscall.SIGKILL)
	sleep(ctx, between(rng, 500*time.Millisecond, 3*time.Second))
	r.revive(ctx, node)
	return true
}

func (r *run) termNode(ctx context.Context, rng *rand.Rand, node string) bool {
	pid := r.pid(node)
	r.kill(node, syscall.SIGTERM)
	r.awaitEnd(node, pid)
	sleep(ctx, between(rng, 500*time.Millisecond, 3*time.Second))
	r.revive(ctx, node)
	return true
}

func (r *run) stopNode(ctx context.Context, rng *rand.Rand, node string) bool {
	r.halt(ctx, between(rng, 500*time.Millisecond, 9*time.Second), node)
	return true
}

// stopMember stops a node that keeps the records, for about as long as a lease lasts.
func (r *run) stopMember(ctx context.Context, rng *rand.Rand, _ string) bool {
	name := nodeName(rng.IntN(memberCount))
	if r.account.busy(name) {
		return false
	}
	r.halt(ctx, between(rng, 4*time.Second, 9*time.Second), name)
	return true
}

// halt stops nodes for a time, and waits until they are members again.
func (r *run) halt(ctx context.Context, d time.Duration, nodes ...string) {
	var lasting []*trouble
	for _, n := range nodes {
		lasting = append(lasting, r.account.begin(trouble{node: n, kind: "stopped"}))
		_ = syscall.Kill(r.pid(n), syscall.SIGSTOP)
	}
	sleep(ctx, d)
	for _, n := range nodes {
		_ = syscall.Kill(r.pid(n), syscall.SIGCONT)
	}
	for i, n := range nodes {
		r.awaitMember(ctx, n)
		r.account.end(lasting[i])
	}
}

// rejoining is how long a node that goes on after a stop gets to be a member again.
const rejoining = 30 * time.Second

func (r *run) awaitMember(ctx context.Context, name string) {
	for end := time.Now().Add(rejoining); ctx.Err() == nil; sleep(ctx, 500*time.Millisecond) {
		if s := r.status(ctx); s != nil {
			for _, n := range s.Nodes {
				if n.Name == name && n.Error == "" {
					return
				}
			}
		}
		if time.Now().After(end) {
			r.report.find("no member", "%s is no member %v after it went on", name, rejoining)
			return
		}
	}
}

// loseMajority takes two of the three who keep the records away at once.
func (r *run) loseMajority(ctx context.Context, rng *rand.Rand, _ string) bool {
	who := rng.Perm(memberCount)[:memberCount/2+1]
	a, b := nodeName(who[0]), nodeName(who[1])
	if r.account.busy(a) || r.account.busy(b) {
		return false
	}
	if rng.IntN(2) == 0 {
		r.halt(ctx, between(rng, 3*time.Second, 8*time.Second), a, b)
		return true
	}
	r.kill(a, syscall.SIGKILL)
	r.kill(b, syscall.SIGKILL)
	sleep(ctx, between(rng, 3*time.Second, 8*time.Second))
	r.revive(ctx, a)
	r.revive(ctx, b)
	return true
}

// restartUp ends `godwit up` and all nodes with it, as an interrupt or as a crash, and
// starts it again over the same folder.
func (r *run) restartUp(ctx context.Context, rng *rand.Rand, _ string) bool {
	r.processes.mu.Lock()
	r.upping = true
	up, gone := r.up, r.upGone
	r.processes.mu.Unlock()
	for i := range nodeCount {
		n, t := nodeName(i), trouble{node: nodeName(i), kind: "down with up"}
		r.processes.mu.Lock()
		if r.spent[n] == nil {
			r.spent[n] = r.account.begin(t)
		}
		r.processes.mu.Unlock()
	}
	sig := syscall.SIGINT
	if rng.IntN(2) == 0 {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(up.Process.Pid, sig)
	<-gone
	for i := range nodeCount { // those of a killed up end by themselves, those of the harness do not
		n := nodeName(i)
		_ = syscall.Kill(r.pid(n), syscall.SIGTERM)
		r.awaitEnd(n, r.pid(n))
	}
	if err := r.start(ctx); err != nil {
		r.report.find("up", "it does not start again after %v: %v", sig, err)
	}
	r.processes.mu.Lock()
	r.upping = false
	r.processes.mu.Unlock()
	return true
}
