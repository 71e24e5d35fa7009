package identity

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// saved is an identity as a process loads it.
func saved(t *testing.T, a *Authority, role Role, name string, valid time.Duration, hosts ...string) *Identity {
	t.Helper()
	i, err := a.Issue(role, name, valid, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := i.Save(dir); err != nil {
		t.Fatal(err)
	}
	if i, err = Load(dir); err != nil {
		t.Fatal(err)
	}
	return i
}

// by renews as a node does that has the authority.
func by(a *Authority, i *Identity) Renewer {
	return func(_ context.Context, csr []byte) ([]byte, error) { return a.Renew(csr, i.leaf(), 0) }
}

// Programs that know nothing of godwit's names let nodes in by NodeCN, so nobody else
// has it, whatever the name.
func TestCommonNames(t *testing.T) {
	a := authority(t)
	for _, name := range []string{"a", NodeCN} {
		for _, role := range roles {
			i := issue(t, a, role, name)
			if cn := i.leaf().Subject.CommonName; (cn == NodeCN) != (role == Node) {
				t.Errorf("%v has the common name %q", i.Peer, cn)
			}
			if i.Owner() != role.String()+"/"+name {
				t.Errorf("%v is called %s", i.Peer, i.Owner())
			}
		}
	}
}

// Wall clocks may differ, or jump, by a day without a certificate ending from it.
func TestClocks(t *testing.T) {
	a := authority(t)
	one, two := issue(t, a, Node, "one"), issue(t, a, Node, "two")
	for by, want := range map[time.Duration]error{
		0: nil, time.Hour: nil, -time.Hour: nil, -23 * time.Hour: nil, 23 * time.Hour: nil,
		-25 * time.Hour: ErrExpired, 25 * time.Hour: ErrExpired,
	} {
		one.Now = func() time.Time { return time.Now().Add(by) }
		if err := one.Current(); !errors.Is(err, want) {
			t.Errorf("a clock that is off by %v: own certificate: %v, want %v", by, err, want)
		}
		server, client := handshake(t, one.Server(Node), two.Client("one"))
		if !errors.Is(server, want) || (client == nil) != (want == nil) {
			t.Errorf("a clock that is off by %v: %v, %v, want %v", by, server, client, want)
		}
		if err := one.Ended(two.leaf()); err != nil {
			t.Errorf("a clock that is off by %v ends a running connection: %v", by, err)
		}
	}
	one.Now = func() time.Time { return time.Now().Add(49 * time.Hour) }
	if err := one.Ended(two.leaf()); !errors.Is(err, ErrExpired) {
		t.Errorf("a connection outlives its certificate: %v", err)
	}
}

func TestRenewal(t *testing.T) {
	a := authority(t)
	i := saved(t, a, Node, "a", day, "localhost", "127.0.0.1")
	before, config := i.leaf(), i.Server(Node)
	peer := issue(t, a, Node, "b")
	if err := i.Renew(t.Context(), by(a, i)); err != nil {
		t.Fatal(err)
	}
	after := i.leaf()
	if after.SerialNumber.Cmp(before.SerialNumber) == 0 || Serial(after) != Serial(before) {
		t.Errorf("serial number %x, then %x: want another one with the same first half", before.SerialNumber, after.SerialNumber)
	}
	if err := after.VerifyHostname("127.0.0.1"); err != nil || len(after.DNSNames) != 1 {
		t.Errorf("hosts: %v, %v", after.DNSNames, err)
	}
	if after.Subject.CommonName != NodeCN || len(after.ExtKeyUsage) != 2 {
		t.Errorf("%v may do %v", after.Subject, after.ExtKeyUsage)
	}
	if d := life(after) - life(before); d < -time.Second || d > time.Second {
		t.Errorf("it lives for %v, the former for %v", life(after), life(before))
	}
	again, err := Load(i.dir)
	if err != nil || !again.leaf().Equal(after) {
		t.Errorf("on disk is not the renewed one: %v", err)
	}
	// A tls.Config made before shows the new one.
	seen := make(chan *x509.Certificate, 1)
	asking := peer.Client("a")
	verify := asking.VerifyConnection
	asking.VerifyConnection = func(s tls.ConnectionState) error { seen <- s.PeerCertificates[0]; return verify(s) }
	if server, client := handshake(t, config, asking); server != nil || client != nil {
		t.Fatal(server, client)
	}
	if !(<-seen).Equal(after) {
		t.Error("new connections show the former certificate")
	}
}

func TestRenewalRefused(t *testing.T) {
	a, other := authority(t), authority(t)
	i := issue(t, a, Client, "alice")
	good, key, err := i.Request()
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	large, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, p384)
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.Clone(good)
	forged[len(forged)-1] ^= 1
	gone := issue(t, a, Client, "gone")
	a.Revoked = func(serial string) bool { return serial == gone.Serial() }
	for _, c := range []struct {
		name string
		csr  []byte
		of   *Identity
		want string
	}{
		{"no request", nil, i, "not renewed"},
		{"signed by nobody", forged, i, "not renewed"},
		{"another kind of key", large, i, "expected a key of the curve P-256"},
		{"a huge one", make([]byte, maxRequest+1), i, "expected at most 4096 bytes"},
		{"of another cluster", good, issue(t, other, Client, "alice"), "certificate of another cluster"},
		{"revoked", good, gone, "revoked certificate"},
	} {
		if _, err := a.Renew(c.csr, c.of.leaf(), 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	a.Now = func() time.Time { return time.Now().Add(2 * day) }
	if _, err := a.Renew(good, i.leaf(), 0); !errors.Is(err, ErrExpired) || !strings.Contains(err.Error(), "godwit cluster --client alice") {
		t.Errorf("expired: %v", err)
	}
	a.Now = nil

	// What a request says besides its key does not count.
	boast, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: NodeCN}, DNSNames: []string{"etcd"},
		URIs: []*url.URL{Peer{a.Cluster, Admin, "root"}.uri()},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := a.Renew(boast, i.leaf(), 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := claims(c); err != nil || p != i.Peer || c.Subject.CommonName != "godwit-client" || len(c.DNSNames) != 0 {
		t.Errorf("became %v, %v, %v, %v", p, c.Subject, c.DNSNames, err)
	}
	// No certificate outlives its authority.
	if der, err = a.Renew(good, i.leaf(), 2*authorityValid); err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil || c.NotAfter.After(a.cert.NotAfter) {
		t.Errorf("valid until %v, the authority until %v", c.NotAfter, a.cert.NotAfter)
	}
}

// A thief of a certificate cannot get away with it by renewing it before it is revoked.
func TestRevocationReachesRenewedOnes(t *testing.T) {
	a := authority(t)
	stolen := issue(t, a, Client, "alice")
	serial := stolen.Serial()
	for range 3 {
		if err := stolen.Renew(t.Context(), by(a, stolen)); err != nil {
			t.Fatal(err)
		}
	}
	revoked := func(s string) bool { return s == serial }
	node := issue(t, a, Node, "a")
	node.Revoked, a.Revoked = revoked, revoked
	if err, _ := handshake(t, node.Server(Client), stolen.Client("")); !errors.Is(err, ErrRevoked) {
		t.Errorf("let in: %v", err)
	}
	if err := stolen.Renew(t.Context(), by(a, stolen)); !errors.Is(err, ErrRevoked) {
		t.Errorf("renewed again: %v", err)
	}
	if err := node.Ended(stolen.leaf()); !errors.Is(err, ErrRevoked) {
		t.Errorf("its connections go on: %v", err)
	}
	if fresh := issue(t, a, Client, "alice"); node.Ended(fresh.leaf()) != nil {
		t.Error("another certificate of alice is refused with it")
	}
}

func TestAdoptRefuses(t *testing.T) {
	a, other := authority(t), authority(t)
	i := saved(t, a, Client, "alice", 400*day)
	csr, key, err := i.Request()
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, err := i.Request()
	if err != nil {
		t.Fatal(err)
	}
	before := i.leaf()
	at := func(a *Authority, ahead time.Duration) *Authority {
		b := *a
		b.Now = func() time.Time { return time.Now().Add(ahead) }
		return &b
	}
	renewed := func(a *Authority, of *Identity) []byte {
		der, err := a.Renew(csr, of.leaf(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	for _, c := range []struct {
		name string
		der  []byte
		key  *ecdsa.PrivateKey
		want string
	}{
		{"nothing", nil, key, "cannot be used"},
		{"garbage", []byte("garbage"), key, "cannot be used"},
		{"another's", renewed(a, issue(t, a, Client, "bob")), key, `is that of client "bob"`},
		{"another role's", renewed(a, issue(t, a, Node, "alice")), key, `is that of node "alice"`},
		{"another cluster's", renewed(other, issue(t, other, Client, "alice")), key, "was not issued by the authority"},
		{"of another key", renewed(a, i), stranger, "of another key"},
		{"not valid yet", renewed(at(a, 100*day), i), key, "expected one that is valid now"},
		{"that ends before the present one", renewed(at(a, -day/2), i), key, "at least until"},
	} {
		if err := i.Adopt(c.der, c.key); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if again, err := Load(i.dir); err != nil || !again.leaf().Equal(before) || !i.leaf().Equal(before) {
			t.Fatalf("%s: it replaced the certificate, %v", c.name, err)
		}
	}
	if err := os.RemoveAll(i.dir); err != nil {
		t.Fatal(err)
	}
	if err := i.Adopt(renewed(a, i), key); err == nil || !strings.Contains(err.Error(), "cannot be saved") || !i.leaf().Equal(before) {
		t.Errorf("not saved, but shown: %v", err)
	}
}

func TestReload(t *testing.T) {
	a := authority(t)
	i := saved(t, a, Node, "a", day)
	if changed, err := i.Reload(); changed || err != nil {
		t.Errorf("nothing has changed: %v, %v", changed, err)
	}
	fresh := issue(t, a, Node, "a")
	if err := fresh.Save(i.dir); err != nil {
		t.Fatal(err)
	}
	if changed, err := i.Reload(); !changed || err != nil || !i.leaf().Equal(fresh.leaf()) {
		t.Errorf("not taken: %v, %v", changed, err)
	}
	if err := issue(t, a, Node, "b").Save(i.dir); err != nil {
		t.Fatal(err)
	}
	if changed, err := i.Reload(); changed || err == nil || !strings.Contains(err.Error(), "keeps its name") {
		t.Errorf("another's: %v, %v", changed, err)
	}
	if err := os.WriteFile(filepath.Join(i.dir, IdentityFile), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed, err := i.Reload(); changed || err == nil || !i.leaf().Equal(fresh.leaf()) {
		t.Errorf("damaged: %v, %v", changed, err)
	}
}

// Keep renews at two thirds, tries ever more rarely, and goes on for years.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := authority(t)
		i := saved(t, a, Node, "a", 90*day)
		start := time.Now()
		var asked []time.Duration
		broken := true
		renew := func(ctx context.Context, csr []byte) ([]byte, error) {
			asked = append(asked, time.Since(start))
			if broken {
				return nil, errors.New("no way there")
			}
			return by(a, i)(ctx, csr)
		}
		log := &strings.Builder{}
		go Keep(t.Context(), i, renew, slog.New(slog.NewTextHandler(log, nil)))
		time.Sleep(59 * day)
		synctest.Wait()
		if len(asked) != 0 {
			t.Errorf("renewed after %v already", asked[0])
		}
		time.Sleep(5 * day)
		synctest.Wait()
		if asked[0] < 60*day || asked[0] > 60*day+2*time.Hour {
			t.Errorf("tried first after %v", asked[0])
		}
		if asked[3]-asked[0] > time.Minute {
			t.Errorf("tried again after %v, %v and %v", asked[1], asked[2], asked[3])
		}
		if n := len(asked); n < 50 || n > 150 {
			t.Errorf("tried %d times in four days", n)
		}
		if text := log.String(); !strings.Contains(text, "no way there") || !strings.Contains(text, "attempts=3") {
			t.Errorf("the log does not tell of it: %s", text)
		}
		broken = false
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if left := time.Until(i.Until()); left < 89*day {
			t.Errorf("not renewed: %v are left", left)
		}
		asked = nil
		time.Sleep(310 * day)
		synctest.Wait()
		if err := i.Current(); err != nil || len(asked) != 5 {
			t.Errorf("renewed %d times in 310 days: %v", len(asked), err)
		}
	})
}

// A certificate that expired is not shown to anybody, and the way out is the operator's.
func TestKeepExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := authority(t)
		i := saved(t, a, Node, "a", day)
		log := &strings.Builder{}
		go Keep(t.Context(), i, nil, slog.New(slog.NewTextHandler(log, nil)))
		time.Sleep(20 * time.Hour)
		synctest.Wait()
		if text := log.String(); !strings.Contains(text, "nobody here renews certificates") || !strings.Contains(text, "godwit cluster --node a") {
			t.Error(text)
		}
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		if text := log.String(); !strings.Contains(text, "expired certificate") {
			t.Error(text)
		}
		if err := issue(t, a, Node, "a").Save(i.dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if err := i.Current(); err != nil {
			t.Errorf("the certificate that was put in place is not taken: %v", err)
		}
	})
}

// The wall clock of a node jumps by an hour, forwards and back, while it renews.
func TestKeepWhileClocksJump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := authority(t)
		i := saved(t, a, Node, "a", 10*day)
		var off atomic.Int64
		i.Now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
		go Keep(t.Context(), i, by(a, i), slog.New(slog.DiscardHandler))
		for n := range 150 { // 25 days
			off.Store(int64([]time.Duration{0, time.Hour, -time.Hour}[n%3]))
			if err := i.Current(); err != nil {
				t.Fatalf("after %d hours: %v", 4*n, err)
			}
			time.Sleep(4 * time.Hour)
			synctest.Wait()
		}
	})
}

func TestReadSerial(t *testing.T) {
	a := authority(t)
	i := saved(t, a, Client, "alice", day)
	whole := strings.ToUpper(i.leaf().SerialNumber.Text(16))
	if len(whole) != 32 {
		t.Errorf("the serial number %s has not 32 digits", whole)
	}
	file := filepath.Join(i.dir, IdentityFile)
	for _, text := range []string{file, whole, whole[:16], i.Serial(), whole[:2] + ":" + whole[2:]} {
		if s, err := ReadSerial(text); err != nil || s != i.Serial() {
			t.Errorf("%s is read as %s, want %s: %v", text, s, i.Serial(), err)
		}
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY"}), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"": "is neither", whole[:15]: "is neither", "alice": "is neither",
		key:                                 "expected a certificate in PEM form",
		filepath.Join(i.dir, AuthorityFile): "is not godwit://CLUSTER",
	} {
		if s, err := ReadSerial(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %s, %v, want %q", text, s, err, want)
		}
	}
}
