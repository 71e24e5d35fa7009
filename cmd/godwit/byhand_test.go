package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// byHand is a cluster whose nodes are started one by one, as on several
// machines: with the identities of godwit cluster, and with etcd inside of n1.
type byHand struct {
	dir     string            // where commands run
	cluster string            // the cluster's directory, in it
	address map[string]string // HOST:PORT of nodes by name
	etcd    [2]string         // HOST:PORT of n1's etcd: for clients, and for members
}

// newByHand makes the identities of nodes NAME=HOST, n1 among them.
func newByHand(t *testing.T, dir string, nodes ...string) *byHand {
	t.Helper()
	b := &byHand{dir: dir, cluster: filepath.Join(dir, "c"), address: map[string]string{}}
	free, err := fleet.FreePorts(len(nodes) + 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(host string) string {
		_, port, _ := net.SplitHostPort(free[0])
		free = free[1:]
		return net.JoinHostPort(host, port)
	}
	args := []string{"cluster"}
	for _, n := range nodes {
		name, host, _ := strings.Cut(n, "=")
		b.address[name] = at(host)
		if name == "n1" {
			b.etcd = [2]string{at(host), at(host)}
		}
		args = append(args, "--node", name+"="+b.address[name])
	}
	b.godwit(t, append(args, "--etcd", b.etcd[0])...)
	return b
}

// node starts a node until the test ends. program are the words that start
// godwit, if that is not the one under test in this place; flags are further ones.
func (b *byHand) node(t *testing.T, name string, program []string, flags ...string) {
	t.Helper()
	if len(program) == 0 {
		program = []string{path(t)}
	}
	args := append(program[1:len(program):len(program)], "node", "--name", name, "--dir", filepath.Join(b.dir, name),
		"--identity", filepath.Join(b.cluster, "nodes", name, "identity"), "--listen", b.address[name], "--ttl", "30s")
	args = append(args, flags...)
	if name == "n1" {
		args = append(args, "--control", b.etcd[0], "--control-peer", b.etcd[1], "--control-members", "n1="+b.etcd[1])
	} else {
		args = append(args, "--etcd", b.etcd[0])
	}
	cmd := exec.Command(program[0], args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		kill := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		kill.Stop()
		if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == exitInterrupted) {
			t.Errorf("node %s ended with %v; expected exit code 0 or %d within %v", name, err, exitInterrupted, endLimit)
		}
		if t.Failed() {
			t.Logf("log of node %s:\n%s", name, &log)
		}
	})
}

// path is where the binary under test is; see TestMain.
func path(t *testing.T) string {
	t.Helper()
	p, err := exec.LookPath("godwit")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// godwit runs a command, which must succeed, and gives what it printed.
func (b *byHand) godwit(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, err := b.try(b.cluster, args...)
	if err != nil {
		t.Fatalf("godwit %v: %v\n%s", args, err, stderr)
	}
	return out
}

// try runs a command with a cluster's directory, for at most two minutes.
func (b *byHand) try(cluster string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "godwit", args...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "GODWIT_CLUSTER="+cluster)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// status asks all nodes that are alive how they are.
func (b *byHand) status(t *testing.T) map[string]*nodeStatus {
	t.Helper()
	list, err := b.ask()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (b *byHand) ask() (map[string]*nodeStatus, error) {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	c, err := site.Connect(ctx, b.cluster, site.Options{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	nodes, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	list := map[string]*nodeStatus{}
	for _, n := range nodes {
		s := &nodeStatus{Name: n.Name, Incarnation: n.Incarnation, Error: n.Error, Report: new(daemon.Report)}
		if n.Error == "" {
			if err := json.Unmarshal(n.Report, s.Report); err != nil {
				return nil, err
			}
		}
		list[n.Name] = s
	}
	return list, nil
}

// await waits until so many nodes are members. Emulated ones start slowly.
func (b *byHand) await(t *testing.T, nodes int) {
	t.Helper()
	var list map[string]*nodeStatus
	var err error
	for end := time.Now().Add(startLimit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if list, err = b.ask(); len(list) == nodes {
			return
		}
	}
	t.Fatalf("not %d nodes after %v: %v, %v", nodes, startLimit, list, err)
}
