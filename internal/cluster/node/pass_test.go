package node

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// passing is a core that knows a kernel, and a parcel of the client's with a state in row 10, which is here.
func passing(t *testing.T, limits Limits) (*Core, *Pass, *parcel.Header) {
	t.Helper()
	c := New(1, limits)
	c.Step(0, &Learned{View: halves()})
	known := &code{prefix: prefixOf("kernel"), id: kernel.Hash([]byte("kernel")), bytes: []byte("kernel"), ready: true, bound: func([]int64) int64 { return 5 }}
	c.codes.byPrefix[known.prefix] = known
	c.codes.touch(known)
	c.codes.idle++
	raw := walkParcel(1, []byte("kernel"), 10)
	h, _, payload, err := parcel.ReadHeader(raw)
	if err != nil {
		t.Fatal(err)
	}
	h.Flags, h.Code = 0, known.prefix
	var b parcel.Batch
	if err := parcel.ReadBatch(&b, payload); err != nil {
		t.Fatal(err)
	}
	p, id := c.Pass(&h, client, int64(len(raw)), &b, 0, nil)
	if p == nil || id != known.id {
		t.Fatalf("no pass: %v", id)
	}
	return c, p, &h
}

// What passes is counted as what is received, and leaves nothing behind.
func TestPass(t *testing.T) {
	c, p, h := passing(t, roomy)
	for range 10 {
		if !c.Enter(p, h) {
			t.Fatal("it does not pass")
		}
		if s := c.Status(); s.Requests != 1 || s.Bytes != p.size || s.Clients[0].Parcels != 1 || s.Clients[0].Jobs != 1 {
			t.Fatalf("while it runs: %+v", s)
		}
		if c.Leave(p, 100) {
			t.Fatal("a job waits")
		}
	}
	s := c.Status()
	if s.Requests != 0 || s.Bytes != 0 || s.In["walk"] != 10 || s.Out["result"] != 10 || s.BytesIn != 10*p.size || s.BytesOut != 1000 || s.CodeHits != 10 || s.Remembered != 0 {
		t.Errorf("afterwards: %+v", s)
	}
	if c.Enter(p, h); c.Leave(p, 0) || c.Status().In["walk"] != 10 {
		t.Error("what is received after all was counted already")
	}
}

// What receive would refuse, keep waiting, pass on or drop does not pass.
func TestNoPass(t *testing.T) {
	quota := roomy
	quota.ClientParcels = 2
	narrow := roomy
	narrow.Jobs, narrow.Spare = 1, 0
	for _, test := range []struct {
		name   string
		limits Limits
		edit   func(c *Core, p *Pass, h *parcel.Header)
		lasts  bool // the pass
	}{
		{"another caller", roomy, func(_ *Core, _ *Pass, h *parcel.Header) { h.Caller++ }, true},
		{"a deadline that has passed", roomy, func(_ *Core, _ *Pass, h *parcel.Header) { h.Left = 0 }, true},
		{"a cancelled request", roomy, func(c *Core, _ *Pass, h *parcel.Header) {
			cancel := parcel.Header{Kind: parcel.Cancel, Left: 1000, Request: h.Request, Caller: h.Caller}
			c.Step(0, &Received{From: client, Bytes: cancel.Append(nil, nil)})
		}, true},
		{"a client with too much in hand", quota, func(c *Core, p *Pass, h *parcel.Header) {
			for range 2 {
				if !c.Enter(p, h) {
					panic("it had room")
				}
			}
		}, true},
		{"no place for a job", narrow, func(c *Core, p *Pass, h *parcel.Header) { c.Enter(p, h) }, true},
		{"a kernel that was forgotten", roomy, func(c *Core, p *Pass, _ *parcel.Header) { c.evict(p.code) }, false},
		{"another view", roomy, func(c *Core, _ *Pass, _ *parcel.Header) { c.Step(1, &Learned{View: halves()}) }, false},
		{"a shard that is not here", roomy, func(c *Core, _ *Pass, _ *parcel.Header) { c.Step(1, &Lacks{Set: 1, Shard: 0, Why: "gone"}) }, false},
		{"a client that left", roomy, func(c *Core, _ *Pass, _ *parcel.Header) { c.Step(1, &Gone{Peer: client}) }, false},
		{"a client with another certificate", roomy, func(c *Core, p *Pass, _ *parcel.Header) { c.meet(client, "client/other", true) }, false},
	} {
		c, p, h := passing(t, test.limits)
		test.edit(c, p, h)
		if c.Enter(p, h) {
			t.Errorf("%s passes", test.name)
		}
		if c.Lasts(p) != test.lasts {
			t.Errorf("%s: the pass lasts: %t", test.name, c.Lasts(p))
		}
	}
}

// No pass is given for what is no small walk of the peer's own, in a shard that is here, by a kernel that is known.
func TestNothingToPass(t *testing.T) {
	for name, edit := range map[string]func(c *Core, h *parcel.Header, b *parcel.Batch) catalog.Peer{
		"another caller": func(_ *Core, h *parcel.Header, _ *parcel.Batch) catalog.Peer { h.Caller++; return client },
		"a task":         func(_ *Core, h *parcel.Header, _ *parcel.Batch) catalog.Peer { h.Kind = parcel.Run; return client },
		"a new kernel":   func(_ *Core, h *parcel.Header, _ *parcel.Batch) catalog.Peer { h.Code++; return client },
		"an unknown set": func(_ *Core, _ *parcel.Header, b *parcel.Batch) catalog.Peer { b.Set = 99; return client },
		"long work": func(c *Core, h *parcel.Header, _ *parcel.Batch) catalog.Peer {
			c.codes.byPrefix[h.Code].bound = func([]int64) int64 { return 1 << 40 }
			return client
		},
		"a package": func(c *Core, h *parcel.Header, _ *parcel.Batch) catalog.Peer {
			c.codes.byPrefix[h.Code].native = true
			return client
		},
	} {
		c, _, h := passing(t, roomy)
		raw := walkParcel(1, []byte("kernel"), 10)
		_, _, payload, _ := parcel.ReadHeader(raw)
		var b parcel.Batch
		if err := parcel.ReadBatch(&b, payload); err != nil {
			t.Fatal(err)
		}
		from := edit(c, h, &b)
		if p, _ := c.Pass(h, from, int64(len(raw)), &b, 0, nil); p != nil {
			t.Errorf("%s has a pass", name)
		}
	}
}
