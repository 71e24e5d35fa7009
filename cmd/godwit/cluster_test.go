package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// Limits of what scripts wait for. They are generous, for machines that are busy.
const (
	startLimit  = 60 * time.Second
	endLimit    = 20 * time.Second
	settleLimit = 30 * time.Second
)

// clusterCommands are the script commands
//
//	up ARG...            godwit up in the background, until its nodes are ready; if absent, --ttl is 30s and --restarts 0
//	down                 ends it; no process may be left after 20 s
//	signal NAME SIGNAL   to a node, or to the godwit up that has the folder's lock: KILL, STOP or CONT
//	ready NAME           waits until godwit up says that a node is ready that was started again
//	noted NAME           waits until a node's number is written beside it, and is that of a process
//	fill DIR             fills the disk of DIR, also what is given up of reserves meanwhile
//	empty DIR            stops that
//	occupy NAME SEAT     listens at a node's address until the script ends: address, metrics, control_client or control_peer
//	free                 stops that
//	killnodes            kills all nodes
//	locked               waits until a godwit up has the folder's lock
//	ended                waits until the godwit up of the command up has ended, without an error
//	restart NAME         starts a killed node again with the same command line
//	walking              waits until states move between the nodes
//	dead NAME            waits until the cluster has noticed that a node is dead
//	settled              waits until no node has anything in hand
//	remember             notes what every node holds: descriptors, goroutines, memory
//	unchanged            compares with that
//	back FILE            waits until a file is there again
//	clock                starts a clock
//	within DURATION      fails if it shows more
//
// The cluster's directory is that of GODWIT_CLUSTER, which scripts set.
func clusterCommands() map[string]func(*testscript.TestScript, bool, []string) {
	list := map[string]func(*rig, []string){
		"up": (*rig).up, "down": (*rig).down, "signal": (*rig).signal, "restart": (*rig).restart, "walking": (*rig).walking,
		"dead": (*rig).dead, "settled": (*rig).settled, "remember": (*rig).remember, "unchanged": (*rig).unchanged,
		"ready": (*rig).ready, "noted": (*rig).noted, "fill": (*rig).fill, "empty": (*rig).empty,
		"occupy": (*rig).occupy, "free": (*rig).free, "killnodes": (*rig).killNodes, "locked": (*rig).locked, "ended": (*rig).hasEnded,
		"back": (*rig).back, "clock": (*rig).clock, "within": (*rig).within,
	}
	all := map[string]func(*testscript.TestScript, bool, []string){}
	for name, f := range list {
		all[name] = func(ts *testscript.TestScript, _ bool, args []string) { f(rigOf(ts), args) }
	}
	return all
}

// rig is the cluster of one script.
type rig struct {
	ts      *testscript.TestScript
	started time.Time

	main  *exec.Cmd
	said  *bytes.Buffer
	ended chan error
	lines map[string][]string // command lines of nodes by name
	extra []*exec.Cmd         // nodes that were started again

	before   map[string]holding
	occupied []net.Listener
}

var rigs sync.Map // *testscript.TestScript → *rig

func rigOf(ts *testscript.TestScript) *rig {
	r, old := rigs.LoadOrStore(ts, &rig{ts: ts, lines: map[string][]string{}})
	if !old {
		ts.Defer(func() {
			r.(*rig).free(nil)
			r.(*rig).kill()
			rigs.Delete(ts)
		})
	}
	return r.(*rig)
}

func (r *rig) dir() string { return r.ts.MkAbs(r.ts.Getenv("GODWIT_CLUSTER")) }

// command is a godwit with the script's environment.
func (r *rig) command(args ...string) *exec.Cmd {
	path, err := exec.LookPath("godwit")
	r.ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir = r.ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "GODWIT_CLUSTER="+r.dir())
	return cmd
}

// lines is a writer that says when a line with a word is there.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	word string
	seen chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := strings.Contains(l.text.String(), l.word)
	l.text.Write(p)
	if !had && strings.Contains(l.text.String(), l.word) {
		close(l.seen)
	}
	return len(p), nil
}

