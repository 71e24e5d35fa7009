package site

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func leaf(t *testing.T, dir string) *x509.Certificate {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, identity.IdentityFile))
	check(t, err)
	block, _ := pem.Decode(b)
	c, err := x509.ParseCertificate(block.Bytes)
	check(t, err)
	return c
}

// A cluster's directory says where its nodes are, and who is who in it.
func TestAdd(t *testing.T) {
	s, err := Prepare(t.TempDir(), []string{"etcd:2379"}, 5*time.Second)
	check(t, err)
	if _, err := s.addresses(); err == nil || !strings.Contains(err.Error(), "godwit cluster") {
		t.Errorf("a directory without nodes: %v", err)
	}
	for _, tt := range []struct{ spec, name, address string }{
		{"a", "a", "a:7411"},
		{"b=10.0.0.2", "b", "10.0.0.2:7411"},
		{"c=10.0.0.3:17/c.example", "c", "10.0.0.3:17"},
		{"d=[::1]:17", "d", "[::1]:17"},
		{"e=::1", "e", "[::1]:7411"},
		{"a=10.0.0.1", "a", "10.0.0.1:7411"}, // again, elsewhere
	} {
		name, dir, err := s.Add(tt.spec)
		check(t, err)
		if last := s.Contacts[len(s.Contacts)-1]; name != tt.name || last != (Contact{tt.name, tt.address}) {
			t.Errorf("%s: %q, %+v", tt.spec, name, last)
		}
		// An etcd of its own lets nodes in by this name.
		check(t, leaf(t, filepath.Join(dir, "identity")).VerifyHostname(identity.NodeCN))
	}
	again, err := Open(s.Dir)
	check(t, err)
	if all, err := again.addresses(); err != nil || len(all) != 5 {
		t.Errorf("the nodes are %v, %v", all, err)
	}
	if _, _, err := s.Add("f=10.0.0.1:1:2"); err == nil {
		t.Error("10.0.0.1:1:2 is an address")
	}
	for dir, role := range map[string]identity.Role{ClientDir: identity.Client, AdminDir: identity.Admin} {
		id, err := identity.Load(filepath.Join(s.Dir, dir))
		check(t, err)
		if id.Role != role {
			t.Errorf("%s has the identity of %v", dir, id.Peer)
		}
		if leaf(t, filepath.Join(s.Dir, dir)).VerifyHostname(identity.NodeCN) == nil {
			t.Errorf("etcd takes %v for a node", id.Peer)
		}
	}
}
