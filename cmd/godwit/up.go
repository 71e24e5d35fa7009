package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/site"
)

// controlMembers is how many of the nodes keep the cluster's records: enough to
// go on without one.
const controlMembers = 3

// stopping is how long nodes get to end by themselves.
const stopping = 5 * time.Second

// upping is one godwit up.
type upping struct {
	dir     string
	nodes   int
	ttl     time.Duration
	memory  bool
	limits  limitFlags
	native  packageFlags
	disk    diskFlags
	etcd    []string
	verbose bool
	log     string
}

func newUp() *cobra.Command {
	u := &upping{}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster of nodes on this machine",
		Long: `Start a cluster of nodes on this machine and wait. An interrupt ends all of
them. The cluster's directory keeps its certificates and data: another
godwit up with the same directory brings the same cluster back.`,
		Example: "  godwit up -n 4\n  godwit up -n 4 --cluster /data/cluster --ttl 3s",
		Args:    cobra.NoArgs,
		RunE:    action(func(cmd *cobra.Command, _ []string) error { return u.run(cmd) }),
	}
	clusterFlag(cmd, &u.dir)
	cmd.Flags().IntVarP(&u.nodes, "nodes", "n", 4, "number of nodes")
	cmd.Flags().DurationVar(&u.ttl, "ttl", 5*time.Second, "after which time without a sign of life a node counts as dead; at least 2s")
	cmd.Flags().BoolVar(&u.memory, "memory", false, "nodes keep data in memory only")
	cmd.Flags().StringSliceVar(&u.etcd, "etcd", nil, "use an etcd cluster that runs elsewhere, HOST:PORT,..., instead of one inside of the nodes")
	cmd.Flags().BoolVarP(&u.verbose, "verbose", "v", false, "print the nodes' logs")
	cmd.Flags().StringVar(&u.log, "log", "info", "what nodes log: debug (every parcel, with its trace), info, warn or error")
	u.limits.add(cmd)
	u.native.add(cmd)
	u.disk.add(cmd)
	return cmd
}

// clusterFlag adds --cluster, the directory of a cluster.
func clusterFlag(cmd *cobra.Command, dir *string) {
	usual := os.Getenv("GODWIT_CLUSTER")
	if usual == "" {
		usual = ".godwit"
	}
	cmd.Flags().StringVar(dir, "cluster", usual, "directory of the cluster; GODWIT_CLUSTER is the default if set")
}

func (u *upping) run(cmd *cobra.Command) error {
	if u.nodes < 1 || u.nodes > 64 {
		return &godwit.InputError{Text: fmt.Sprintf("-n is %d", u.nodes), Help: "use 1 to 64 nodes on one machine"}
	}
	if u.ttl < 2*time.Second {
		return &godwit.InputError{Text: fmt.Sprintf("--ttl is %s", u.ttl), Help: "use 2s or more"}
	}
	lock, err := u.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	s, err := u.site()
	if err != nil {
		return err
	}
	start := time.Now()
	f := &fleet{out: cmd.ErrOrStderr(), verbose: u.verbose, ended: make(chan string, u.nodes)}
	defer f.stop()
	for i := range s.Nodes {
		if err := f.start(u.command(s, &s.Nodes[i]), s.Nodes[i].Name, s.NodeDir(s.Nodes[i].Name)); err != nil {
			return err
		}
	}
	if err := f.ready(cmd.Context(), s); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d nodes are ready in %s, after %.1f s; interrupt to end them\n", len(s.Nodes), s.Dir, time.Since(start).Seconds())
	return f.wait(cmd.Context())
}

// lock keeps a second godwit up from the directory, whose certificates it would replace.
func (u *upping) lock() (*os.File, error) {
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(u.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, &godwit.InputError{Text: fmt.Sprintf("the cluster in %s is running already", u.dir), Err: err,
			Help: "use it, end it with an interrupt, or name another directory with --cluster"}
	}
	return f, nil
}

// site opens the cluster's directory, or makes one.
func (u *upping) site() (*site.Site, error) {
	s, err := site.Open(u.dir)
	if none := (*site.NoSiteError)(nil); errors.As(err, &none) {
		s, err = site.Create(u.dir, u.ttl)
	}
	if err != nil {
		return nil, err
	}
	s.TTL = int(u.ttl.Seconds())
	if len(s.Nodes) == 0 {
		if err := u.place(s); err != nil {
			return nil, err
		}
	}
	if len(s.Nodes) != u.nodes {
		return nil, &godwit.InputError{Text: fmt.Sprintf("the cluster in %s has %d nodes, not %d", u.dir, len(s.Nodes), u.nodes),
			Help: fmt.Sprintf("start it with -n %d, or remove the directory, or name another one with --cluster", len(s.Nodes))}
	}
	if err := s.IssueClient(); err != nil {
		return nil, err
	}
	for _, n := range s.Nodes {
		if _, err := s.IssueNode(n.Name, "127.0.0.1", "localhost"); err != nil {
			return nil, err
		}
	}
	return s, s.Save()
}

