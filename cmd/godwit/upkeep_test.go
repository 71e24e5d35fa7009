package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// endClusters ends what scripts have left running in the background.
func endClusters(dir string) {
	locks, _ := filepath.Glob(filepath.Join(dir, "*", "lock"))
	deeper, _ := filepath.Glob(filepath.Join(dir, "*", "*", "lock"))
	for _, l := range append(locks, deeper...) {
		_, _ = fleet.NewClient(filepath.Dir(l)).Down(context.Background(), time.Second) // nothing may run
	}
}

// ready waits until a node answers again, under another process than the one of its last
// signal.
func (r *rig) ready(args []string) {
	r.until(startLimit, args[0]+" is ready", func() bool {
		s, err := fleet.NewClient(r.dir()).State(context.Background())
		if err != nil {
			return false
		}
		for _, n := range s.Nodes {
			if n.Name == args[0] {
				return n.State == fleet.Ready && n.Pid != 0 && processRuns(n.Pid)
			}
		}
		return false
	})
}

func (r *rig) noted(args []string) {
	r.until(settleLimit, "the number of "+args[0]+" is written", func() bool {
		_, err := os.Stat(r.pidFile(args[0]))
		return err == nil && processRuns(r.pid(args[0]))
	})
}

// still is how long a disk must stay full: whoever keeps a reserve gives it up by and by.
const still = 3 * time.Second

// fill takes all space of a disk, to the last byte, and what is given up afterwards.
func (r *rig) fill(args []string) {
	f, err := os.Create(filepath.Join(r.ts.MkAbs(args[0]), "fill"))
	r.ts.Check(err)
	defer f.Close()
	for last := time.Now(); time.Since(last) < still; time.Sleep(10 * time.Millisecond) {
		for chunk := make([]byte, 1<<20); len(chunk) > 0; {
			n, err := f.Write(chunk)
			if n > 0 {
				last = time.Now()
			}
			if err != nil {
				if !errors.Is(err, syscall.ENOSPC) {
					r.ts.Fatalf("the disk is not full: %v", err)
				}
				chunk = chunk[:len(chunk)/2]
			}
		}
	}
}

func (r *rig) empty(args []string) {
	r.ts.Check(os.Remove(filepath.Join(r.ts.MkAbs(args[0]), "fill")))
}

func (r *rig) occupy(args []string) {
	s, err := site.Open(r.dir())
	r.ts.Check(err)
	for _, n := range s.Nodes {
		if n.Name != args[0] {
			continue
		}
		text, err := json.Marshal(n)
		r.ts.Check(err)
		var seats map[string]string
		r.ts.Check(json.Unmarshal(text, &seats))
		l, err := net.Listen("tcp", seats[args[1]])
		r.ts.Check(err)
		r.occupied = append(r.occupied, l)
		return
	}
	r.ts.Fatalf("no node %s", args[0])
}

func (r *rig) free([]string) {
	for _, l := range r.occupied {
		l.Close()
	}
	r.occupied = nil
}

func (r *rig) killNodes([]string) {
	for _, name := range r.names() {
		if pid := r.pid(name); processRuns(pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may end just now
		}
	}
}

func (r *rig) locked([]string) {
	f, err := os.Open(r.pidFile("up"))
	r.ts.Check(err)
	defer f.Close()
	r.until(startLimit, "the lock is held", func() bool {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
			return true
		}
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		return false
	})
}

func (r *rig) hasEnded([]string) {
	select {
	case err := <-r.ended:
		r.main = nil
		r.ts.Check(err)
	case <-time.After(endLimit):
		r.ts.Fatalf("godwit up has not ended after %v", endLimit)
	}
}
