package simulate

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// what is a cluster that somebody might ask about.
type what struct {
	name  string
	nodes int
	edit  func(m *machine.Machine)
}

// whats are machines that nobody here has: each is the assumed one, edited as a person would edit its file.
var whats = []what{
	{"a rack of 64 nodes with 200 Gb/s", 64, func(m *machine.Machine) {
		m.Processors = 64
		m.Link = machine.Link{RoundTrip: machine.Exactly(10_000), Byte: machine.Exactly(8.0 / 200), Parcel: machine.Exactly(500)}
	}},
	{"disks ten times as fast", 8, func(m *machine.Machine) {
		for threads, mem := range m.Memory {
			mem.File = slices.Clone(mem.File)
			for i := range mem.File {
				mem.File[i].Time = mem.File[i].Time.Times(0.1)
			}
			m.Memory[threads] = mem
		}
		for i := range m.Ways {
			m.Ways[i] /= 10
		}
	}},
	{"nodes without LLVM", 8, func(m *machine.Machine) { delete(m.Engines, "native") }},
	{"links of 20 ms", 8, func(m *machine.Machine) { m.Link.RoundTrip = machine.Exactly(20e6) }},
}

// described is the machine of a what-if.
func (x *what) described(t *testing.T) *machine.Machine {
	text, err := machine.Default().Text()
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	x.edit(m)
	return m
}

// even has shards of the same number of leaves.
func (t *table) even(shards int, leaf int64) *table {
	var bounds []int64
	leaves := (t.set.Rows + leaf - 1) / leaf
	for i := range int64(shards) {
		bounds = append(bounds, i*leaves/int64(shards)*leaf)
	}
	t.cut(slices.Compact(bounds))
	return t
}

// TestWhatIf: on machines that are only described, what is expected of a way is what it takes where every parcel is sent and every job is run, in
// the time that the description says: half of the times are off by a tenth at most, on each of the machines. With -v it prints them all.
func TestWhatIf(t *testing.T) {
	if err := load(); err != nil {
		t.Fatal(err)
	}
	for _, x := range whats {
		t.Run(x.name, func(t *testing.T) {
			m := x.described(t)
			n := newNumbers(int64(max(x.nodes, 32)) * num.Leaf)
			var list []compared
			s := newSupposed(m, x.nodes, n.table(1, "numbers").even(x.nodes, num.Leaf))
			for _, p := range folds[:1] {
				some, err := s.folded(p, n)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, some...)
			}
			web := newWalked(1<<16).even(x.nodes, 1)
			for _, states := range []int{1, 16, 256} {
				some, err := newSupposed(m, x.nodes, web.again()).walked(walks[2], states)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, some...)
			}
			var off []float64
			for i := range list {
				c := &list[i]
				off = append(off, c.off())
				t.Logf("%-36s expected %9.3f ms, simulated %9.3f ms, off by %3.0f %%", c.what, c.expected/1e6, c.taken/1e6, 100*c.off())
			}
			slices.Sort(off)
			if median := off[len(off)/2]; median > 0.1 {
				t.Errorf("half are off by more than %.0f %%", 100*median)
			}
		})
	}
}

// newWalked is a table of so many rows in which walks go anywhere.
func newWalked(rows int64) *table {
	r := rand.New(rand.NewPCG(3, 3))
	values := make([][]byte, 4)
	for i := range rows {
		for c, v := range []int64{webNext: r.Int64N(rows), webHalt: 1, webWeight: 1, webKeys: i} {
			values[c] = binary.LittleEndian.AppendUint64(values[c], uint64(v))
		}
	}
	return newTable(1, "web", []num.Kind{num.I64, num.I64, num.I64, num.I64}, rows, values)
}

// again is the table for another cluster.
func (t *table) again() *table {
	c := *t
	c.set.Shards = append([]catalog.Shard(nil), t.set.Shards...)
	return &c
}
