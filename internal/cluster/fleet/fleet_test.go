package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// said keeps what a fleet says.
type said struct {
	mu   sync.Mutex
	list []Event
}

func (s *said) say(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, e)
}

func (s *said) of(event, node string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.list {
		if e.Event == event && e.Node == node {
			list = append(list, e.Text)
		}
	}
	return list
}

// fake is a fleet whose nodes are shell scripts.
func fake(dir, script string, heard *said) Options {
	return Options{Dir: dir, Nodes: 2, TTL: 5 * time.Second, Restarts: Restarts, Pause: time.Millisecond,
		Program: []string{"sh", "-c", script, "node"}, Say: heard.say}
}

// TestFailures starts a node five times again, says each time why, and then gives it up.
func TestFailures(t *testing.T) {
	t.Parallel()
	heard := &said{}
	err := Run(t.Context(), fake(t.TempDir(), "echo level=INFO msg=begin; echo 'error: no disk'; echo '  help: x'; exit 1", heard))
	if all := (*allGivenUp)(nil); !errors.As(err, &all) || !strings.Contains(err.Error(), "error: no disk") {
		t.Errorf("ended with %v", err)
	}
	for _, node := range []string{"n1", "n2"} {
		list := heard.of("ended", node)
		if len(list) != Restarts {
			t.Fatalf("%s was started again %d times: %q", node, len(list), list)
		}
		for i, text := range list {
			want := fmt.Sprintf("node %s ended: exit status 1: error: no disk; it is started again in %v (%d of 5)", node, time.Millisecond<<i, i+1)
			if text != want {
				t.Errorf("said %q\nexpected %q", text, want)
			}
		}
		if up := heard.of("given-up", node); len(up) != 1 || !strings.Contains(up[0], "started again 5 times within 10m0s") {
			t.Errorf("%s: %q", node, up)
		}
	}
}

// TestMisused does not start again what takes its command line for wrong.
func TestMisused(t *testing.T) {
	t.Parallel()
	heard := &said{}
	err := Run(t.Context(), fake(t.TempDir(), "echo 'error: unknown flag: --x'; exit 2", heard))
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --x") || len(heard.of("ended", "n1")) != 0 || len(heard.of("given-up", "n1")) != 1 {
		t.Errorf("ended with %v, after %v", err, heard.list)
	}
}

// TestOneGivenUp goes on with the other node.
func TestOneGivenUp(t *testing.T) {
	t.Parallel()
	heard := &said{}
	r := begin(t, fake(t.TempDir(), `case "$*" in *"--name n1"*) exit 1;; esac; exec sleep 60`, heard))
	for end := time.Now().Add(time.Minute); len(heard.of("given-up", "n1")) == 0; time.Sleep(look) {
		if time.Now().After(end) {
			t.Fatal("n1 is not given up")
		}
	}
	s, err := r.client().State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Nodes[0].State != GivenUp || s.Nodes[0].Starts != 1+Restarts || s.Nodes[1].State != Starting || s.Nodes[1].Pid == 0 {
		t.Errorf("found %+v", s)
	}
	if err := r.client().Removable(t.Context(), "n3"); err == nil || !strings.Contains(err.(*Error).Help, "n1, n2") {
		t.Errorf("an unknown node: %v", err)
	}
	r.down(t)
}

// running is a fleet in this test.
type running struct {
	dir   string
	ended chan error
}

