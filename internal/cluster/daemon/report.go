package daemon

import (
	"encoding/json"
	"runtime"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/packages/worker"
	"github.com/godwit-run/godwit/internal/plan/watch"
)

// Report is what a node says about itself.
type Report struct {
	Peer    catalog.Peer `json:"peer"`
	Name    string       `json:"name"`
	Arch    string       `json:"arch"`
	Seconds float64      `json:"seconds"` // since it started
	Shards  []Held       `json:"shards"`
	Repairs []Repair     `json:"repairs"` // shards that are being copied here
	Core    node.Status  `json:"core"`
	Kernels []Kernel     `json:"kernels"` // compiled
	Objects Objects      `json:"objects"` // native code on disk
	Native  bool         `json:"native"`  // packages may run here, if they are trusted
	// Packages are those that are installed; workers may have to be started again.
	Packages []Package `json:"packages"`
	Workers  *Workers  `json:"workers,omitempty"` // that run them; nil where none may run
	// Memory, in bytes: of kernels and data, and of everything that Go manages.
	Arena      int64 `json:"arena_bytes"`
	Columns    int64 `json:"column_bytes"` // shards' columns held as a whole
	Regions    int64 `json:"region_bytes"` // of packages, and of data that they were granted
	Heap       int64 `json:"heap_bytes"`
	Goroutines int   `json:"goroutines"`

	Peers []Connected `json:"peers"` // with which there are connections

	Damaged []Damaged `json:"damaged"` // shards that were set aside since the node started
	Scrub   Scrubbed  `json:"scrub"`
	// Accused is what pieces of work took much longer or shorter on than was expected.
	Accused []watch.Accusation `json:"accused"`
}

// Held is a shard that the node stores.
type Held struct {
	Set   uint32 `json:"set"`
	Name  string `json:"name,omitempty"` // of the set; empty when it is not in the catalogue
	Shard uint32 `json:"shard"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// Kernel is a kernel that the node knows.
type Kernel struct {
	Hash  string `json:"hash"`
	Bytes int    `json:"bytes"`
	Tier  string `json:"tier"` // "wasm", which may not be made yet, or "native": what it runs on now
}

// Objects are native code that is kept for the node's next life.
type Objects struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Package is a package that the node has installed.
type Package struct {
	Name   string `json:"name"`
	Hash   string `json:"hash"`   // of its contents
	Signer string `json:"signer"` // fingerprint of the key that signed it
	Form   string `json:"form"`   // of the section that was chosen
}

// Workers are the processes that run packages.
type Workers struct {
	worker.Status
	Emulated bool `json:"emulated"`
}

// inquired answers who asks for the node's state, and begins a scrub if an administrator asks
// for one: it takes the disk from all others.
func (d *Daemon) inquired(e *node.Start, q *parcel.Inquiry) (*parcel.Answer, error) {
	if q != nil && q.Scrub {
		if err := d.administers(e); err != nil {
			return nil, err
		}
		d.scrub.ask(q.Rate)
	}
	b, err := json.Marshal(d.Report())
	if err != nil {
		return nil, err
	}
	return &parcel.Answer{Columns: [][]byte{b}}, nil
}

// Report tells what the node holds and has done.
func (d *Daemon) Report() *Report {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r := &Report{
		Peer: d.self, Name: d.cfg.Name, Arch: runtime.GOARCH, Seconds: float64(d.now()) / 1e6, Shards: []Held{}, Kernels: []Kernel{}, Packages: []Package{},
		Core: inJSON(d.status()), Arena: d.eng.Arena().InUse(), Columns: d.columns.bytes(), Heap: int64(m.HeapInuse), Goroutines: runtime.NumGoroutine(),
	}
	r.Repairs = d.repairs.list()
	r.Peers = d.connected()
	r.Damaged, r.Scrub = d.damaged(), d.scrub.report()
	r.Accused = d.accused()
	v := d.view.Load()
	for _, s := range d.cfg.Store.Shards() {
		h := Held{Set: s.Set, Shard: s.Shard, Rows: s.Hi - s.Lo, Bytes: s.Bytes}
		if v != nil { // else the node has not heard of the cluster yet
			if set, ok := v.Set(s.Set); ok {
				h.Name = set.Name
			}
		}
		r.Shards = append(r.Shards, h)
	}
	for _, c := range d.eng.Kernels() {
		r.Kernels = append(r.Kernels, Kernel{c.Hash.String(), c.Safe.Bytes, string(c.Tier())})
	}
	r.Objects.Count, r.Objects.Bytes = d.cfg.Store.Compiled()
	if r.Native = d.native != nil; r.Native {
		r.Packages, r.Regions = d.native.list(), d.native.regions.bytes()
		r.Workers = d.native.describe(d.cfg.Native.Emulated)
	}
	return r
}

func (d *Daemon) status() (s node.Status) {
	d.drive.Between(func() { s = d.core.Status() })
	return s
}

// inJSON gives counters the names that fields have: need_code, kernel_missing.
func inJSON(s node.Status) node.Status {
	for _, m := range []map[string]int64{s.In, s.Out, s.Refusals, s.Dropped} {
		for name, n := range m {
			if field := strings.ReplaceAll(name, " ", "_"); field != name {
				delete(m, name)
				m[field] = n
			}
		}
	}
	return s
}
