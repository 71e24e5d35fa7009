package daemon

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// metrics is what a node tells Prometheus. Most of it is read from the core
// when somebody asks.
type metrics struct {
	d       *Daemon
	all     *prometheus.Registry
	compile prometheus.Histogram
	run     prometheus.Histogram
	read    prometheus.Counter
	lost    *prometheus.CounterVec
	faults  prometheus.Counter

	damaged, scrubbed prometheus.Counter
}

func newMetrics(d *Daemon) *metrics {
	m := &metrics{
		d: d, all: prometheus.NewRegistry(),
		compile: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "godwit_compile_seconds", Help: "Time to verify and compile a kernel.", Buckets: prometheus.ExponentialBuckets(50e-6, 2, 14),
		}),
		run: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "godwit_job_seconds", Help: "Time of jobs that run kernels beside shards.", Buckets: prometheus.ExponentialBuckets(20e-6, 4, 12),
		}),
		read:   prometheus.NewCounter(prometheus.CounterOpts{Name: "godwit_read_bytes_total", Help: "Bytes read from shards by kernels."}),
		lost:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "godwit_unsent_total", Help: "Parcels that could not be sent, by reason."}, []string{"reason"}),
		faults: prometheus.NewCounter(prometheus.CounterOpts{Name: "godwit_faults_total", Help: "Faults of programs that kernels reported."}),
	}
	m.damaged = prometheus.NewCounter(prometheus.CounterOpts{Name: "godwit_damaged_shards_total", Help: "Shards that were set aside because their files were damaged or missing."})
	m.scrubbed = prometheus.NewCounter(prometheus.CounterOpts{Name: "godwit_scrubbed_bytes_total", Help: "Bytes of shards read again from the disk and compared with their checksums."})
	m.all.MustRegister(m.compile, m.run, m.read, m.lost, m.faults, m.damaged, m.scrubbed, coreCollector{d}, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) compiled(t time.Duration) { m.compile.Observe(t.Seconds()) }

// unsent counts a parcel that the transport did not take.
func (m *metrics) unsent(err error) {
	reason := "closed"
	switch {
	case errors.Is(err, transport.ErrUnreachable):
		reason = "unreachable"
	case errors.Is(err, transport.ErrFull):
		reason = "full"
	}
	m.lost.WithLabelValues(reason).Inc()
}

// Metrics serves the node's figures in the format of Prometheus.
func (d *Daemon) Metrics() http.Handler {
	return promhttp.HandlerFor(&gatherer{of: d.metrics.all}, promhttp.HandlerOpts{})
}

// gatherings is how long figures that were gathered are given again. To gather them costs
// milliseconds, and anybody may ask.
const gatherings = 100 * time.Millisecond

type gatherer struct {
	of prometheus.Gatherer

	mu   sync.Mutex
	at   time.Time
	last []*dto.MetricFamily
}

// Gather implements prometheus.Gatherer.
func (g *gatherer) Gather() ([]*dto.MetricFamily, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.at) < gatherings {
		return g.last, nil
	}
	all, err := g.of.Gather()
	if err == nil {
		g.at, g.last = time.Now(), all
	}
	return all, err
}

// coreCollector reads the core's counters when they are asked for.
type coreCollector struct{ d *Daemon }

var (
	descParcels = describe("parcels_total", "Parcels by kind and direction.", "kind", "direction")
	descBytes   = describe("parcel_bytes_total", "Bytes of parcels by direction.", "direction")
	descCode    = describe("code_bytes_total", "Bytes of kernels in parcels by direction.", "direction")
	descCache   = describe("code_lookups_total", "Parcels that needed a kernel, by whether it was known.", "result")
	descRefused = describe("refusals_total", "Failures answered, by reason.", "reason")
	descDropped = describe("dropped_total", "Parcels about which nothing was done, by cause.", "cause")
	descGauges  = describe("in_hand", "What the node has in hand now.", "what")
	descPeers   = describe("peers", "Connected peers, by the way that parcels go to them: ring, through memory of this machine, or stream.", "way")
	descMemory  = describe("memory_bytes", "Memory of kernels, data and workers, by use.", "use")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("godwit_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector: without descriptions, what is
// collected is not checked beforehand.
func (c coreCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c coreCollector) Collect(out chan<- prometheus.Metric) {
	s := c.d.status()
	count := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	for kind, n := range s.In {
		count(descParcels, n, kind, "in")
	}
	for kind, n := range s.Out {
		count(descParcels, n, kind, "out")
	}
	count(descBytes, s.BytesIn, "in")
	count(descBytes, s.BytesOut, "out")
	count(descCode, s.CodeIn, "in")
	count(descCode, s.CodeOut, "out")
	count(descCache, s.CodeHits, "hit")
	count(descCache, s.CodeMisses, "miss")
	for reason, n := range s.Refusals {
		count(descRefused, n, reason)
	}
	for cause, n := range s.Dropped {
		count(descDropped, n, cause)
	}
	gauge(descGauges, int64(s.Requests), "parcels")
	gauge(descGauges, s.Bytes, "parcel bytes")
	gauge(descGauges, int64(s.Parked), "parked parcels")
	gauge(descGauges, int64(s.Queued), "queued jobs")
	gauge(descGauges, int64(s.Jobs), "jobs")
	gauge(descGauges, int64(s.Codes), "kernels")
	ways := map[string]int64{"ring": 0, "fabric": 0, "stream": 0}
	for _, p := range c.d.connected() {
		ways[p.Way]++
	}
	for way, n := range ways {
		gauge(descPeers, n, way)
	}
	gauge(descMemory, c.d.eng.Arena().InUse(), "all")
	gauge(descMemory, c.d.columns.bytes(), "columns")
	if n := c.d.native; n != nil {
		gauge(descMemory, n.workers.Status().Held, "workers")
	}
}
