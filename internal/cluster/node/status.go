package node

import "github.com/godwit-run/godwit/internal/cluster/parcel"

// Status is what a node has in flight and has done since it started.
type Status struct {
	In         map[string]int64 `json:"in"`        // parcels received, by kind
	Out        map[string]int64 `json:"out"`       // parcels sent, by kind
	BytesIn    int64            `json:"bytes_in"`  // of all parcels
	BytesOut   int64            `json:"bytes_out"` // likewise
	CodeIn     int64            `json:"code_bytes_in"`
	CodeOut    int64            `json:"code_bytes_out"`
	CodeHits   int64            `json:"code_hits"`   // kernels and packages that were known when a parcel needed them
	CodeMisses int64            `json:"code_misses"` // and that were not
	Refusals   map[string]int64 `json:"refusals"`    // failures answered, by reason
	Dropped    map[string]int64 `json:"dropped"`     // parcels and job ends that nothing was done about, by cause

	Requests   int    `json:"requests"`   // parcels in flight
	Bytes      int64  `json:"bytes"`      // of them
	Parked     int    `json:"parked"`     // of them, waiting for a kernel
	Queued     int    `json:"queued"`     // jobs that wait for their turn, or for states to gather
	Jobs       int    `json:"jobs"`       // running
	Codes      int    `json:"codes"`      // kernels compiled and packages installed
	Packages   int    `json:"packages"`   // of them
	Remembered int    `json:"remembered"` // requests of which only the number is known
	Limits     Limits `json:"limits"`
	// Clients are those with most in flight, then those that used most.
	Clients []ClientStatus `json:"clients"`
}

// The causes for which something is dropped.
const (
	malformed  = iota // it cannot be read
	duplicate         // its request is in flight already
	cancelled         // its request was cancelled
	unexpected        // nothing here waits for it
	causes
)

var causeNames = [causes]string{"malformed", "duplicate", "cancelled", "unexpected"}

const (
	maxKinds   = int(parcel.Copy) + 1
	maxReasons = int(parcel.Crashed) + 1
)

type counts struct {
	in, out           [maxKinds]int64
	bytesIn, bytesOut int64
	codeIn, codeOut   int64
	hits, misses      int64
	refusals          [maxReasons]int64
	dropped           [causes]int64
}

// Status tells what the node has in flight and has done.
func (c *Core) Status() Status {
	n := &c.counts
	s := Status{
		In: byKind(&n.in), Out: byKind(&n.out), BytesIn: n.bytesIn, BytesOut: n.bytesOut, CodeIn: n.codeIn, CodeOut: n.codeOut,
		CodeHits: n.hits, CodeMisses: n.misses, Refusals: map[string]int64{}, Dropped: map[string]int64{},
		Requests: c.parcels, Bytes: c.bytes, Parked: c.parked, Jobs: len(c.jobs), Limits: c.limits, Clients: c.clientStatus(),
	}
	for i := range c.lanes {
		s.Queued += c.lanes[i].queued
	}
	for i, v := range n.refusals {
		if v > 0 {
			s.Refusals[parcel.Reason(i).String()] = v
		}
	}
	for i, v := range n.dropped {
		if v > 0 {
			s.Dropped[causeNames[i]] = v
		}
	}
	for _, e := range c.codes.byPrefix {
		if e.ready {
			s.Codes++
		}
		if e.ready && e.native {
			s.Packages++
		}
	}
	for r := c.oldest; r != nil; r = r.next {
		if r.held == 0 {
			s.Remembered++
		}
		for a := range r.advancing() {
			if a.behind {
				s.Queued++
			}
		}
	}
	return s
}

func byKind(n *[maxKinds]int64) map[string]int64 {
	m := map[string]int64{}
	for i, v := range n {
		if v > 0 {
			m[parcel.Kind(i).String()] = v
		}
	}
	return m
}