func begin(t *testing.T, opt Options) *running {
	t.Helper()
	r := &running{opt.Dir, make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { r.ended <- Run(ctx, opt) }()
	t.Cleanup(cancel)
	for end := time.Now().Add(time.Minute); ; time.Sleep(look) {
		if s, err := r.client().State(t.Context()); err == nil && len(s.Nodes) > 0 {
			return r
		}
		if time.Now().After(end) {
			t.Fatal("it does not answer")
		}
	}
}

func (r *running) client() *Client { return NewClient(r.dir) }

func (r *running) down(t *testing.T) *Ended {
	t.Helper()
	e, err := r.client().Down(t.Context(), 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-r.ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	return e
}

// TestLongFolder has a path that is no address of a socket.
func TestLongFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30), "c")
	r := begin(t, fake(dir, "exec sleep 60", &said{}))
	if second := Run(t.Context(), fake(dir, "", &said{})); second == nil || !strings.Contains(second.Error(), fmt.Sprintf("running already (pid %d)", os.Getpid())) {
		t.Errorf("a second one: %v", second)
	}
	if info, err := os.Stat(filepath.Join(dir, socketFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v %v", info, err)
	}
	if e := r.down(t); !e.Ran || e.Killed || e.Left > 0 {
		t.Errorf("ended %+v", e)
	}
	if e := r.again(t); e.Ran {
		t.Errorf("ended %+v, though nothing ran", e)
	}
	if _, err := r.client().State(t.Context()); !isNotRunning(err) {
		t.Errorf("asked for the state: %v", err)
	}
}

func (r *running) again(t *testing.T) *Ended {
	t.Helper()
	e, err := r.client().Down(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func isNotRunning(err error) bool {
	none := (*NotRunning)(nil)
	return errors.As(err, &none)
}

// TestStaleSocket is one of a process that was killed.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // leaves the file
	if _, err := os.Stat(filepath.Join(dir, socketFile)); err != nil {
		t.Fatal(err)
	}
	begin(t, fake(dir, "exec sleep 60", &said{})).down(t)
}

// TestDeafNode is killed when it does not end by itself.
func TestDeafNode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deaf := filepath.Join(dir, "deaf")
	r := begin(t, fake(dir, "trap '' TERM; : >'"+deaf+"'; while :; do sleep 0.1; done", &said{}))
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(deaf); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the node does not say that it is deaf")
		}
	}
	start := time.Now()
	if e := r.down(t); e.Killed || time.Since(start) < Stopping {
		t.Errorf("ended %+v after %v", e, time.Since(start))
	}
}

// TestRewrite writes cluster.json as soon as it can be written.
func TestRewrite(t *testing.T) {
	dir := t.TempDir()
	s, err := site.Create(dir, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fleet{opt: Options{Dir: dir, Say: (&said{}).say}, site: s}
	path := filepath.Join(dir, "cluster.json")
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Join(path, "in the way"), 0o700)); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	err = f.save()
	f.mu.Unlock()
	if err == nil {
		t.Fatal("a directory was replaced by a file")
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	f.rewrite()
	if _, err := site.Open(dir); err != nil {
		t.Error(err)
	}
}

