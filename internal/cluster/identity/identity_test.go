package identity

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const day = 24 * time.Hour

func authority(t *testing.T) *Authority {
	t.Helper()
	a, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func issue(t *testing.T, a *Authority, role Role, name string) *Identity {
	t.Helper()
	i, err := a.Issue(role, name, day)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.Cluster != a.Cluster || !clusters().MatchString(a.Cluster) {
		t.Errorf("cluster %q, after opening %q", a.Cluster, again.Cluster)
	}
	if _, err := Create(dir); err == nil {
		t.Error("a second authority replaced the first")
	}

	place := filepath.Join(dir, "nodes", "a")
	for _, name := range []string{"a", "b"} { // the second replaces the first
		made, err := again.Issue(Node, name, day, "localhost", "127.0.0.1", "::1")
		if err != nil {
			t.Fatal(err)
		}
		if err := made.Save(place); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(place)
		if err != nil {
			t.Fatal(err)
		}
		want := Peer{Cluster: a.Cluster, Role: Node, Name: name}
		if loaded.Peer != want || !bytes.Equal(loaded.leaf().Raw, made.leaf().Raw) {
			t.Errorf("loaded %v, want %v", loaded.Peer, want)
		}
		if err := loaded.leaf().VerifyHostname("127.0.0.1"); err != nil {
			t.Error(err)
		}
	}
	for _, d := range []string{dir, place} {
		files, err := os.ReadDir(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			if !f.IsDir() && info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", f.Name(), info.Mode())
			}
			if strings.HasPrefix(f.Name(), ".new") {
				t.Errorf("%s was left over", f.Name())
			}
		}
	}
}

func TestFilesDamaged(t *testing.T) {
	a, other := authority(t), authority(t)
	mine, foreign := t.TempDir(), t.TempDir()
	if err := issue(t, a, Node, "a").Save(mine); err != nil {
		t.Fatal(err)
	}
	if err := issue(t, other, Node, "a").Save(foreign); err != nil {
		t.Fatal(err)
	}
	read := func(dir, name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	ca, id := read(mine, AuthorityFile), read(mine, IdentityFile)
	key := id[bytes.Index(id, []byte("-----BEGIN PRIVATE")):]
	tests := []struct {
		name, want string
		ca, id     []byte
	}{
		{"nothing", "holds no identity", nil, nil},
		{"no identity", "holds no identity", ca, nil},
		{"empty", "failed to find any PEM data", ca, []byte{}},
		{"cut short", "failed to find any PEM data", ca, id[:100]},
		{"key alone", "failed to find certificate", ca, key},
		{"authority empty", "expected a certificate in PEM form", []byte{}, id},
		{"authority is a key", "expected a certificate in PEM form", key, id},
		{"another cluster's authority", "not issued by the authority beside it", read(foreign, AuthorityFile), id},
		{"the authority as identity", "found a certificate rather than a key", ca, ca},
		{"another's key", "private key does not match", ca,
			append(id[:len(id)-len(key):len(id)-len(key)], bytes.SplitAfter(read(foreign, IdentityFile), []byte("END CERTIFICATE-----\n"))[1]...)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string][]byte{AuthorityFile: test.ca, IdentityFile: test.id} {
				if text == nil {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Load(dir)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want %q and the directory", err, test.want)
			}
		})
	}
	if _, err := Open(mine); err == nil || !strings.Contains(err.Error(), authorityKeyFile) {
		t.Errorf("opened an authority without key: %v", err)
	}
}

