package daemon

import (
	"encoding/json"
	"runtime"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/node"
	"github.com/godwit-run/godwit/parcel"
)

// Report is what a node says about itself.
type Report struct {
	Peer    catalog.Peer `json:"peer"`
	Name    string       `json:"name"`
	Arch    string       `json:"arch"`
	Seconds float64      `json:"seconds"` // since it started
	Shards  []Held       `json:"shards"`
	Core    node.Status  `json:"core"`
	Kernels []Kernel     `json:"kernels"` // compiled
	// Memory, in bytes: of kernels and data, and of everything that Go manages.
	Arena      int64 `json:"arena_bytes"`
	Columns    int64 `json:"column_bytes"` // shards' columns held as a whole
	Heap       int64 `json:"heap_bytes"`
	Goroutines int   `json:"goroutines"`
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
}

func (d *Daemon) report() (*parcel.Answer, error) {
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
		Peer: d.self, Name: d.cfg.Name, Arch: runtime.GOARCH, Seconds: float64(d.now()) / 1e6, Shards: []Held{}, Kernels: []Kernel{},
		Core: d.status(), Arena: d.eng.Arena().InUse(), Columns: d.columns.bytes(), Heap: int64(m.HeapInuse), Goroutines: runtime.NumGoroutine(),
	}
	v := d.view.Load()
	for _, s := range d.cfg.Store.Shards() {
		h := Held{Set: s.Set, Shard: s.Shard, Rows: s.Hi - s.Lo, Bytes: s.Bytes}
		if set, ok := v.Set(s.Set); v != nil && ok {
			h.Name = set.Name
		}
		r.Shards = append(r.Shards, h)
	}
	for _, c := range d.eng.Kernels() {
		r.Kernels = append(r.Kernels, Kernel{c.Hash.Short(), c.Bytes})
	}
	return r
}

func (d *Daemon) status() node.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.core.Status()
}
