package node

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

const client = catalog.FirstClient + 1

var roomy = Limits{Parcels: 1 << 10, Bytes: 64 << 20, Steps: 1 << 40, Turns: 1 << 12, Codes: 64, Jobs: 2, Retry: 1000, RegionBytes: 1 << 30, CodeBytes: 64 << 20, Calls: 2}

// halves is a view of two nodes with one half of set 7 each.
func halves() *catalog.View {
	return &catalog.View{Revision: 1,
		Nodes: []catalog.Node{{Peer: 1, Incarnation: 1}, {Peer: 2, Incarnation: 1}},
		Sets: []catalog.Set{{ID: 7, Name: "chain", Rows: 100, Shards: []catalog.Shard{
			{Lo: 0, Hi: 50, Replicas: []catalog.Peer{1}}, {Lo: 50, Hi: 100, Replicas: []catalog.Peer{2}}}}},
	}
}

// walkParcel is a Walk of one state that wants a row.
func walkParcel(number uint64, code []byte, want int64) []byte {
	b := &parcel.Batch{Set: 7, Sizes: []int64{100}, Columns: []parcel.Far{{Column: 0, Bound: 100}}, States: 1,
		Kinds: []byte{byte(num.I64), byte(num.I64), byte(num.I64), byte(num.U32)}, Keep: 0b1110,
		Values: [][]byte{make([]byte, 8), make([]byte, 8), make([]byte, 8), make([]byte, 4)}}
	binary.LittleEndian.PutUint64(b.Values[0], uint64(want))
	h := parcel.Header{Kind: parcel.Walk, Hops: 4096, Left: 10_000_000, Request: number, Caller: client, Code: parcel.PrefixOf(kernel.Hash(code))}
	return b.Append(h.Append(nil, nil))
}

// warm is a node that knows a kernel.
func warm(b *testing.B, code []byte) *Core {
	c := New(1, roomy)
	c.Step(0, &Learned{View: halves()})
	raw := walkParcel(0, code, 0)
	h, _, payload, err := parcel.ReadHeader(raw)
	if err != nil {
		b.Fatal(err)
	}
	h.Flags |= parcel.Carries
	out := c.Step(0, &Received{From: client, Bytes: append(h.Append(nil, code), payload...)})
	out = c.Step(0, &Compiled{Ended: Ended{Job: out[0].(*Start).Job}})
	f := out[0].(*Start)
	binary.LittleEndian.PutUint64(f.Work.(*Advance).Batch.Values[0], ^uint64(0))
	c.Step(0, &Advanced{Ended: Ended{Job: f.Job}, Batch: f.Work.(*Advance).Batch, Steps: 1})
	return c
}

// BenchmarkWalk is what a node spends on a state that comes, runs and goes on
// to another owner. The two steps are also reported one by one; each figure has
// the time of reading the clock in it.
func BenchmarkWalk(b *testing.B) {
	code := []byte("kernel")
	for _, bench := range []struct {
		name     string
		requests uint64
	}{{"new", 1 << 40}, {"known", 16}} {
		b.Run(bench.name, func(b *testing.B) {
			c := warm(b, code)
			template := walkParcel(1, code, 10)
			raw := make([]byte, len(template))
			var effects []Effect
			var received, finished time.Duration
			b.ReportAllocs()
			for i := range b.N {
				copy(raw, template)
				binary.LittleEndian.PutUint64(raw[8:], 1+uint64(i)%bench.requests)
				t0 := time.Now()
				effects = c.StepInto(effects[:0], int64(i), &Received{From: 2, Bytes: raw})
				t1 := time.Now()
				start := effects[0].(*Start)
				batch := start.Work.(*Advance).Batch
				binary.LittleEndian.PutUint64(batch.Values[0], 77)
				t2 := time.Now()
				effects = c.StepInto(effects[:0], int64(i), &Advanced{Ended: Ended{Job: start.Job}, Batch: batch, Steps: 3})
				finished += time.Since(t2)
				received += t1.Sub(t0)
				if len(effects) != 1 || effects[0].(*Send).To != 2 {
					b.Fatalf("effects %v", effects)
				}
			}
			b.ReportMetric(float64(received.Nanoseconds())/float64(b.N), "received-ns")
			b.ReportMetric(float64(finished.Nanoseconds())/float64(b.N), "finished-ns")
		})
	}
}
