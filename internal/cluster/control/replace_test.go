package control

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// trio is a cluster of three supervised members.
type trio struct {
	cfg  map[string]Config
	each map[string]*Supervised
	c    Control
	e    *etcd
}

func newTrio(t *testing.T) *trio {
	t.Helper()
	a := must[*identity.Authority](t)(identity.Create(t.TempDir()))
	own, dir := issue(t, a, identity.Node, "n")
	x := &trio{cfg: map[string]Config{}, each: map[string]*Supervised{}}
	peers := map[string]string{"a": free(t), "b": free(t), "c": free(t)}
	var at []string
	for name, peer := range peers {
		cfg := Config{Name: name, Dir: filepath.Join(t.TempDir(), "control"), Client: free(t), Peer: peer, Cluster: peers, Identity: dir, Options: Options{TTL: 2 * time.Second}}
		x.cfg[name] = cfg
		at = append(at, cfg.Client)
		x.start(t, name)
	}
	x.c = must[Control](t)(Dial(at, own.Client(""), Options{TTL: 30 * time.Second}))
	t.Cleanup(func() { x.c.Close() })
	x.e = x.c.(*registry).rec.(*etcd)
	x.voters(t)
	return x
}

func (x *trio) start(t *testing.T, name string) {
	s := Supervise([]string{os.Args[0], asChild}, x.cfg[name])
	x.each[name] = s
	t.Cleanup(func() { s.Close() })
}

// voters waits until there are three members with a vote, and gives their numbers by name.
func (x *trio) voters(t *testing.T) map[string]uint64 {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		l, err := ask(within(t), x.e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberListResponse, error) {
			return c.MemberList(ctx)
		})
		out := map[string]uint64{}
		if err == nil {
			for _, m := range l.Members {
				if !m.IsLearner && m.Name != "" {
					out[m.Name] = m.ID
				}
			}
		}
		if len(out) == 3 {
			return out
		}
		if time.Now().After(end) {
			t.Fatalf("no three members with a vote: %v, %v", l, err)
		}
	}
}

// formed waits until all have noted that the cluster exists.
func (x *trio) formed(t *testing.T) {
	t.Helper()
	for _, cfg := range x.cfg {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(formedMark(cfg.Dir)); err == nil {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s has not noted that the cluster exists", cfg.Name)
			}
		}
	}
}

// replaced waits until the member has another number than before.
func (x *trio) replaced(t *testing.T, name string, before map[string]uint64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if now := x.voters(t); now[name] != before[name] {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s was not replaced", name)
		}
	}
}

// A member whose records are gone is replaced while the others have a majority, whatever has
// happened to them and whether it ran then, and the cluster keeps what it knew.
func TestReplace(all *testing.T) {
	all.Parallel()
	x := newTrio(all)
	x.formed(all)
	m := join(all, x.c, "node")
	for i := range 200 {
		check(all, m.Hold(within(all), Held{Set: 1, Shard: uint32(i), Sum: [32]byte{1}}))
	}
	noise := func(path string, from int) {
		b, err := os.ReadFile(path)
		check(all, err)
		for i := from; i < len(b); i++ {
			b[i] ^= byte(i*7 + 13)
		}
		check(all, os.WriteFile(path, b, 0o600))
	}
	for i, tt := range []struct {
		name, member string
		running      bool
		hurt         func(dir string)
	}{
		{"the folder, while it runs", "a", true, func(dir string) { check(all, os.RemoveAll(dir)) }},
		{"the log", "b", false, func(dir string) { noise(must[[]string](all)(segments(logDir(dir)))[0], 4000) }},
		{"the database", "c", false, func(dir string) { noise(database(dir), 8192) }},
	} {
		all.Run(tt.name, func(t *testing.T) {
			before := x.voters(t)
			began := time.Now()
			if !tt.running {
				check(t, x.each[tt.member].Close())
			}
			tt.hurt(x.cfg[tt.member].Dir)
			if !tt.running {
				x.start(all, tt.member)
			}
			x.replaced(t, tt.member, before)
			t.Logf("replaced after %v", time.Since(began).Round(time.Millisecond))
			check(t, m.Hold(within(t), Held{Set: 2, Shard: uint32(i), Sum: [32]byte{1}}))
			v, err := x.c.View(within(t))
			check(t, err)
			if len(v.Nodes) != 1 {
				t.Errorf("the view has %d nodes", len(v.Nodes))
			}
			aside, _ := filepath.Glob(x.cfg[tt.member].Dir + damagedSuffix + "*")
			if len(aside) > 1 {
				t.Errorf("more than the last damaged records are kept: %v", aside)
			}
		})
	}
}

