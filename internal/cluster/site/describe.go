package site

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a node that has begun. Out: a description of its machine, in its directory and in the catalogue. It is measured once, while the node has
// nothing to do: a measurement beside work is wrong, and the work is slow. Nodes of one machine measure one after the other, and those that come
// later take what the first has found.

const (
	// calibrateAfter is how long a node has to run, and calibrateIdle for how long it has had nothing to do, before it measures.
	calibrateAfter = 30 * time.Second
	calibrateIdle  = 5 * time.Second
	// calibrateTime is the most that it may take.
	calibrateTime = 2 * time.Minute
)

func (cfg *NodeConfig) machineFile() string { return filepath.Join(cfg.Dir, "machine.toml") }

// machine is what was measured here before, by this node or by the user; nil if nothing was.
func (cfg *NodeConfig) machine() *machine.Machine {
	if m, err := machine.Load(cfg.machineFile()); err == nil {
		return m
	}
	if m := machine.Here(); m.Measured != "" {
		return m
	}
	return nil
}

// described is the text of it; "" if nothing was measured.
func (cfg *NodeConfig) described() string {
	m := cfg.machine()
	if m == nil {
		return ""
	}
	text, err := m.Short()
	if err != nil {
		return ""
	}
	return string(text)
}

// describe measures the machine once, unless that has been done.
func (cfg *NodeConfig) describe(ctx context.Context, d *daemon.Daemon) {
	if cfg.Calibrate == nil || cfg.machine() != nil || !idle(ctx, d) {
		return
	}
	m, err := cfg.measure(ctx)
	if err == nil {
		err = d.Describe(ctx, m)
	}
	if err != nil && ctx.Err() == nil {
		cfg.Log.Warn("the machine was not measured; plans take it to be like the one of the caller", "reason", err)
		return
	}
	cfg.Log.Info("the machine is measured", "file", cfg.machineFile())
}

// idle waits until the node has run for a while and has nothing to do; false if ctx ends before.
func idle(ctx context.Context, d *daemon.Daemon) bool {
	quiet := time.Now().Add(calibrateAfter - calibrateIdle)
	for time.Since(quiet) < calibrateIdle {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Second):
		}
		if now := time.Now(); d.Busy() && now.After(quiet) {
			quiet = now
		}
	}
	return true
}

// measure measures, while no other node of this machine does; what another one has found meanwhile is taken.
func (cfg *NodeConfig) measure(ctx context.Context) (*machine.Machine, error) {
	ctx, cancel := context.WithTimeout(ctx, calibrateTime)
	defer cancel()
	unlock, err := turn(ctx, filepath.Join(os.TempDir(), "godwit-calibrate.lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	m, err := beside(cfg.machineFile())
	if err != nil {
		m, err = cfg.Calibrate(ctx)
	}
	if err != nil {
		return nil, err
	}
	return m, m.Save(cfg.machineFile())
}

// beside is what another node of the same directory of nodes has found.
func beside(file string) (*machine.Machine, error) {
	list, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(file)), "*", filepath.Base(file)))
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if m, err := machine.Load(f); err == nil {
			return m, nil
		}
	}
	return nil, os.ErrNotExist
}

// turn waits for a lock that ends with the process.
func turn(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
	return func() { _ = f.Close() }, nil
}
