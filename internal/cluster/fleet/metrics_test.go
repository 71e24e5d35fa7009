package fleet

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/site"
)

// One page has what the fleet knows, and the figures of every node that answers, by node.
func TestMetrics(t *testing.T) {
	t.Parallel()
	node := func(n int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "# HELP godwit_parcels_total Parcels.\n# TYPE godwit_parcels_total counter\ngodwit_parcels_total{way=\"in\"} %d\n", n)
		}))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	f := &Fleet{ctx: t.Context(), site: &site.Site{}, nodes: []*keeper{{name: "n1", state: Ready, starts: 2}, {name: "n3", state: GivenUp, starts: 6}}}
	f.site.Nodes = []site.NodeCard{{Name: "n1", Metrics: node(1)}, {Name: "n2", Metrics: node(2)}, {Name: "n3", Metrics: "127.0.0.1:1"}}
	s := httptest.NewServer(f.metrics())
	defer s.Close()
	r, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", r.Status, err)
	}
	for _, want := range []string{
		`godwit_parcels_total{node="n1",way="in"} 1`, `godwit_parcels_total{node="n2",way="in"} 2`,
		`godwit_up_node_state{node="n1",state="ready"} 1`, `godwit_up_node_state{node="n3",state="given_up"} 1`,
		`godwit_up_node_starts_total{node="n3"} 6`,
	} {
		if !strings.Contains(string(page), want+"\n") {
			t.Errorf("%s is missing in\n%s", want, page)
		}
	}
	if strings.Contains(string(page), `parcels_total{node="n3"`) {
		t.Errorf("a node that does not answer has figures:\n%s", page)
	}
}

// A fleet whose page cannot be served does not start, and says what to do.
func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	opt := fake(t.TempDir(), "exit 1", &said{})
	opt.Metrics = l.Addr().String()
	if err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "metrics cannot be served at "+opt.Metrics) {
		t.Errorf("ended with %v", err)
	}
}