// Without a majority of others nothing is replaced and no new cluster begins: two of three that
// have lost their records wait, and say so.
func TestNoMajorityNoReplacement(t *testing.T) {
	t.Parallel()
	x := newTrio(t)
	x.formed(t)
	before := x.voters(t)
	for _, s := range x.each {
		check(t, s.Close())
	}
	saved := map[string]string{}
	for _, name := range []string{"a", "b"} {
		dir := x.cfg[name].Dir
		saved[name] = dir + ".saved"
		check(t, os.Rename(dir, saved[name]))
	}
	for name := range x.cfg {
		x.start(t, name)
	}
	time.Sleep(3 * time.Second)
	for _, name := range []string{"a", "b"} {
		check(t, x.each[name].Close())
		if _, err := os.Stat(logDir(x.cfg[name].Dir)); err == nil {
			t.Errorf("%s has begun new records", name)
		}
		_ = os.RemoveAll(x.cfg[name].Dir)
		check(t, os.Rename(saved[name], x.cfg[name].Dir))
		x.start(t, name)
	}
	if now := x.voters(t); now["a"] != before["a"] || now["b"] != before["b"] || now["c"] != before["c"] {
		t.Errorf("the members were %v and are %v", before, now)
	}
}

// The only member cannot be replaced, and says what is lost and what to do.
func TestAloneIsNotReplaced(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "control")
	r := &replacement{cfg: Config{Name: "one", Dir: dir, Cluster: map[string]string{"one": "127.0.0.1:1"}}, why: &LostError{dir}}
	_, err := r.replace(within(t))
	if !errors.As(err, new(*AloneError)) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "Put a copy of the folder back") {
		t.Errorf("found %v", err)
	}
}

// A child that is stopped is killed and started again; one whose supervisor was stopped with it is not.
func TestSilentChild(t *testing.T) {
	t.Parallel()
	s, c := supervised(t)
	join(t, c, "a")
	pid := next(t, s, 0)
	began := time.Now()
	check(t, syscall.Kill(pid, syscall.SIGSTOP))
	next(t, s, pid)
	t.Logf("another process after %v, with a lease of 2 s", time.Since(began).Round(time.Millisecond))
	join(t, c, "b")
}

// A tick that comes late counts as one tick.
func TestPulse(t *testing.T) {
	t.Parallel()
	tick := make(chan time.Time)
	found := make(chan error, 1)
	p := &pulse{limit: time.Second}
	go func() { found <- p.silent(within(t), tick) }()
	p.heard.Store(true)
	for range int(time.Second/listening) - 1 {
		tick <- time.Time{}
	}
	select {
	case err := <-found:
		t.Fatalf("it is called silent too soon: %v", err)
	default:
	}
	p.heard.Store(true)
	for range int(time.Second/listening) + 1 {
		select {
		case tick <- time.Time{}:
		case err := <-found:
			if err != errSilent {
				t.Errorf("found %v", err)
			}
			return
		}
	}
	if err := <-found; err != errSilent {
		t.Errorf("found %v", err)
	}
}

