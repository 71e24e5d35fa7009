package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// replica is a copy of a shard that a fault may spoil: another one is good, and nothing
// is the matter with the node that has it.
type replica struct {
	node, name, file string
	shard            int
	sum              [32]byte
	set              uint32
}

// key names the shard.
func (p *replica) key() string { return fmt.Sprintf("%s/%d", p.name, p.shard) }

// spoilable finds a replica on a node; nil if there is none. Its caller has the lock.
func (r *run) spoilable(ctx context.Context, rng *rand.Rand, node string) *replica {
	s := r.status(ctx)
	if s == nil {
		return nil
	}
	var list []*replica
	for i := range s.Sets {
		set := &s.Sets[i]
		if !r.ours(set.Name) {
			continue
		}
		for j := range set.Shards {
			here, others := false, 0
			for _, h := range r.account.holding(set.Name, j) {
				switch good := r.copyIsGood(h, set.ID, j, set.Shards[j].Sum); {
				case h == node:
					here = good
				case good && !r.account.busy(h):
					others++
				}
			}
			p := &replica{node, set.Name, r.shardFile(node, set.ID, j), j, set.Shards[j].Sum, set.ID}
			if here && others > 0 && !r.spoilt[p.key()] {
				list = append(list, p)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[rng.IntN(len(list))]
}

func (r *run) ours(set string) bool {
	for _, t := range r.tables.sets {
		if t.name == set {
			return true
		}
	}
	return false
}

// spoil does something to a replica's file, and enters that until the file is good
// again. Of a shard only one replica is spoilt at a time, so that none loses all.
func (r *run) spoil(ctx context.Context, rng *rand.Rand, node, kind string, harm func(node, file string) error) bool {
	var p *replica
	r.spoiling.Lock()
	for _, i := range append([]int{slices.Index(names, node)}, rng.Perm(nodeCount)...) {
		if node = names[i]; !r.account.busy(node) {
			if p = r.spoilable(ctx, rng, node); p != nil {
				break
			}
		}
	}
	if p != nil {
		r.spoilt[p.key()] = true
	}
	r.spoiling.Unlock()
	if p == nil {
		return false
	}
	t := r.account.begin(trouble{node: node, set: p.name, shard: p.shard, kind: kind})
	r.say("%s: %s", kind, p.file)
	if err := harm(node, p.file); err != nil {
		r.say("%s: %v", p.file, err)
	}
	r.repairs.Go(func() { // other things go wrong meanwhile
		r.awaitRepair(ctx, p)
		r.account.end(t)
		r.spoiling.Lock()
		defer r.spoiling.Unlock()
		delete(r.spoilt, p.key())
	})
	return true
}

// Repair is how long the cluster gets until as many good copies are there as were
// before: a minute until a node that has started reads all that it holds, the time after
// which a lost replica is made again, and that once more for a node that cannot.
const Repair = 60*time.Second + 2*repairAfter + 40*time.Second

// repairAfter is what the nodes are started with.
const repairAfter = 10 * time.Second

// scrub has all nodes read all that they hold now, so that nothing stays undetected.
func (r *run) scrub(ctx context.Context) {
	o := r.godwit(ctx, Hung, "scrub", "--cluster", r.dir)
	r.say("godwit scrub: exit code %d: %.300s %.300s", o.code, o.stdout, o.stderr)
}

func (r *run) awaitRepair(ctx context.Context, p *replica) {
	began := time.Now()
	for end := began.Add(Repair); ctx.Err() == nil; sleep(ctx, time.Second) {
		good := 0
		for _, h := range r.account.holding(p.name, p.shard) {
			if r.copyIsGood(h, p.set, p.shard, p.sum) {
				good++
			}
		}
		if good >= replicas {
			r.say("repaired after %.1f s: %s", time.Since(began).Seconds(), p.file)
			r.report.longest("repair of a replica", time.Since(began))
			return
		}
		if time.Now().After(end) {
			r.report.find("not repaired", "%s on %s is not made again after %v", p.file, p.node, Repair)
			return
		}
	}
}

// overwrite puts other bytes somewhere into a file, as a bad disk would.
func overwrite(rng *rand.Rand) func(string) error {
	return func(file string) error {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return err
		}
		b := make([]byte, 1+rng.IntN(4096))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		_, err = f.WriteAt(b, rng.Int64N(max(1, st.Size()-int64(len(b)))))
		return err
	}
}

// running is harm that is done while the node runs.
func running(harm func(string) error) func(node, file string) error {
	return func(_, file string) error { return harm(file) }
}

func (r *run) damageRunning(ctx context.Context, rng *rand.Rand, node string) bool {
	return r.spoil(ctx, rng, node, "damaged", running(overwrite(rng)))
}

func (r *run) truncateRunning(ctx context.Context, rng *rand.Rand, node string) bool {
	return r.spoil(ctx, rng, node, "truncated", running(func(file string) error { return cut(file, rng) }))
}

func cut(file string, rng *rand.Rand) error {
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.Truncate(file, rng.Int64N(st.Size()))
}

func (r *run) deleteRunning(ctx context.Context, rng *rand.Rand, node string) bool {
	return r.spoil(ctx, rng, node, "deleted", running(os.Remove))
}

// damageDown spoils a file while its node is down.
func (r *run) damageDown(ctx context.Context, rng *rand.Rand, node string) bool {
	harm := []func(string) error{overwrite(rng), func(f string) error { return cut(f, rng) }, os.Remove}[rng.IntN(3)]
	return r.spoil(ctx, rng, node, "damaged while down", func(node, file string) error {
		pid := r.pid(node)
		r.kill(node, syscall.SIGKILL)
		r.awaitEnd(node, pid)
		err := harm(file)
		r.revive(ctx, node)
		return err
	})
}

// diskSize is the size of the file system of a node whose disk can be filled: room for
// its shards, and where it keeps the records for etcd's files of 64 MB.
const diskSize = "size=420m"

// full are the nodes with small disks: one that keeps the records, and one that does not.
var full = []string{nodeName(memberCount - 1), nodeName(nodeCount - 1)}

// mount gives some nodes small disks, if that is possible here.
func (c *processes) mount() error {
	for _, n := range full {
		if err := os.MkdirAll(c.folder(n), 0o700); err != nil {
			return err
		}
		if err := unix.Mount("tmpfs", c.folder(n), "tmpfs", 0, diskSize); err != nil {
			return err
		}
		c.mounts = append(c.mounts, c.folder(n))
	}
	return nil
}

func (c *processes) unmount() {
	for _, m := range c.mounts {
		_ = unix.Unmount(m, unix.MNT_DETACH)
	}
	c.mounts = nil
}

// fullDisk takes all space of one node's disk for a while.
func (r *run) fullDisk(ctx context.Context, rng *rand.Rand, _ string) bool {
	if len(r.mounts) == 0 {
		return false
	}
	dir := r.mounts[rng.IntN(len(r.mounts))]
	file := filepath.Join(dir, "fill")
	if _, err := os.Stat(file); err == nil {
		return false
	}
	f, err := os.Create(file)
	if err != nil {
		return false
	}
	block := make([]byte, 1<<20)
	for err == nil {
		_, err = f.Write(block)
	}
	r.say("the disk %s is full: %v", dir, err)
	f.Close()
	sleep(ctx, between(rng, 5*time.Second, 15*time.Second))
	_ = os.Remove(file)
	return true
}