// place gives every node its ports.
func (u *upping) place(s *site.Site) error {
	members := min(controlMembers, u.nodes)
	if u.nodes == 2 {
		members = 1 // two would be lost together
	}
	if len(u.etcd) > 0 {
		members, s.Endpoints = 0, u.etcd
	}
	ports, err := freePorts(2*u.nodes + 2*members)
	if err != nil {
		return err
	}
	next := func() string { p := ports[0]; ports = ports[1:]; return p }
	for i := range u.nodes {
		n := site.NodeCard{Name: "n" + strconv.Itoa(i+1), Address: next(), Metrics: next()}
		if i < members {
			n.ControlClient, n.ControlPeer = next(), next()
			s.Endpoints = append(s.Endpoints, n.ControlClient)
		}
		s.Nodes = append(s.Nodes, n)
	}
	return nil
}

// command is the process of one node.
func (u *upping) command(s *site.Site, n *site.NodeCard) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	args := []string{"node", "--name", n.Name, "--dir", s.NodeDir(n.Name), "--listen", n.Address, "--metrics", n.Metrics, "--ttl", u.ttl.String(), "--log", u.log}
	if n.ControlClient == "" {
		args = append(args, "--etcd", strings.Join(s.Endpoints, ","))
	} else {
		var members []string
		for _, m := range s.Nodes {
			if m.ControlPeer != "" {
				members = append(members, m.Name+"="+m.ControlPeer)
			}
		}
		args = append(args, "--control", n.ControlClient, "--control-peer", n.ControlPeer, "--control-members", strings.Join(members, ","))
	}
	if u.memory {
		args = append(args, "--memory")
	}
	return exec.Command(self, slices.Concat(args, u.limits.args(), u.native.args(), u.disk.args())...)
}

// fleet is the processes of a cluster.
type fleet struct {
	out     io.Writer
	verbose bool
	ended   chan string // why a node ended

	mu    sync.Mutex
	procs []*os.Process
	alive sync.WaitGroup
	over  bool
}

// start starts a node. Its directory gets its log, and its process id as the file pid.
func (f *fleet) start(cmd *exec.Cmd, name, dir string) error {
	log := filepath.Join(dir, "log")
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd.Stderr, cmd.Stdout = file, file
	if f.verbose {
		cmd.Stderr = io.MultiWriter(file, f.out)
	}
	// Nodes end with this process however it ends, and get no signal from the terminal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, file.Close())
	}
	f.mu.Lock()
	f.procs = append(f.procs, cmd.Process)
	f.mu.Unlock()
	f.alive.Go(func() {
		err := cmd.Wait()
		file.Close() // not before: with -v the log is written by this process
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.over {
			f.ended <- fmt.Sprintf("node %s ended: %v; its log is %s", name, endOf(err), log)
		}
	})
	return os.WriteFile(filepath.Join(dir, "pid"), fmt.Appendln(nil, cmd.Process.Pid), 0o600)
}

func endOf(err error) string {
	if err == nil {
		return "it stopped by itself"
	}
	return err.Error()
}

// ready waits until all nodes are members.
func (f *fleet) ready(ctx context.Context, s *site.Site) error {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- site.Await(ctx, s, len(s.Nodes)) }()
	select {
	case err := <-done:
		return err
	case why := <-f.ended:
		return errors.New(why)
	}
}

// wait waits for the end, and tells of nodes that end before.
func (f *fleet) wait(ctx context.Context) error {
	left := len(f.procs)
	for {
		select {
		case <-ctx.Done():
			return nil
		case why := <-f.ended:
			fmt.Fprintln(f.out, why)
			if left--; left == 0 {
				return errors.New("all nodes have ended")
			}
		}
	}
}

// stop ends all nodes and waits for them.
func (f *fleet) stop() {
	f.mu.Lock()
	f.over = true
	procs := f.procs
	f.mu.Unlock()
	for _, p := range procs {
		_ = p.Signal(syscall.SIGTERM) // it may have ended
	}
	done := make(chan struct{})
	go func() { f.alive.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(stopping):
		for _, p := range procs {
			_ = p.Kill()
		}
		<-done
	}
}
