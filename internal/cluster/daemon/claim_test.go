package daemon

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// A scrub is an administrator's order: with a client's certificate, or with none any more, it
// is refused with what to do, and status is not.
func TestScrubIsForAdministrators(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	known := func(catalog.Peer) string { return "" }
	k.certificates.Store(&known)
	for _, c := range []struct {
		client catalog.Peer
		owner  string
		may    bool
	}{
		{catalog.FirstClient + 1, "client/c", false},
		{catalog.FirstClient + 1, "client/admin/c", false},
		{catalog.FirstClient + 1, "", false},
		{catalog.FirstClient + 1, "admin/a", true},
		{7, "", true},
	} {
		e := &node.Start{Client: c.client, Owner: c.owner, Work: &node.Report{Inquiry: &parcel.Inquiry{}}}
		if err := errOf(k.finish(t.Context(), e)); err != nil {
			t.Errorf("%q asks for the status: %v", c.owner, err)
		}
		passes := k.scrub.report().Pass
		e.Work = &node.Report{Inquiry: &parcel.Inquiry{Scrub: true}}
		err := errOf(k.finish(t.Context(), e))
		var w *node.WorkError
		switch {
		case c.may && err != nil:
			t.Errorf("%q: %v", c.owner, err)
		case !c.may && (!errors.As(err, &w) || w.Reason != parcel.Refused || !strings.Contains(w.Detail, "admin/") || k.scrub.report().Pass != passes):
			t.Errorf("%q: %v", c.owner, err)
		}
	}
}

// errOf is why a job failed.
func errOf(in node.Finished) error {
	if f, ok := in.(*node.Failed); ok {
		return f.Err
	}
	return nil
}
