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
	{"kill", 2, (*run).killNode},
	{"stop", 2, (*run).stopNode},
	{"term", 1, (*run).termNode},
	{"member", 1, (*run).stopMember},
	{"majority", 1, (*run).loseMajority},
	{"damage", 1, (*run).damageRunning},
	{"damagedown", 1, (*run).damageDown},
	{"truncate", 1, (*run).truncateRunning},
	{"delete", 1, (*run).deleteRunning},
	{"fulldisk", 1, (*run).fullDisk},
	{"burn", 1, (*run).burn},
	{"flood", 1, (*run).flood},
	{"connections", 1, (*run).connections},
	{"churn", 1, (*run).churn},
	{"loadkill", 1, (*run).killLoad},
	{"restartup", 1, (*run).restartUp},
}

func (r *run) wants(name string) bool {
	return len(r.Faults) == 0 || slices.Contains(r.Faults, name)
}

// atOnce is how many faults may last at the same time.
const atOnce = 2

// makeFaults makes faults until the time is over, and waits until they are undone.
func (r *run) makeFaults(ctx context.Context, end time.Time) {
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	var deck []fault
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for time.Now().Before(end) && ctx.Err() == nil {
		pause := time.Duration(1000+rng.IntN(3000)) * time.Millisecond
		if rng.IntN(4) > 0 && len(slots) > 0 {
			pause += 2 * time.Second // most faults come alone
		}
		time.Sleep(min(pause, time.Until(end)))
		if len(deck) == 0 {
			deck = r.shuffled(rng)
		}
		if len(deck) == 0 || time.Now().After(end) {
			continue
		}
		node, ok := r.healthy(rng)
		if !ok {
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			continue
		}
		f, seed := deck[0], rng.Uint64()
		deck = deck[1:]
		group.Go(func() {
			defer func() { <-slots }()
			r.happen(ctx, f, seed, node)
		})
	}
	group.Wait()
}

// shuffled are all faults that are wanted, as often as they weigh, so that none is left
// out for long.
func (r *run) shuffled(rng *rand.Rand) (deck []fault) {
	for _, f := range faults {
		for range f.weight {
			if r.wants(f.name) {
				deck = append(deck, f)
			}
		}
	}
	rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	return deck
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
