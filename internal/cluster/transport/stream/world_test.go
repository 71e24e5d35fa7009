package stream

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// world is a cluster in one process.
type world struct {
	testing.TB
	plain     bool
	rings     bool
	fabric    *ucx.Trusted // of nodes
	authority *identity.Authority
	known     map[catalog.Peer]string
	all       []*Transport
}

// overRings and overFabric begin the names of tests whose peers use rings, or nodes a fabric.
const overRings, overFabric = "TestOverRings/", "TestOverFabric/"

func newWorld(t testing.TB, plain bool) *world {
	t.Helper()
	a, err := identity.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, plain: plain, rings: strings.HasPrefix(t.Name(), overRings), authority: a, known: map[catalog.Peer]string{}}
	if strings.HasPrefix(t.Name(), overFabric) {
		w.fabric = fabricOf(t, strings.Split(t.Name(), "/")[1])
	}
	return w
}

func (w *world) issue(role identity.Role, name string) *identity.Identity {
	w.Helper()
	i, err := w.authority.Issue(role, name, time.Hour)
	if err != nil {
		w.Fatal(err)
	}
	return i
}

// node is the identity of a node, nil in a world without TLS.
func (w *world) node(name string) *identity.Identity {
	if w.plain {
		return nil
	}
	return w.issue(identity.Node, name)
}

func nodeName(p catalog.Peer) string { return fmt.Sprintf("node-%d", p) }

// nameOf knows the nodes below 100.
func nameOf(p catalog.Peer) (string, bool) { return nodeName(p), p < 100 }

func (w *world) listen(address string) net.Listener {
	w.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		w.Fatal(err)
	}
	return l
}

// start begins a node on a port of its own.
func (w *world) start(self catalog.Peer, h transport.Handler) *Transport {
	w.Helper()
	l := w.listen("127.0.0.1:0")
	w.known[self] = l.Addr().String()
	return w.begin(Options{Self: self, Listener: l}, h)
}

// begin starts a peer, which the world closes.
func (w *world) begin(o Options, h transport.Handler) *Transport {
	w.Helper()
	o.Plain, o.Rings = w.plain, w.rings || o.Rings
	if o.Self < catalog.FirstClient && o.Fabric == nil {
		o.Fabric = w.fabric
	}
	if o.Identity == nil && o.Self < catalog.FirstClient {
		o.Identity = w.node(nodeName(o.Self))
	} else if o.Identity == nil && !w.plain {
		o.Identity = w.issue(identity.Client, "client")
	}
	if o.NameOf == nil {
		o.NameOf = nameOf
	}
	t, err := New(o, h)
	if err != nil {
		w.Fatal(err)
	}
	w.all = append(w.all, t)
	w.Cleanup(func() { t.Close() })
	return t
}

// introduce tells everyone the addresses.
func (w *world) introduce() {
	for _, t := range w.all {
		t.Know(w.known)
	}
}
