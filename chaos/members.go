package chaos

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// stopMember stops one of those who keep the records for about as long as a lease lasts:
// etcd alone, where it is a process of its own, or its node.
func (r *run) stopMember(ctx context.Context, rng *rand.Rand, _ string) bool {
	name := nodeName(rng.IntN(memberCount))
	if !r.awaitQuiet(ctx, name) {
		return false
	}
	d := between(rng, 4*time.Second, 9*time.Second)
	if rng.IntN(3) > 0 && r.haltKeepers(ctx, d, syscall.SIGSTOP, name) {
		return true
	}
	r.halt(ctx, d, name)
	return true
}

// keeperOf is the account's name for the etcd of a node.
func keeperOf(node string) string { return "etcd of " + node }

// haltKeepers stops or kills the processes of etcd beside nodes; false if there are none.
func (r *run) haltKeepers(ctx context.Context, d time.Duration, sig syscall.Signal, nodes ...string) bool {
	var pids []int
	for _, n := range nodes {
		if pid := childOf(r.pid(n), "control-child"); pid > 0 {
			pids = append(pids, pid)
		}
	}
	if len(pids) < len(nodes) {
		return false
	}
	var lasting []*trouble
	for i, pid := range pids {
		lasting = append(lasting, r.account.begin(trouble{node: keeperOf(nodes[i]), kind: sig.String()}))
		_ = syscall.Kill(pid, sig)
	}
	r.say("etcd of %v: %v, for %v", nodes, sig, d)
	sleep(ctx, d)
	for i, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGCONT) // one that was killed is another process by now
		r.account.end(lasting[i])
	}
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

// awaitQuiet waits until nothing is the matter with a node; false if that takes long.
func (r *run) awaitQuiet(ctx context.Context, name string) bool {
	for end := time.Now().Add(2 * Noticing); ctx.Err() == nil && time.Now().Before(end); sleep(ctx, look) {
		if !r.account.busy(name) && runs(r.pid(name)) {
			return true
		}
	}
	return false
}

// loseMajority takes two of the three who keep the records away at once.
func (r *run) loseMajority(ctx context.Context, rng *rand.Rand, _ string) bool {
	who := rng.Perm(memberCount)[:memberCount/2+1]
	a, b := nodeName(who[0]), nodeName(who[1])
	if !r.awaitQuiet(ctx, a) || !r.awaitQuiet(ctx, b) {
		return false
	}
	d := between(rng, 3*time.Second, 8*time.Second)
	switch rng.IntN(4) {
	case 0:
		if r.haltKeepers(ctx, d, syscall.SIGSTOP, a, b) {
			return true
		}
	case 1:
		if r.haltKeepers(ctx, d, syscall.SIGKILL, a, b) {
			return true
		}
	case 2:
		r.halt(ctx, d, a, b)
		return true
	}
	r.kill(a, syscall.SIGKILL)
	r.kill(b, syscall.SIGKILL)
	sleep(ctx, d)
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

// childOf is a child of a process with a word in its command line; 0 if there is none.
func childOf(parent int, word string) int {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, l := range lines {
		text, err := os.ReadFile(l)
		if err != nil || !bytes.Contains(text, []byte(word)) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(l)))
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(l), "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		var state string
		var of int
		if _, err := fmt.Sscan(string(rest), &state, &of); err == nil && of == parent {
			return pid
		}
	}
	return 0
}
