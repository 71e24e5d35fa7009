package main

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control/remote"
	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// crowdLimit is how long a command may take beside owners who take all they get: on a quiet
// machine they take less than a second.
const crowdLimit = 10 * time.Second

// TestCrowdOfOwners: three owners ask for as much as they get, on as many connections as they
// get places for; a fourth one loads and runs a program, and an administrator asks how the nodes are.
func TestCrowdOfOwners(t *testing.T) {
	b := newByHand(t, t.TempDir(), "n1=127.0.0.1")
	b.node(t, "n1", nil)
	b.await(t, 1)
	authority, err := identity.Open(filepath.Join(b.cluster, "authority"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(b.dir, "total.gw"), "pub fn total(v: [i64; n]) -> i64 { v.sum() }\n")
	write(t, filepath.Join(b.dir, "v.csv"), "x\n1\n2\n3\n")
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	for _, owner := range []string{"a", "b", "c"} {
		id, err := authority.Issue(identity.Client, owner, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			c, err := remote.Dial(remote.Options{Nodes: []remote.Address{{Name: "n1", Address: b.address["n1"]}}, Identity: id})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			for range 2 {
				go func() {
					for ctx.Err() == nil {
						if _, err := c.View(ctx); err == nil {
							asked.Add(1)
						}
					}
				}()
			}
		}
	}
	t.Cleanup(cancel)
	for asked.Load() < 100 && !t.Failed() {
		time.Sleep(time.Millisecond)
		if ctx.Err() != nil {
			t.Fatal("nobody was answered")
		}
	}
	as := func(role identity.Role) string {
		dir := t.TempDir()
		card, err := os.ReadFile(filepath.Join(b.cluster, "cluster.json"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "cluster.json"), string(card))
		id, err := authority.Issue(role, "fourth", time.Hour)
		if err == nil {
			err = id.Save(filepath.Join(dir, "client"))
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	client, admin := as(identity.Client), as(identity.Admin)
	for _, c := range []struct {
		dir  string
		args []string
	}{
		{client, []string{"load", "v.csv", "--as", "v"}},
		{client, []string{"run", "total.gw", "v=@v#x", "--strategy", "ship", "--deadline", crowdLimit.String()}},
		{admin, []string{"status"}},
	} {
		start := time.Now()
		_, stderr, err := b.try(c.dir, c.args...)
		took := time.Since(start)
		if err != nil || took > crowdLimit {
			t.Errorf("godwit %v took %v: %v\n%s", c.args, took, err, stderr)
		}
		t.Logf("godwit %s: %v, beside %d requests", c.args[0], took.Round(time.Millisecond), asked.Load())
	}
}
