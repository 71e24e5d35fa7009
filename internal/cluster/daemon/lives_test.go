package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// alive starts a node over a control in memory. edit changes its configuration.
func alive(t *testing.T, ctl *control.Memory, edit func(*Config)) *Daemon {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{})
	check(t, err)
	hub := memnet.NewHub(1, memnet.Config{})
	join := func(ctx context.Context) (control.Membership, error) {
		return ctl.Join(ctx, control.Member{Name: "a", Address: "a", Secret: st.Identity(), Held: Holding(st)})
	}
	m, err := join(t.Context())
	check(t, err)
	cfg := Config{Name: "a", Store: st, Control: ctl, Membership: m, Rejoin: join, Memory: 64 << 20,
		Limits: node.Limits{Parcels: 4, Bytes: 1 << 20, Steps: 1 << 20, Turns: 1, Codes: 3, Jobs: 2, Retry: 1, RegionBytes: 1 << 20, CodeBytes: 1 << 20, Calls: 1},
		Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return hub.Join(self, h)
		}}
	if edit != nil {
		edit(&cfg)
	}
	d, err := Start(context.Background(), cfg)
	check(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after a long time: %s", what)
		}
	}
}

// life is the incarnation of the node as the catalogue has it, 0 if it has none.
func lifeOf(t *testing.T, ctl *control.Memory, p catalog.Peer) int64 {
	t.Helper()
	v, err := ctl.View(t.Context())
	check(t, err)
	if n, ok := v.Node(p); ok {
		return n.Incarnation
	}
	return 0
}

// A node whose lease ends joins again under a new incarnation, as often as that happens, and
// what it does then is of that life.
func TestRejoin(t *testing.T) {
	ctl := control.NewMemory()
	d := alive(t, ctl, nil)
	last := lifeOf(t, ctl, d.Peer())
	for range 3 {
		old := d.lives.now.Load()
		if !ctl.Expire(d.Peer()) {
			t.Fatal("the node was not alive")
		}
		eventually(t, "the node has joined again", func() bool { return lifeOf(t, ctl, d.Peer()) > last })
		last = lifeOf(t, ctl, d.Peer())
		eventually(t, "the node goes by its new life", func() bool { return d.cfg.Membership.Incarnation() == last })
		check(t, d.cfg.Membership.Hold(t.Context(), control.Held{Set: 1, Shard: 0, Sum: [32]byte{1}}))
		if err := old.Hold(t.Context(), control.Held{Set: 1, Shard: 0, Sum: [32]byte{1}}); !errors.As(err, new(*control.StaleError)) {
			t.Errorf("the old life can still write: %v", err)
		}
	}
}

// A node whose name somebody else has taken waits, and is back when that one has gone.
func TestNameTaken(t *testing.T) {
	ctl := control.NewMemory()
	var stranger atomic.Pointer[control.Membership]
	d := alive(t, ctl, func(c *Config) {
		again := c.Rejoin
		c.Rejoin = func(ctx context.Context) (control.Membership, error) {
			if stranger.Load() == nil {
				m, err := ctl.Join(ctx, control.Member{Name: "a", Address: "elsewhere", Secret: "another"})
				if err != nil {
					return nil, err
				}
				stranger.Store(&m)
			}
			return again(ctx)
		}
	})
	ctl.Expire(d.Peer())
	eventually(t, "a stranger has the name", func() bool { return stranger.Load() != nil })
	taken := (*stranger.Load()).Incarnation()
	time.Sleep(2 * rejoinFirst)
	if got := lifeOf(t, ctl, d.Peer()); got != taken {
		t.Fatalf("the name belongs to life %d, expected %d, the stranger's", got, taken)
	}
	check(t, (*stranger.Load()).Leave(t.Context()))
	eventually(t, "the node is back", func() bool { n := lifeOf(t, ctl, d.Peer()); return n > taken && n == d.cfg.Membership.Incarnation() })
}

