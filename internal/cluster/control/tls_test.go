package control

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// issue makes an identity and gives it with its directory.
func issue(t *testing.T, a *identity.Authority, r identity.Role, name string) (*identity.Identity, string) {
	t.Helper()
	id, err := a.Issue(r, name, time.Hour, "127.0.0.1")
	check(t, err)
	dir := t.TempDir()
	check(t, id.Save(dir))
	return id, dir
}

// Only nodes reach a member of the control, on either port, and not when they were revoked.
func TestTLS(t *testing.T) {
	t.Parallel()
	a, err := identity.Create(t.TempDir())
	check(t, err)
	b, err := identity.Create(t.TempDir())
	check(t, err)
	own, dir := issue(t, a, identity.Node, "one")
	revoked, _ := issue(t, a, identity.Node, "revoked")
	client, _ := issue(t, a, identity.Client, "one")
	admin, _ := issue(t, a, identity.Admin, "one")
	strange, _ := issue(t, b, identity.Node, "one")
	path := filepath.Join(t.TempDir(), "revoked")
	ledger, err := trust.OpenLedger(path)
	check(t, err)
	revoke(t, ledger, revoked.Serial())
	s := start(t, Config{Name: "one", Identity: dir, Ledger: path, Peer: free(t)})
	shows := func(id *identity.Identity) *tls.Config { // and believes the member
		c := id.Client("")
		c.VerifyConnection = nil
		return c
	}
	for _, at := range []string{s.Endpoint(), s.cfg.Peer} {
		for _, tt := range []struct {
			name string
			tls  *tls.Config
			ok   bool
		}{
			{"a node", shows(own), true},
			{"nobody", &tls.Config{InsecureSkipVerify: true}, false},
			{"a client", shows(client), false},
			{"an administrator", shows(admin), false},
			{"a revoked node", shows(revoked), false},
			{"a node of another cluster", shows(strange), false},
		} {
			t.Run(tt.name, func(t *testing.T) {
				if got := speaks(t, at, tt.tls); got != tt.ok {
					t.Errorf("at %s: answered %v", at, got)
				}
			})
		}
	}
	for _, tt := range []struct {
		tls *tls.Config
		ok  bool
	}{{own.Client("one"), true}, {own.Client("another"), false}, {client.Client(""), false}, {nil, false}} {
		c := must[Control](t)(Dial([]string{s.Endpoint()}, tt.tls, Options{}))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if tt.ok {
			ctx = within(t)
		}
		if _, err := c.View(ctx); (err == nil) != tt.ok {
			t.Errorf("a connection with etcd: %v", err)
		}
		cancel()
		c.Close()
	}
	t.Run("revoked while connected", func(t *testing.T) {
		late, _ := issue(t, a, identity.Node, "late")
		c := must[*tls.Conn](t)(tls.Dial("tcp", s.Endpoint(), late.Client("")))
		defer c.Close()
		revoke(t, ledger, late.Serial())
		check(t, c.SetReadDeadline(time.Now().Add(10*recheck)))
		if _, err := c.Read(make([]byte, 1<<10)); err == nil { // the settings of HTTP/2 may come first
			_, err = c.Read(make([]byte, 1))
			ended(t, err)
		} else {
			ended(t, err)
		}
	})
	t.Run("half open", func(t *testing.T) {
		t.Parallel()
		c := must[net.Conn](t)(net.Dial("tcp", s.Endpoint()))
		defer c.Close()
		check(t, c.SetReadDeadline(time.Now().Add(3*handshake)))
		_, err := c.Read(make([]byte, 1))
		ended(t, err)
	})
	t.Run("crowded", func(t *testing.T) {
		for range frontLimits.Strangers + 1 {
			c := must[net.Conn](t)(net.Dial("tcp", s.Endpoint()))
			defer c.Close()
		}
		if !speaks(t, s.Endpoint(), shows(own)) {
			t.Error("silent strangers keep a node out")
		}
	})
	inside := s.Control()
	defer inside.Close()
	join(t, inside, "a")
}

func revoke(t *testing.T, l *trust.Ledger, serial string) {
	t.Helper()
	list, err := l.List().RevokeCertificate(serial)
	check(t, err)
	_, err = l.Merge(list)
	check(t, err)
}

// ended is that the other side has ended a connection before the reader lost patience.
func ended(t *testing.T, err error) {
	t.Helper()
	if late, ok := err.(net.Error); err == nil || ok && late.Timeout() {
		t.Errorf("the connection goes on: %v", err)
	}
}

// speaks reports whether a port answers HTTP.
func speaks(t *testing.T, at string, c *tls.Config) bool {
	t.Helper()
	conn, err := tls.Dial("tcp", at, c)
	if err != nil {
		return false
	}
	defer conn.Close()
	check(t, conn.SetDeadline(time.Now().Add(5*time.Second)))
	if _, err := conn.Write([]byte("GET /version HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}

// three starts a cluster of three members with TLS, and gives how each is started again.
func three(t *testing.T) ([]string, map[string]*Server, func(name string) *Server, *identity.Authority) {
	t.Helper()
	a, err := identity.Create(t.TempDir())
	check(t, err)
	cluster := map[string]string{"a": free(t), "b": free(t), "c": free(t)}
	var at []string
	configs, all := map[string]Config{}, map[string]*Server{}
	for name, peer := range cluster {
		_, dir := issue(t, a, identity.Node, name)
		configs[name] = Config{Name: name, Identity: dir, Client: free(t), Peer: peer, Cluster: cluster, Dir: t.TempDir()}
		at = append(at, configs[name].Client)
	}
	start := func(name string) *Server {
		s, err := Embed(within(t), configs[name])
		if err != nil {
			t.Error(err)
		}
		return s
	}
	started := make(chan *Server, len(cluster))
	for name := range cluster {
		go func() { started <- start(name) }()
	}
	for range cluster {
		s := <-started
		if s == nil {
			t.FailNow()
		}
		all[s.cfg.Name] = s
		t.Cleanup(func() { s.Close() })
	}
	return at, all, start, a
}

// Three members with TLS find each other, and the loss of one is survived.
func TestThreeMembers(t *testing.T) {
	t.Parallel()
	at, all, _, a := three(t)
	id, _ := issue(t, a, identity.Node, "node")
	c := must[Control](t)(Dial(at, id.Client(""), Options{}))
	t.Cleanup(func() { c.Close() })
	m := join(t, c, "x")
	check(t, all["a"].Close())
	check(t, m.Hold(within(t), Held{Set: 1, Shard: 0, Sum: [32]byte{}}))
}

// A member that was looked at before it started is down no longer when somebody asks.
func TestMemberThatHasJustStarted(t *testing.T) {
	t.Parallel()
	at, all, again, a := three(t)
	id, _ := issue(t, a, identity.Node, "node")
	c := must[Control](t)(Dial(at, id.Client(""), Options{}))
	t.Cleanup(func() { c.Close() })
	e := c.(*registry).rec.(*etcd)
	down := func(list []MemberState) (names string) {
		for _, m := range list {
			if m.Role == Down {
				names += m.Name
			}
		}
		return names
	}
	check(t, all["b"].Close())
	for range 3 { // each try that fails has the connection wait longer before the next
		list, err := e.members(within(t))
		check(t, err)
		if got := down(list); got != "b" {
			t.Fatalf("%q are down, want b", got)
		}
		e.overseer.note(list)
	}
	s := again("b")
	t.Cleanup(func() { s.Close() })
	list, err := c.(Overseer).Members(within(t))
	check(t, err)
	if got := down(list); got != "" {
		t.Errorf("%q are down after all have started", got)
	}
}
