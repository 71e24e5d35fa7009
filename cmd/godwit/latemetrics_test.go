package main

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// The catalogue's metrics wait in the registry that cmd/godwit/latemetrics put there before the catalogue's server was initialised, and are there
// when they are asked for.
func TestCatalogueMetrics(t *testing.T) {
	if _, ok := prometheus.DefaultRegisterer.(*prometheus.Registry); ok {
		t.Fatal("all metrics were registered at the start")
	}
	list, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.GetName() == "etcd_server_has_leader" {
			return
		}
	}
	t.Errorf("no metric of the catalogue among %d", len(list))
}