// fake is a membership of which the test decides.
type fake struct {
	control.Membership
	renewed time.Time
}

func (f *fake) Peer() catalog.Peer                     { return 1 }
func (f *fake) Incarnation() int64                     { return 10 }
func (f *fake) Lost() <-chan struct{}                  { return nil }
func (f *fake) Describe(context.Context, string) error { return nil }
func (f *fake) Renewed() time.Time                     { return f.renewed }
func (f *fake) Leave(context.Context) error            { return nil }

// A node looks for itself in views: one that is older than its life says nothing.
func TestOwnRecord(t *testing.T) {
	own := func(incarnation int64) []catalog.Node { return []catalog.Node{{Peer: 1, Incarnation: incarnation}} }
	for _, tt := range []struct {
		view catalog.View
		over bool
	}{
		{catalog.View{Revision: 9}, false},
		{catalog.View{Revision: 10, Nodes: own(10)}, false},
		{catalog.View{Revision: 11, Nodes: own(10)}, false},
		{catalog.View{Revision: 11}, true},
		{catalog.View{Revision: 11, Nodes: own(11)}, true},
	} {
		l := newLives(&fake{}, nil)
		l.saw(&tt.view)
		l.saw(&tt.view)
		select {
		case <-l.now.Load().over:
			if !tt.over {
				t.Errorf("%+v has ended the life", tt.view)
			}
		default:
			if tt.over {
				t.Errorf("%+v has not ended the life", tt.view)
			}
		}
	}
}

// Without a sign of its membership a node works on until the deadline of its view, and then
// refuses, and says why.
func TestViewDeadline(t *testing.T) {
	d := &Daemon{cfg: Config{Name: "a", ViewDeadline: time.Minute}, lives: newLives(&fake{renewed: time.Now().Add(-50 * time.Second)}, nil)}
	if err := d.outdated(&node.Compute{}); err != nil {
		t.Errorf("before the deadline: %v", err)
	}
	d.lives = newLives(&fake{renewed: time.Now().Add(-70 * time.Second)}, nil)
	err := errOf(d.finish(t.Context(), &node.Start{Work: &node.Compute{}}))
	var refused *node.WorkError
	if !errors.As(err, &refused) || refused.Reason != parcel.Refused || !strings.Contains(refused.Detail, "--view-deadline") {
		t.Errorf("after the deadline: %v", err)
	}
	if err := d.outdated(&node.Report{}); err != nil {
		t.Errorf("the node does not say how it is: %v", err)
	}
}

// What was revoked stays so when a record without it comes, and is written back.
func TestRevokedStays(t *testing.T) {
	ctl := control.NewMemory()
	path := filepath.Join(t.TempDir(), "revoked")
	ledger, err := trust.OpenLedger(path)
	check(t, err)
	const serial = "00112233445566aa"
	list, err := trust.List{}.RevokeCertificate(serial)
	check(t, err)
	_, err = ledger.Merge(list)
	check(t, err)
	var learned atomic.Pointer[catalog.View]
	d := alive(t, ctl, func(c *Config) {
		c.Ledger = ledger
		c.Learned = func(v *catalog.View) { learned.Store(v) }
	})
	eventually(t, "the revocation is written back", func() bool {
		v, err := ctl.View(t.Context())
		return err == nil && v.Trust.RevokedCertificate(serial)
	})
	eventually(t, "the node has a view", func() bool { return learned.Load() != nil })
	if v := d.remember(&catalog.View{}); !v.Trust.RevokedCertificate(serial) {
		t.Error("a view without it takes a revocation back")
	}
	_, err = ctl.Trust(t.Context(), func(l trust.List) (trust.List, error) { return l.RevokeCertificate("ffeeddccbbaa9988") })
	check(t, err)
	eventually(t, "another revocation is on the disk", func() bool {
		again, err := trust.OpenLedger(path)
		return err == nil && again.Revoked("ffeeddccbbaa9988")
	})
}