// TestEnterUndone leaves nothing of a node for which there are no ports.
func TestEnterUndone(t *testing.T) {
	dir := t.TempDir()
	s, err := site.Create(dir, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fleet{opt: Options{Dir: dir, Say: (&said{}).say}, site: s, ready: true, ctx: t.Context(), ports: newPorts()}
	for port := range 1 << 16 {
		f.ports.reserved[fmt.Sprintf("127.0.0.1:%d", port)] = &net.UnixListener{}
	}
	if _, err := f.enter("late"); err == nil || !strings.Contains(err.Error(), "0 of 2 ports") {
		t.Errorf("without ports: %v", err)
	}
	if _, err := os.Stat(s.NodeDir("late")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is there: %v", err)
	}
	if f.card("late") != nil {
		t.Error("it is a node")
	}
}

// TestLeft ends what has outlived its fleet: it does not end by itself.
func TestLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")
	cmd.Env = append(os.Environ(), marker+"="+filepath.Join(dir, "nodes", "n1"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	if n := len(left(filepath.Join(dir, "nodes", "n"))); n != 0 {
		t.Errorf("%d processes of a folder whose name begins alike", n)
	}
	for len(left(filepath.Join(dir, "nodes"))) == 0 { // until it has its environment
		time.Sleep(time.Millisecond)
	}
	r := begin(t, fake(dir, "exec sleep 60", &said{}))
	if syscall.Kill(cmd.Process.Pid, 0) == nil {
		t.Error("it is there still")
	}
	r.down(t)
}

// TestPortTaken moves a node whose port somebody else has, and says who.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	heard := &said{}
	dir := t.TempDir()
	begin(t, fake(dir, "exec sleep 60", heard)).down(t)
	before, err := site.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{before.Nodes[1].Address, before.Nodes[0].ControlClient, before.Nodes[0].ControlPeer} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	begin(t, fake(dir, "exec sleep 60", heard)).down(t)
	after, err := site.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if after.Nodes[1].Address == before.Nodes[1].Address || after.Nodes[1].Metrics != before.Nodes[1].Metrics {
		t.Errorf("n2 was at %+v and is at %+v", before.Nodes[1], after.Nodes[1])
	}
	if after.Nodes[0].ControlClient == before.Nodes[0].ControlClient || after.Endpoints[0] != after.Nodes[0].ControlClient {
		t.Errorf("the records were at %v and are at %v", before.Endpoints, after.Endpoints)
	}
	if after.Nodes[0].ControlPeer == before.Nodes[0].ControlPeer {
		t.Errorf("members are still at %s", after.Nodes[0].ControlPeer)
	}
	if text := strings.Join(heard.of("moved", "n2"), "\n"); !strings.Contains(text, fmt.Sprintf("(pid %d) has %s", os.Getpid(), before.Nodes[1].Address)) {
		t.Errorf("said %q", text)
	}
}

// TestMovable lets members of etcd move as long as one stays.
func TestMovable(t *testing.T) {
	three := []site.NodeCard{{Name: "n1", ControlPeer: "1"}, {Name: "n2", ControlPeer: "2"}, {Name: "n3", ControlPeer: "3"}, {Name: "n4"}}
	for _, c := range []struct {
		nodes   []site.NodeCard
		moved   string
		forming bool
		ok      bool
	}{
		{three, "", false, true},
		{three, "n2", false, true},
		{three, "n2 n3", false, false},
		{three, "", true, false},
		{three[:1], "", false, true},
	} {
		f := &Fleet{site: &site.Site{Card: site.Card{Nodes: c.nodes, Forming: c.forming}}, moved: map[string]bool{}}
		for _, n := range strings.Fields(c.moved) {
			f.moved[n] = true
		}
		if err := f.movable("n1", "127.0.0.1:1", errReserved); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSpare goes on with a good certificate where a new one could not be written, and with
// no other.
func TestSpare(t *testing.T) {
	dir := t.TempDir()
	s, err := site.Create(dir, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	heard := &said{}
	f := &Fleet{opt: Options{Say: heard.say}, site: s}
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	if err := f.spare(full, filepath.Join(dir, "client")); err != nil || len(heard.of("said", "")) != 1 {
		t.Errorf("with a good one: %v, said %v", err, heard.list)
	}
	if err := f.spare(full, filepath.Join(dir, "nodes", "n1", "identity")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("with none: %v", err)
	}
	if err := f.spare(syscall.EACCES, filepath.Join(dir, "client")); err != syscall.EACCES {
		t.Errorf("with another error: %v", err)
	}
}

// TestFolderRemoved starts a node again whose folder somebody has removed, with a certificate.
func TestFolderRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, fake(dir, "exec sleep 60", &said{}))
	s, err := site.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := r.node(t, "n2", func(n NodeState) bool { return n.Pid != 0 })
	if err := os.RemoveAll(s.NodeDir("n2")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() { // it waits for a real node to answer
		_, _ = r.client().Restart(ctx, "n2")
		close(asked)
	}()
	r.node(t, "n2", func(n NodeState) bool { return n.Starts > before.Starts && n.Pid != 0 })
	cancel()
	<-asked
	if id, err := identity.Load(filepath.Join(s.NodeDir("n2"), "identity")); err != nil || id.Current() != nil {
		t.Errorf("its certificate: %v", err)
	}
	r.down(t)
}

// node waits until a node is so.
func (r *running) node(t *testing.T, name string, so func(NodeState) bool) NodeState {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(look) {
		s, err := r.client().State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range s.Nodes {
			if n.Name == name && so(n) {
				return n
			}
		}
		if time.Now().After(end) {
			t.Fatalf("node %s: %+v", name, s.Nodes)
		}
	}
}
