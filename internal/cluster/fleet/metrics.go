package fleet

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Out comes one page for Prometheus: what the fleet knows of its nodes, and every figure that a
// node serves by itself, with the label node. A node that does not answer in time is left out.

const (
	scrapeTime = 2 * time.Second
	scrapeMost = 4 << 20 // bytes of one node's page
)

var (
	nodeState  = prometheus.NewDesc("godwit_up_node_state", "1 for the state that a node is in, as godwit up sees it.", []string{"node", "state"}, nil)
	nodeStarts = prometheus.NewDesc("godwit_up_node_starts_total", "Times that godwit up has started a node.", []string{"node"}, nil)
)

// metrics serves the page.
func (f *Fleet) metrics() http.Handler {
	own := prometheus.NewRegistry()
	own.MustRegister(fleetCollector{f})
	return promhttp.HandlerFor(prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		return append(prometheus.Gatherers{own}, f.scrapes()...).Gather()
	}), promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// fleetCollector tells what the fleet knows when somebody asks.
type fleetCollector struct{ f *Fleet }

// Describe implements prometheus.Collector.
func (c fleetCollector) Describe(to chan<- *prometheus.Desc) { to <- nodeState; to <- nodeStarts }

// Collect implements prometheus.Collector.
func (c fleetCollector) Collect(to chan<- prometheus.Metric) {
	for _, n := range c.f.state().Nodes {
		to <- prometheus.MustNewConstMetric(nodeState, prometheus.GaugeValue, 1, n.Name, strings.ReplaceAll(n.State, " ", "_"))
		to <- prometheus.MustNewConstMetric(nodeStarts, prometheus.CounterValue, float64(n.Starts), n.Name)
	}
}

// scrapes asks all nodes at the same time.
func (f *Fleet) scrapes() prometheus.Gatherers {
	f.mu.Lock()
	cards := slices.Clone(f.site.Nodes)
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(f.ctx, scrapeTime)
	defer cancel()
	pages := make(prometheus.Gatherers, len(cards))
	var all sync.WaitGroup
	for i, c := range cards {
		all.Go(func() {
			page, err := scrape(ctx, c.Metrics)
			if err != nil {
				page = nil // it may be starting
			}
			pages[i] = labelled(page, c.Name)
		})
	}
	all.Wait()
	return pages
}

// scrape reads the page of a node.
func scrape(ctx context.Context, address string) (map[string]*dto.MetricFamily, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, r.Status)
	}
	p := expfmt.NewTextParser(model.LegacyValidation)
	return p.TextToMetricFamilies(io.LimitReader(r.Body, scrapeMost))
}

// labelled gives every figure of a page the name of its node.
func labelled(page map[string]*dto.MetricFamily, node string) prometheus.GathererFunc {
	name := "node"
	list := make([]*dto.MetricFamily, 0, len(page))
	for _, family := range page {
		for _, m := range family.Metric {
			m.Label = append(m.Label, &dto.LabelPair{Name: &name, Value: &node})
			slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
		}
		list = append(list, family)
	}
	return func() ([]*dto.MetricFamily, error) { return list, nil }
}
