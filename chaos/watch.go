package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
)

// look is how often the harness looks at processes, and asks every tenth time how the
// cluster says it is.
const look = 250 * time.Millisecond

// statusLimit is how long a node may keep `status` waiting.
const statusLimit = 15 * time.Second

// said is what the cluster says of itself.
type said struct {
	Nodes []cluster.NodeStatus `json:"nodes"`
	Sets  []catalog.Set        `json:"sets"`
}

// watch sees nodes end and come back until over is closed.
func (c *processes) watch(ctx context.Context, over <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
		c.ended()
		if n%10 == 0 {
			c.status(ctx)
		}
	}
}

// ended finds nodes that ended though nobody ended them.
func (c *processes) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.upping {
		return
	}
	select {
	case <-c.upGone:
		text, _ := os.ReadFile(c.upLog())
		c.report.find("up ended", "godwit up ended by itself: %s", text)
		c.upping = true // once is enough
	default:
	}
	for i := range nodeCount {
		name := nodeName(i)
		pid, old := c.pid(name), c.known[name]
		if pid == old && runs(old) || pid == 0 {
			continue
		}
		if old != 0 && c.spent[name] == nil {
			c.report.find("ended unasked", "node %s ended by itself at %.1f s (process %d); the end of its log: %s", name, c.log.seconds(), old, c.tail(name))
			c.log.say("node %s ended by itself (process %d)", name, old)
			c.spent[name] = c.account.begin(trouble{node: name, kind: "ended by itself"})
		}
		c.known[name] = 0
		if pid != old && runs(pid) {
			c.known[name] = pid
			c.log.say("node %s is process %d", name, pid)
		}
	}
}

// status asks the cluster how it is, ends the troubles of nodes that are well again, and
// notes who holds what. It gives nil if nobody answers.
func (c *processes) status(ctx context.Context) *said {
	began := time.Now()
	o := c.godwit(ctx, statusLimit, "status", "--json", "--cluster", c.dir)
	s := &said{}
	if o.code != 0 || json.Unmarshal([]byte(o.stdout), s) != nil {
		c.log.say("status: exit code %d, %.300s", o.code, o.stderr)
		return nil
	}
	c.report.longest("godwit status", time.Since(began))
	c.mu.Lock()
	for _, n := range s.Nodes {
		c.peers[uint32(n.Peer)] = n.Name
		if t := c.spent[n.Name]; t != nil && n.Error == "" && c.known[n.Name] != 0 && runs(c.known[n.Name]) && c.fresh(n, t) {
			delete(c.spent, n.Name)
			c.account.end(t)
			c.report.longest("way back of a node that was ended", time.Since(t.from))
			c.log.say("node %s is a member again", n.Name)
		}
	}
	c.mu.Unlock()
	for i := range s.Sets {
		c.account.hold(s.Sets[i].Name, c.holders(&s.Sets[i]))
	}
	return s
}

// fresh says that a node's answer is of the life after the trouble began.
func (c *processes) fresh(n cluster.NodeStatus, t *trouble) bool {
	var r daemon.Report
	if json.Unmarshal(n.Report, &r) != nil {
		return false
	}
	return time.Since(t.from).Seconds() > r.Seconds
}

// holders are the nodes that should or do hold each shard.
func (c *processes) holders(s *catalog.Set) [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([][]string, len(s.Shards))
	for i := range s.Shards {
		for _, p := range s.Shards[i].Everyone() {
			if name := c.peers[uint32(p)]; name != "" && !slices.Contains(list[i], name) {
				list[i] = append(list[i], name)
			}
		}
	}
	return list
}

// whole says which copies are missing: of sets with two replicas each shard needs two
// that say they hold it, and the files must be what was stored.
func (c *processes) whole(s *said) (missing []string) {
	if len(s.Nodes) < nodeCount {
		missing = append(missing, fmt.Sprintf("%d of %d nodes are members", len(s.Nodes), nodeCount))
	}
	for _, n := range s.Nodes {
		if n.Error != "" {
			missing = append(missing, fmt.Sprintf("%s: %s", n.Name, n.Error))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range s.Sets {
		set := &s.Sets[i]
		for j := range set.Shards {
			sh, good := &set.Shards[j], 0
			for _, p := range sh.Replicas {
				if c.copyIsGood(c.peers[uint32(p)], set.ID, j, sh.Sum) {
					good++
				}
			}
			if good < len(sh.Assigned) {
				missing = append(missing, fmt.Sprintf("@%s shard %d has %d of %d copies", set.Name, j, good, len(sh.Assigned)))
			}
		}
	}
	return missing
}

func (c *processes) shardFile(node string, set uint32, shard int) string {
	return filepath.Join(c.folder(node), "data", "sets", fmt.Sprint(set), fmt.Sprintf("%d.arrow", shard))
}

// copyIsGood compares a replica's file with what was stored.
func (c *processes) copyIsGood(node string, set uint32, shard int, sum [32]byte) bool {
	b, err := os.ReadFile(c.shardFile(node, set, shard))
	return err == nil && sha256.Sum256(b) == sum
}

// untilWhole waits until all copies are there.
func (c *processes) untilWhole(ctx context.Context, limit time.Time) {
	began := time.Now()
	for missing := []string{"nobody answers"}; ; time.Sleep(time.Second) {
		if s := c.status(ctx); s != nil {
			if missing = c.whole(s); len(missing) == 0 {
				c.report.note("everything had healed %.1f s after the last fault", time.Since(began).Seconds())
				return
			}
		}
		if time.Now().After(limit) || ctx.Err() != nil {
			c.report.find("not healed", "%v after the last fault: %v", time.Since(began).Round(time.Second), missing)
			return
		}
	}
}

// holding is what a node keeps as long as it does.
type holding struct {
	descriptors, goroutines int
	arena, resident         int64
}

// What a node may hold more than at the beginning: connections end by and by, columns
// and kernels stay.
const (
	moreDescriptors = 40
	moreGoroutines  = 60
	moreArena       = 64 << 20
	moreResident    = 512 << 20
)

// holdings are those of the nodes that answer.
func (c *processes) holdings(ctx context.Context) map[string]holding {
	s := c.status(ctx)
	if s == nil {
		return nil
	}
	list := map[string]holding{}
	for _, n := range s.Nodes {
		var r daemon.Report
		if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
			continue
		}
		pid := c.pid(n.Name)
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		list[n.Name] = holding{len(fds), r.Goroutines, r.Arena, resident(pid)}
	}
	return list
}

// resident is a process's memory in bytes.
func resident(pid int) int64 {
	var size, pages int64
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &pages)
	}
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// leaks compares with before, until it is well or 30 s are over.
func (c *processes) leaks(ctx context.Context, before map[string]holding) {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second) {
		more := grown(before, c.holdings(ctx))
		if len(more) == 0 {
			return
		}
		if time.Now().After(end) || ctx.Err() != nil {
			c.report.find("leaks", "%v", more)
			return
		}
	}
}

// grown says who holds more than before. A node that did not answer is not known to be well.
func grown(before, now map[string]holding) (more []string) {
	if len(before) < nodeCount || len(now) < nodeCount {
		more = append(more, fmt.Sprintf("of %d nodes %d answered before and %d now", nodeCount, len(before), len(now)))
	}
	for name, is := range now {
		was, known := before[name]
		if known && (is.descriptors > was.descriptors+moreDescriptors || is.goroutines > was.goroutines+moreGoroutines ||
			is.arena > was.arena+moreArena || is.resident > was.resident+moreResident) {
			more = append(more, fmt.Sprintf("%s: before %+v, now %+v", name, was, is))
		}
	}
	return more
}
