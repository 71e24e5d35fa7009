package daemon

import (
	"cmp"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Connected is a peer with which the node has a connection.
type Connected struct {
	Peer catalog.Peer `json:"peer"`
	Way  string       `json:"way"` // of parcels to it: "ring", through memory of this machine, "fabric", over UCX, or "stream"
}

// waying is a transport with several ways.
type waying interface {
	// Ways are those to all connected peers.
	Ways() map[catalog.Peer]string
}

// connected are the node's peers, if its transport knows.
func (d *Daemon) connected() []Connected {
	list := []Connected{}
	if t, ok := d.net.(waying); ok {
		for p, way := range t.Ways() {
			list = append(list, Connected{p, way})
		}
	}
	slices.SortFunc(list, func(a, b Connected) int { return cmp.Compare(a.Peer, b.Peer) })
	return list
}
