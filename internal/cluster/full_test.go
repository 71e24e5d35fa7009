package cluster_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// full takes every third parcel that it is offered.
type full struct {
	transport.Transport
	offered atomic.Int64
}

func (f *full) Send(to catalog.Peer, b []byte) error {
	if f.offered.Add(1)%3 != 0 {
		return transport.ErrFull
	}
	return f.Transport.Send(to, b)
}

// What a node does not take at the moment is offered again soon, long before the client
// would take it for lost.
func TestFull(t *testing.T) {
	b := newBed(t, 1)
	var net full
	c, err := cluster.Connect(t.Context(), cluster.Config{Control: b.Control, Self: catalog.FirstClient + 5,
		Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (_ transport.Transport, err error) {
			net.Transport, err = b.Network.Join(self, h)
			return &net, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second) // half of a client's patience
	defer cancel()
	list, err := c.Status(ctx)
	if err != nil || len(list) != 1 || list[0].Error != "" {
		t.Errorf("after %d offers: %+v, %v", net.offered.Load(), list, err)
	}
}