// What etcd and raft end a process for is damage only if it says so, and the system did not.
func TestLastWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what    string
		why     error
		damaged bool
	}{
		{"tocommit(9) is out of range [lastIndex(7)]. Was the raft log corrupted, truncated, or lost?", nil, true},
		{"failed to read WAL, cannot be repaired", io.ErrUnexpectedEOF, true},
		{"failed to read WAL, cannot be repaired", &os.PathError{Op: "read", Path: "x", Err: syscall.EIO}, false},
		{"failed to save Raft hard state and entries", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, false},
	} {
		var out bytes.Buffer
		log := zap.New(slogCore{slog.New(slog.DiscardHandler), func(what string, why error) { (&tidings{to: &out}).died("dir", what, why) }})
		func() {
			defer func() { _ = recover() }()
			log.Panic(tt.what, zap.Error(tt.why))
		}()
		damaged := false
		listen(&out, func(n tiding) { damaged = n.Damaged && strings.Contains(n.Reason, tt.what) })
		if damaged != tt.damaged {
			t.Errorf("%s (%v): called damage: %v", tt.what, tt.why, damaged)
		}
	}
}

// A disk that hangs ends the signs of life, and when it goes on they do, too.
func TestDiskHangs(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	signs, free := 0, make(chan struct{})
	to := writer(func([]byte) { mu.Lock(); signs++; mu.Unlock() })
	count := func() int { mu.Lock(); defer mu.Unlock(); return signs }
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	go (&tidings{to: to}).beat(ctx, func() { <-free }, rhythm{beating: time.Millisecond, touching: time.Millisecond, hanging: 20 * time.Millisecond})
	quiet := func() bool { n := count(); time.Sleep(50 * time.Millisecond); return count() == n }
	for end := time.Now().Add(time.Minute); !quiet(); {
		if time.Now().After(end) {
			t.Fatal("it gives signs of life though its disk hangs")
		}
	}
	if count() == 0 {
		t.Error("it gave no sign of life")
	}
	close(free)
	for end := time.Now().Add(time.Minute); quiet(); {
		if time.Now().After(end) {
			t.Fatal("it gives no signs of life though its disk goes on")
		}
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

// An examination that hangs ends the signs of life.
func TestExaminationHangs(t *testing.T) {
	t.Parallel()
	signs := make(chan struct{}, 1)
	tell := &tidings{to: writer(func([]byte) {
		select {
		case signs <- struct{}{}:
		default:
		}
	})}
	tell.step()
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	go tell.beat(ctx, func() {}, rhythm{beating: time.Millisecond, touching: time.Hour, hanging: 100 * time.Millisecond})
	<-signs
	for end := time.Now().Add(time.Minute); ; {
		select {
		case <-signs:
			if time.Now().After(end) {
				t.Fatal("it gives signs of life though its examination hangs")
			}
			continue
		case <-time.After(time.Second):
		}
		break
	}
	tell.examined()
	select {
	case <-signs:
	case <-time.After(time.Minute):
		t.Error("it gives no signs of life though its examination has ended")
	}
}

// A member that the others have removed while it was away is replaced: its folder is an old one that
// somebody put back.
func TestRemovedIsReplaced(t *testing.T) {
	t.Parallel()
	x := newTrio(t)
	x.formed(t)
	before := x.voters(t)
	check(t, x.each["c"].Close())
	if out := (&Config{Name: "c", Dir: x.cfg["c"].Dir, Cluster: x.cfg["c"].Cluster, Identity: x.cfg["c"].Identity}).removed(within(t)); out != nil {
		t.Errorf("before it is removed: %v", out)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, err := ask(within(t), x.e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberRemoveResponse, error) {
			return c.MemberRemove(ctx, before["c"])
		})
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	began := time.Now()
	x.start(t, "c")
	x.replaced(t, "c", before)
	t.Logf("replaced after %v", time.Since(began).Round(time.Millisecond))
	if aside, _ := filepath.Glob(x.cfg["c"].Dir + damagedSuffix + "*"); len(aside) != 1 {
		t.Errorf("the old records are kept as %v", aside)
	}
}