func (r *rig) up(args []string) {
	if !slices.Contains(args, "--ttl") {
		args = append(args, "--ttl", "30s") // so that no lease ends while the machine is busy
	}
	if !slices.Contains(args, "--restarts") {
		args = append(args, "--restarts", "0") // scripts say when a node comes back
	}
	cmd := r.command(append([]string{"up", "--calibrate=false"}, args...)...)
	out := &lines{word: "ready", seen: make(chan struct{})}
	r.said = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, r.said
	r.ts.Check(cmd.Start())
	r.main, r.ended = cmd, make(chan error, 1)
	go func() { r.ended <- cmd.Wait() }()
	select {
	case <-out.seen:
	case err := <-r.ended:
		r.main = nil
		r.ts.Fatalf("godwit up ended: %v: %s", err, r.said)
	case <-time.After(startLimit):
		r.ts.Fatalf("godwit up is not ready after %v", startLimit)
	}
	r.ts.Logf("%s", strings.TrimSpace(out.text.String()))
	for _, name := range r.names() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", r.pid(name)))
		r.ts.Check(err)
		r.lines[name] = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	}
}

func (r *rig) names() []string {
	s, err := site.Open(r.dir())
	r.ts.Check(err)
	var list []string
	for _, n := range s.Nodes {
		list = append(list, n.Name)
	}
	return list
}

func (r *rig) pidFile(name string) string {
	if name == "up" {
		return filepath.Join(r.dir(), "lock")
	}
	return filepath.Join(r.dir(), "nodes", name, "pid")
}

