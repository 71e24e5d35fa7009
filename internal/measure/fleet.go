package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data"
)

// fleet is a cluster of node processes on this machine, for one benchmark.
type fleet struct {
	dir string
	cmd *exec.Cmd
	c   *cluster.Cluster
}

// startFleet starts n nodes that keep their data in memory, and connects.
func (s *session) startFleet(ctx context.Context, n int, flags ...string) (*fleet, error) {
	return s.startFleetAs(ctx, "cluster", nil, n, flags...)
}

// startFleetAs is startFleet for one of several fleets, with more in its environment.
func (s *session) startFleetAs(ctx context.Context, name string, env []string, n int, flags ...string) (*fleet, error) {
	if s.opt.Program == "" {
		return nil, errors.New("no godwit executable was named, so no cluster can be started")
	}
	s.progress("starting %d nodes", n)
	f := &fleet{dir: s.path(name)}
	args := append([]string{"up", "-n", fmt.Sprint(n), "--cluster", f.dir, "--memory", "--calibrate=false"}, flags...) // a node that measures takes the processors from what is measured
	f.cmd = exec.Command(s.opt.Program, args...)
	f.cmd.Stderr = os.Stderr
	f.cmd.Env = append(os.Environ(), env...)
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	if err := f.ready(out); err != nil {
		return nil, errors.Join(err, f.close())
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	if f.c, err = site.Connect(ctx, f.dir, site.Options{Admin: true}); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// ready waits for the line that says so.
func (f *fleet) ready(out io.Reader) error {
	line := make(chan string, 1)
	go func() {
		r := bufio.NewReader(out)
		text, _ := r.ReadString('\n') // what came before the end is not the line
		line <- text
		_, _ = io.Copy(io.Discard, r)
	}()
	select {
	case text := <-line:
		if !strings.Contains(text, "ready") {
			return fmt.Errorf("the cluster did not start: %s", text)
		}
		return nil
	case <-time.After(60 * time.Second):
		return errors.New("the cluster did not start within 60 s")
	}
}

// load loads n numbers as one shard.
func (f *fleet) load(ctx context.Context, name string, n int) error {
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(i%97) / 7
	}
	_, err := f.c.Load(ctx, data.FromSlice(xs), name, cluster.LoadOptions{Shards: 1, Replicas: 1})
	return err
}

func (f *fleet) close() error {
	var err error
	if f.c != nil {
		err = f.c.Close()
	}
	_ = f.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	return errors.Join(err, f.cmd.Wait())
}
