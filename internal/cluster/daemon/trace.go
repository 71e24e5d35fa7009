package daemon

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// trace logs a parcel that comes or goes. Who follows a request through the cluster
// looks for its trace, the caller's number and the request's, in the logs of
// all nodes.
func (d *Daemon) trace(what, side string, peer catalog.Peer, b []byte) {
	if !d.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	h, code, _, err := parcel.ReadHeader(b)
	if err != nil {
		d.log.Debug("malformed parcel "+what, side, peer, "bytes", len(b), "reason", err)
		return
	}
	d.log.Debug("parcel "+what, "trace", fmt.Sprintf("%08x-%016x", uint32(h.Caller), h.Request), side, peer, "kind", h.Kind.String(),
		"bytes", len(b), "code_bytes", len(code), "hops_left", h.Hops, "left_us", h.Left)
}