func TestIssueRefuses(t *testing.T) {
	a := authority(t)
	tests := []struct {
		name  string
		role  Role
		of    string
		valid time.Duration
		want  string
	}{
		{"no role", 0, "a", day, "a node, a client or an admin"},
		{"no name", Node, "", day, "cannot be the name"},
		{"a path", Node, "a/../client/b", day, "cannot be the name"},
		{"a long name", Client, strings.Repeat("a", 64), day, "cannot be the name"},
		{"the past", Node, "a", -day, "expected a positive time"},
		{"too long", Node, "a", 30 * 365 * day, "the authority itself expires"},
	}
	for _, test := range tests {
		if _, err := a.Issue(test.role, test.of, test.valid); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

// handshake gives what each side says about a connection.
func handshake(t *testing.T, server, client *tls.Config) (atServer, atClient error) {
	t.Helper()
	a, b := net.Pipe()
	s, c := tls.Server(a, server), tls.Client(b, client)
	done := make(chan error)
	go func() {
		err := s.Handshake()
		if err == nil {
			_, err = s.Write([]byte("x"))
		}
		a.Close()
		done <- err
	}()
	atClient = c.Handshake()
	if atClient == nil { // the server's verdict comes later in TLS 1.3
		_, atClient = c.Read(make([]byte, 1))
	}
	b.Close()
	return <-done, atClient
}

func TestPeers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, other := authority(t), authority(t)
		alice, bob, carol := issue(t, a, Node, "alice"), issue(t, a, Node, "bob"), issue(t, a, Client, "carol")
		stranger := issue(t, other, Node, "alice")
		root, thief := issue(t, a, Admin, "root"), issue(t, a, Client, "thief")
		alice.Revoked = func(serial string) bool { return serial == thief.Serial() }
		shunned := issue(t, a, Node, "shunned")
		bobs := &Identity{Peer: bob.Peer, roots: bob.roots, Revoked: func(serial string) bool { return serial == shunned.Serial() }}
		bobs.own.Store(bob.own.Load())
		short, err := a.Issue(Node, "short", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		// The other cluster's authority can write this cluster's id.
		forger := &Authority{Cluster: a.Cluster, cert: other.cert, key: other.key}
		forged := issue(t, forger, Node, "alice")
		if err := short.Current(); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Hour)
		if err := short.Current(); !errors.Is(err, ErrExpired) {
			t.Errorf("own certificate: %v", err)
		}
		old := bob.Client("")
		old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
		nameless := bob.Client("")
		nameless.GetClientCertificate = nil
		trusting := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{*stranger.own.Load()}}

		both, nodes := alice.Server(Node, Client), alice.Server(Node)
		all := alice.Server(Node, Client, Admin)
		tests := []struct {
			name               string
			server, client     *tls.Config
			atServer, atClient error // nil: any, if there is one at the other side
			says               string
		}{
			{name: "node to node", server: both, client: bob.Client("alice")},
			{name: "client to node", server: both, client: carol.Client("")},
			{name: "no certificate", server: both, client: nameless, atServer: ErrNoCertificate, says: "expected one of cluster " + a.Cluster},
			{name: "expired client", server: both, client: short.Client(""), atServer: ErrExpired, says: `node "short"`},
			{name: "expired server", server: short.Server(Node), client: bob.Client(""), atClient: ErrExpired, says: "issue a new one"},
			{name: "another cluster, seen by its client", server: both, client: stranger.Client(""), atClient: ErrOtherCluster, says: "expected cluster " + other.Cluster},
			{name: "another cluster, seen by the server", server: both, client: trusting, atServer: ErrOtherCluster, says: "of cluster " + other.Cluster},
			{name: "forged id", server: forged.Server(Node), client: bob.Client(""), atClient: ErrOtherCluster, says: "did not issue it"},
			{name: "client where nodes are expected", server: nodes, client: carol.Client(""), atServer: ErrRole, says: `expected [node], found client "carol"`},
			{name: "client as server", server: carol.Server(Node), client: bob.Client(""), atClient: ErrRole, says: `found client "carol"`},
			{name: "wrong name", server: both, client: bob.Client("zoe"), atClient: ErrName, says: `expected "zoe", found node "alice"`},
			{name: "admin to node", server: all, client: root.Client("")},
			{name: "an admin where clients are expected", server: both, client: root.Client(""), atServer: ErrRole, says: `expected [node client], found admin "root"`},
			{name: "revoked client", server: all, client: thief.Client(""), atServer: ErrRevoked, says: "godwit cluster --client thief"},
			{name: "revoked server", server: shunned.Server(Node), client: bobs.Client(""), atClient: ErrRevoked, says: "which is for ever"},
			{name: "TLS 1.2", server: both, client: old, says: "version"},
		}
		for _, test := range tests {
			atServer, atClient := handshake(t, test.server, test.client)
			if test.says == "" {
				if atServer != nil || atClient != nil {
					t.Errorf("%s: server says %v, client says %v", test.name, atServer, atClient)
				}
				continue
			}
			if refused := test.atServer != nil; refused != errors.Is(alice.Refused(atClient), ErrRefused) {
				t.Errorf("%s: the client is told %v", test.name, alice.Refused(atClient))
			}
			if atServer == nil || atClient == nil {
				t.Errorf("%s: server says %v, client says %v; want errors", test.name, atServer, atClient)
				continue
			}
			if test.atServer != nil && !errors.Is(atServer, test.atServer) || test.atClient != nil && !errors.Is(atClient, test.atClient) {
				t.Errorf("%s: server says %v, client says %v", test.name, atServer, atClient)
			}
			if !strings.Contains(atServer.Error()+atClient.Error(), test.says) {
				t.Errorf("%s: nobody says %q: %v, %v", test.name, test.says, atServer, atClient)
			}
		}
	})
}
