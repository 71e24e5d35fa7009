package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// processes are those of one cluster: `godwit up` and its nodes.
type processes struct {
	godwitPath string
	dir        string // the cluster's folder
	log        *journal
	report     *Report
	account    *account
	serial     atomic.Int64

	mu     sync.Mutex
	up     *exec.Cmd
	upGone chan struct{}
	upping bool                // up itself is being started again
	known  map[string]int      // process ids
	spent  map[string]*trouble // nodes that were ended by the harness
	peers  map[uint32]string   // numbers of nodes
	mounts []string
}

func nodeName(i int) string { return "n" + strconv.Itoa(i+1) }

var names = func() (list []string) {
	for i := range nodeCount {
		list = append(list, nodeName(i))
	}
	return list
}()

func newCluster(godwit, dir string, j *journal, r *Report, a *account) *processes {
	return &processes{godwitPath: godwit, dir: filepath.Join(dir, "cluster"), log: j, report: r, account: a,
		known: map[string]int{}, spent: map[string]*trouble{}, peers: map[uint32]string{}}
}

// output is what a command left.
type output struct {
	stdout, stderr string
	code           int
	killed         bool // it did not end by its limit
}

// godwit runs one command. A command that does not end by its limit is killed.
func (c *processes) godwit(ctx context.Context, limit time.Duration, words ...string) *output {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.godwitPath, words...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	o := &output{stdout: stdout.String(), stderr: stderr.String()}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		o.code = exit.ExitCode()
	} else if err != nil {
		o.code, o.stderr = -1, o.stderr+err.Error()
	}
	o.killed = ctx.Err() != nil && err != nil
	return o
}

// startLimit is for a cluster on a busy machine.
const startLimit = 90 * time.Second

// start starts `up` and waits until it says that all nodes are ready.
func (c *processes) start(ctx context.Context) error {
	if err := c.begin(); err != nil {
		return err
	}
	for end := time.Now().Add(startLimit); !c.ready(); time.Sleep(100 * time.Millisecond) {
		text, _ := os.ReadFile(c.upLog())
		select {
		case <-c.upGone:
			return fmt.Errorf("godwit up ended: %s", text)
		default:
		}
		if time.Now().After(end) {
			return fmt.Errorf("godwit up is not ready after %v: %s", startLimit, text)
		}
	}
	c.remember()
	return nil
}

func (c *processes) upLog() string { return c.dir + ".up" }

// begin starts `up` anew. Its nodes end with it, and it with the harness.
func (c *processes) begin() error {
	log, err := os.OpenFile(c.upLog(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(c.godwitPath, "up", "-n", strconv.Itoa(nodeCount), "--cluster", c.dir, "--repair-after", repairAfter.String(), "--calibrate=false")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(gone)
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up, c.upGone = cmd, gone
	return nil
}

func (c *processes) ready() bool {
	text, err := os.ReadFile(c.upLog())
	return err == nil && bytes.Contains(text, []byte("ready"))
}

// remember notes process ids.
func (c *processes) remember() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range nodeCount {
		c.known[nodeName(i)] = c.pid(nodeName(i))
	}
}

func (c *processes) folder(name string) string { return filepath.Join(c.dir, "nodes", name) }

// pid is a node's process, 0 if it is not known.
func (c *processes) pid(name string) int {
	text, err := os.ReadFile(filepath.Join(c.folder(name), "pid"))
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// runs reports a process that is there and no zombie.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z'
}

// kill ends a node, with a trouble that lasts until it is back.
func (c *processes) kill(name string, sig syscall.Signal) *trouble {
	t := c.account.begin(trouble{node: name, kind: "ended by " + sig.String()})
	c.mu.Lock()
	c.spent[name] = t
	pid := c.pid(name)
	c.mu.Unlock()
	_ = syscall.Kill(pid, sig) // it may have ended
	return t
}

// termLimit is how long a node may take to end after SIGTERM.
const termLimit = 15 * time.Second

// awaitEnd waits until a node that was told to end has ended.
func (c *processes) awaitEnd(name string, pid int) {
	for end := time.Now().Add(termLimit); runs(pid); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.report.find("does not end", "node %s runs %v after SIGTERM", name, termLimit)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

// revive waits until `up` has started a node again, and asks it to where it does not.
func (c *processes) revive(ctx context.Context, name string) {
	for end := time.Now().Add(Reviving); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if runs(c.pid(name)) {
			return
		}
	}
	o := c.godwit(ctx, startLimit, "restart", name, "--cluster", c.dir)
	c.log.say("godwit restart %s: %s%s", name, strings.TrimSpace(o.stdout), strings.TrimSpace(o.stderr))
	if o.code != 0 && !runs(c.pid(name)) && ctx.Err() == nil {
		c.report.find("not restarted", "godwit restart %s: exit code %d: %s", name, o.code, o.stderr)
	}
}

// end ends everything, and says so if something is left.
func (c *processes) end() {
	c.mu.Lock()
	up, gone := c.up, c.upGone
	c.mu.Unlock()
	for i := range nodeCount {
		_ = syscall.Kill(c.pid(nodeName(i)), syscall.SIGCONT) // a stopped one ends only then
	}
	if up != nil {
		_ = up.Process.Signal(syscall.SIGINT)
		select {
		case <-gone:
		case <-time.After(30 * time.Second):
			c.report.find("does not end", "godwit up runs 30 s after an interrupt")
			_ = up.Process.Kill()
		}
	}
	for i := range nodeCount {
		if pid := c.pid(nodeName(i)); pid > 0 && runs(pid) {
			c.awaitEnd(nodeName(i), pid)
		}
	}
	c.unmount()
}

// tail is the end of a node's log.
func (c *processes) tail(name string) string {
	f, err := os.Open(filepath.Join(c.folder(name), "log"))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if n, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, n-600), io.SeekStart)
	}
	text, _ := io.ReadAll(f)
	return string(text)
}
