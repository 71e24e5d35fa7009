package drive_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// heard is a core that keeps what it is told.
type heard struct{ inputs []caller.Input }

func (c *heard) Step(_ int64, in caller.Input) []caller.Effect {
	c.inputs = append(c.inputs, in)
	return nil
}

// A node's own requests get what is about them, which is whatever a caller's core takes, and nothing
// else. What would go to the node itself is lost at once.
func TestOwn(t *testing.T) {
	const self, other = 3, 4
	for _, test := range []struct {
		name   string
		header parcel.Header
		takes  bool
	}{
		{"an answer", parcel.Header{Kind: parcel.Result, Caller: self, Request: drive.FirstOwn}, true},
		{"a failure", parcel.Header{Kind: parcel.Fail, Caller: self, Request: drive.FirstOwn + 7}, true},
		{"a question for a kernel", parcel.Header{Kind: parcel.NeedCode, Caller: self, Request: drive.FirstOwn, Code: 9}, true},
		{"of the node's core", parcel.Header{Kind: parcel.Result, Caller: self, Request: drive.FirstOwn - 1}, false},
		{"of another caller", parcel.Header{Kind: parcel.Result, Caller: other, Request: drive.FirstOwn}, false},
		{"a request", parcel.Header{Kind: parcel.Copy, Caller: self, Request: drive.FirstOwn}, false},
	} {
		core := &heard{}
		o := drive.Own{Self: self}
		o.Driver = drive.Driver[caller.Input, caller.Effect]{Core: core, Now: func() int64 { return 0 }}
		if takes := o.Takes(other, test.header.Append(nil, nil)); takes != test.takes || len(core.inputs) == 1 != takes {
			t.Errorf("%s is taken: %t, and the core hears %d", test.name, takes, len(core.inputs))
		}
	}
	o := drive.Own{Self: self}
	var sent []catalog.Peer
	o.Driver = drive.Driver[caller.Input, caller.Effect]{
		Sends: func(to catalog.Peer, _ []byte) { sent = append(sent, to) },
		Offer: func(catalog.Peer, []byte, *loan.Loan) error { return nil },
		Lost:  func(p catalog.Peer) caller.Input { return &caller.Gone{Peer: p} },
	}
	if in, ok := o.CarryOut(&caller.Send{To: self}).(*caller.Gone); !ok || in.Peer != self || len(sent) != 0 {
		t.Errorf("a parcel to the node itself: %v, sent to %v", in, sent)
	}
	if in := o.CarryOut(&caller.Send{To: other}); in != nil || len(sent) != 1 {
		t.Errorf("a parcel to another node: %v, sent to %v", in, sent)
	}
}