func (r *rig) pid(name string) int {
	text, err := os.ReadFile(r.pidFile(name))
	r.ts.Check(err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	r.ts.Check(err)
	return pid
}

// down ends the cluster as an interrupt does.
func (r *rig) down([]string) {
	var pids []int
	for _, name := range r.names() {
		pids = append(pids, r.pid(name))
	}
	start := time.Now()
	for _, cmd := range r.extra {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	}
	r.ts.Check(r.main.Process.Signal(syscall.SIGINT))
	select {
	case err := <-r.ended:
		if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == exitInterrupted) {
			r.ts.Fatalf("godwit up ended with %v: %s", err, r.said)
		}
	case <-time.After(endLimit):
		r.ts.Fatalf("godwit up did not end within %v: %s", endLimit, r.said)
	}
	r.main = nil
	for _, pid := range pids {
		for processRuns(pid) {
			if time.Since(start) > endLimit {
				r.ts.Fatalf("node process %d is left after %v", pid, endLimit)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	r.extra = nil
}

// processRuns reports a process that is there and no zombie.
func processRuns(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z'
}

// kill ends whatever is left when a script fails.
func (r *rig) kill() {
	for _, cmd := range r.extra {
		_ = cmd.Process.Kill()
	}
	if r.main == nil {
		return
	}
	for name := range r.lines {
		if pid := r.pid(name); processRuns(pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = r.main.Process.Kill()
	<-r.ended
}

var signals = map[string]syscall.Signal{"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT, "TERM": syscall.SIGTERM}

func (r *rig) signal(args []string) {
	sig, ok := signals[args[1]]
	if !ok {
		r.ts.Fatalf("no signal %s", args[1])
	}
	pid := r.pid(args[0])
	r.ts.Check(syscall.Kill(pid, sig))
	r.until(settleLimit, args[0]+" is gone", func() bool { return sig != syscall.SIGKILL || !processRuns(pid) })
}

// restart starts a node again, and waits until it is a member under a new life.
func (r *rig) restart(args []string) {
	name := args[0]
	old := r.lives()[name]
	cmd := exec.Command(r.lines[name][0], r.lines[name][1:]...)
	cmd.Dir = r.ts.MkAbs(".")
	log, err := os.OpenFile(filepath.Join(r.dir(), "nodes", name, "log"), os.O_APPEND|os.O_WRONLY, 0)
	r.ts.Check(err)
	defer log.Close()
	cmd.Stderr = log
	r.ts.Check(cmd.Start())
	go func() { _ = cmd.Wait() }() // how it ended is of no interest
	r.extra = append(r.extra, cmd)
	r.ts.Check(os.WriteFile(r.pidFile(name), fmt.Appendln(nil, cmd.Process.Pid), 0o600))
	r.until(startLimit, name+" is a member again", func() bool { return r.lives()[name] > old })
}

// lives are the incarnations of the nodes that are alive, none if nobody says.
func (r *rig) lives() map[string]int64 {
	list := map[string]int64{}
	r.ask(func(n *nodeStatus) { list[n.Name] = n.Incarnation })
	return list
}

type nodeStatus struct {
	Name        string
	Incarnation int64
	Error       string
	Report      *daemon.Report
}

// ask asks all nodes that are alive how they are. It reports whether all answered.
func (r *rig) ask(each func(*nodeStatus)) bool {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	c, err := site.Connect(ctx, r.dir(), site.Options{})
	if err != nil {
		return false
	}
	defer c.Close()
	nodes, err := c.Status(ctx)
	if err != nil {
		return false
	}
	whole := true
	for _, n := range nodes {
		s := &nodeStatus{Name: n.Name, Incarnation: n.Incarnation, Error: n.Error}
		if n.Error == "" {
			s.Report = new(daemon.Report)
			r.ts.Check(json.Unmarshal(n.Report, s.Report))
		}
		whole = whole && n.Error == ""
		each(s)
	}
	return whole
}

// until waits until something is so.
func (r *rig) until(limit time.Duration, what string, so func() bool) {
	for end := time.Now().Add(limit); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.ts.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// walking waits until nodes have taken many more parcels with states.
func (r *rig) walking([]string) {
	first := int64(-1)
	r.until(settleLimit, "states move", func() bool {
		n := int64(0)
		r.ask(func(s *nodeStatus) {
			if s.Report != nil {
				n += s.Report.Core.In["walk"]
			}
		})
		if first < 0 {
			first = n
		}
		return n > first+100
	})
}

func (r *rig) dead(args []string) {
	r.until(settleLimit, args[0]+" is no member any more", func() bool {
		lives := r.lives()
		_, alive := lives[args[0]]
		return len(lives) > 0 && !alive
	})
}

func (r *rig) settled([]string) {
	r.until(settleLimit, "nodes have nothing in hand but the question", func() bool {
		idle := true
		return r.ask(func(s *nodeStatus) {
			idle = idle && s.Report != nil && s.Report.Core.Requests <= 1 && s.Report.Core.Jobs <= 1
		}) && idle
	})
}

// holding is what a node keeps as long as it does.
type holding struct {
	descriptors, goroutines int
	arena                   int64
}

// holdings are none if not all nodes answer.
func (r *rig) holdings() map[string]holding {
	list := map[string]holding{}
	whole := r.ask(func(s *nodeStatus) {
		if s.Report == nil {
			return
		}
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.pid(s.Name)))
		r.ts.Check(err)
		list[s.Name] = holding{len(fds), s.Report.Goroutines, s.Report.Arena}
	})
	if !whole {
		return nil
	}
	return list
}

func (r *rig) remember([]string) {
	r.until(settleLimit, "all nodes say what they hold", func() bool {
		r.before = r.holdings()
		return r.before != nil
	})
}

// unchanged allows a little more of each: connections with clients end by and by, and
// a node may start a compiler and a spare worker, with four descriptors each.
func (r *rig) unchanged([]string) {
	var now map[string]holding
	less := func() bool {
		now = r.holdings()
		for name, was := range r.before {
			is, ok := now[name]
			if !ok || is.descriptors > was.descriptors+12 || is.goroutines > was.goroutines+12 || is.arena > was.arena+(2<<20) {
				return false
			}
		}
		return len(r.before) > 0
	}
	for end := time.Now().Add(settleLimit); !less(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			r.ts.Fatalf("nodes hold more than before:\nbefore %+v\nnow    %+v", r.before, now)
		}
	}
	r.ts.Logf("before %+v\nnow    %+v", r.before, now)
}

func (r *rig) back(args []string) {
	r.until(settleLimit, args[0]+" is there again", func() bool {
		_, err := os.Stat(args[0])
		return err == nil
	})
}

func (r *rig) clock([]string) { r.started = time.Now() }

func (r *rig) within(args []string) {
	limit, err := time.ParseDuration(args[0])
	r.ts.Check(err)
	if took := time.Since(r.started); took > limit {
		r.ts.Fatalf("took %v, at most %v was expected", took, limit)
	}
}
