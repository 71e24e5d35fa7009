package site

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
)

// Whoever reaches the port of metrics may read them, so what a connection can do to the
// node is little: send one small request within metricsTime, beside a few others. Who scrapes
// connects again.
const (
	metricsTime   = 30 * time.Second
	metricsHead   = 8 << 10
	metricsAtOnce = 64
	metricsEach   = 16 // of one address
)

// serveMetrics serves /metrics if that was asked for.
func (cfg *NodeConfig) serveMetrics(d *daemon.Daemon) (func(), error) {
	return ServeMetrics(cfg.Metrics, d.Metrics())
}

// ServeMetrics serves /metrics at HOST:PORT until the function that it gives is called; nothing if
// there is no address.
func ServeMetrics(address string, metrics http.Handler) (func(), error) {
	if address == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics cannot be served at %s: %w; name another HOST:PORT with --metrics", address, err)
	}
	s := metricsServer(metrics)
	go func() { _ = s.Serve(metricsGate(l)) }() // ends with Close
	return func() { _ = s.Close() }, nil
}

func metricsGate(l net.Listener) net.Listener {
	return gate.New(l, gate.Limits{Strangers: metricsAtOnce, PerAddress: metricsEach, PerOwner: 1, Patience: metricsTime})
}

func metricsServer(metrics http.Handler) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("/metrics", metrics)
	s := &http.Server{
		Handler: mux, MaxHeaderBytes: metricsHead,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: metricsTime,
	}
	s.SetKeepAlivesEnabled(false) // else requests come one upon the other, and cost a processor
	return s
}
