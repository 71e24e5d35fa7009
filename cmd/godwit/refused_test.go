package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// refusedLimit is how long a client may take to find out that it is refused.
const refusedLimit = 12 * time.Second

// TestRefusedClients runs godwit status with identities with which nobody may
// talk to the cluster.
func TestRefusedClients(t *testing.T) {
	b := newByHand(t, t.TempDir(), "n1=127.0.0.1")
	b.node(t, "n1", nil)
	b.await(t, 1)
	own, err := identity.Open(filepath.Join(b.cluster, "authority"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := identity.Create(filepath.Join(b.dir, "authority"))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name  string
		issue func(t *testing.T, dir string)
		want  string
	}{
		{"no certificate", func(*testing.T, string) {}, "holds no identity: expected the files ca.crt and identity.pem"},
		{"expired", func(t *testing.T, dir string) {
			issueClient(t, own, dir, time.Millisecond)
			time.Sleep(1100 * time.Millisecond) // certificates know whole seconds
		}, "expired certificate"},
		{"of another cluster", func(t *testing.T, dir string) { issueClient(t, other, dir, time.Hour) },
			"certificate of another cluster: expected cluster " + other.Cluster + ", found node \"n1\" of cluster " + own.Cluster},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			card, err := os.ReadFile(filepath.Join(b.cluster, "cluster.json"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "cluster.json"), string(card))
			c.issue(t, filepath.Join(dir, "client"))
			start := time.Now()
			out, stderr, err := b.try(dir, "status")
			took := time.Since(start)
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitFailed || out != "" {
				t.Errorf("godwit status ended with %v and printed %q; expected exit code %d and nothing", err, out, exitFailed)
			}
			if !strings.Contains(stderr, c.want) || took > refusedLimit {
				t.Errorf("after %v:\n%s\nexpected within %v: %s", took, stderr, refusedLimit, c.want)
			}
			t.Logf("after %v: %s", took, stderr)
		})
	}
	// With its own identity a client is welcome.
	if out := b.godwit(t, "status"); !strings.Contains(out, "\nn1 ") {
		t.Errorf("godwit status does not show n1:\n%s", out)
	}
}

func issueClient(t *testing.T, a *identity.Authority, dir string, valid time.Duration) {
	t.Helper()
	id, err := a.Issue(identity.Client, "client", valid)
	if err == nil {
		err = id.Save(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
}
