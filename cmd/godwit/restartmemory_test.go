package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
)

// TestRestartMemory: nodes that keep data in memory are not ended while nobody else has what they hold, whatever the records say: a moment after another one
// was killed, where two are to be started again at the same time, and where one is silent.
func TestRestartMemory(t *testing.T) {
	t.Parallel()
	_, c, conn, f, want := summed(t, "6", "-n", "4", "--memory", "--calibrate=false")
	there := func(when string) {
		t.Helper()
		if got := call(t, f, godwit.DataSet("x"), godwit.WithCluster(conn), godwit.WithStrategy(godwit.Ship)); got != want {
			t.Fatalf("%s: the answer is %v, expected %v", when, got, want)
		}
	}
	pid := func(node string) int {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(c, "nodes", node, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	refused := func(node, say string) {
		t.Helper()
		if _, err := fleet.NewClient(c).Restart(t.Context(), node); err == nil || !strings.Contains(err.Error(), say) {
			t.Fatalf("restart %s: %v, expected to hear %q", node, err, say)
		}
	}

	const last = "n4" // which keeps no records of the cluster, and may be taken out
	other := beside(t, conn.View(), last)
	if err := unix.Kill(pid(other), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	refused(last, "has the only replica of")
	if err := fleet.NewClient(c).Remove(t.Context(), last); err == nil || !strings.Contains(err.Error(), "has the only replica of") {
		t.Fatalf("remove %s: %v", last, err)
	}
	there("after one was killed")
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if held := replicas(conn); held == 12 {
			break
		} else if time.Now().After(until) {
			t.Fatalf("%d of 12 replicas are there", held)
		}
	}

	var both sync.WaitGroup
	for _, node := range []string{last, other} {
		both.Go(func() {
			_, _ = fleet.NewClient(c).Restart(t.Context(), node) // or it is refused
		})
	}
	both.Wait()
	there("after two were started again at the same time")

	silent := pid(other)
	if err := unix.Kill(silent, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer unix.Kill(silent, unix.SIGCONT)
	for until := time.Now().Add(time.Minute); len(conn.View().Nodes) == 4; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("a silent node is a member still")
		}
	}
	refused(other, "gives no sign of life")
}

// beside is a node that has the other replica of a shard of this one.
func beside(t *testing.T, v *catalog.View, name string) string {
	t.Helper()
	names := map[catalog.Peer]string{}
	for i := range v.Nodes {
		names[v.Nodes[i].Peer] = v.Nodes[i].Name
	}
	for i := range v.Sets {
		for _, s := range v.Sets[i].Shards {
			if len(s.Replicas) == 2 && names[s.Replicas[0]] == name {
				return names[s.Replicas[1]]
			} else if len(s.Replicas) == 2 && names[s.Replicas[1]] == name {
				return names[s.Replicas[0]]
			}
		}
	}
	t.Fatalf("node %s has no shard", name)
	return ""
}

// replicas is how many all shards of all sets have.
func replicas(c *godwit.Cluster) (n int) {
	v := c.View()
	for i := range v.Sets {
		for j := range v.Sets[i].Shards {
			n += len(v.Sets[i].Shards[j].Replicas)
		}
	}
	return n
}
