package simulate

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Columns of the tables.
const (
	numV = 0 // f64, of which sums depend on the order
	numK = 1 // i64, groups
	numX = 2 // i64, of which some squares do not fit

	webNext   = 0 // i64, an index
	webHalt   = 1 // i64, 0 ends a chase
	webWeight = 2 // i64, of which some sums do not fit
	webKeys   = 3 // i64, ascending
)

// table is a data set with its contents.
type table struct {
	set     catalog.Set
	values  [][]byte
	sources []data.Source // of the shards
}

func newTable(id uint32, name string, kinds []num.Kind, rows int64, values [][]byte) *table {
	t := &table{set: catalog.Set{ID: id, Name: name, Rows: rows, By: "rows"}, values: values}
	for _, k := range kinds {
		t.set.Columns = append(t.set.Columns, catalog.Column{Kind: k, Stored: k.String()})
	}
	return t
}

// cut makes shards that begin at the rows of bounds.
func (t *table) cut(bounds []int64) {
	for i, lo := range bounds {
		hi := t.set.Rows
		if i+1 < len(bounds) {
			hi = bounds[i+1]
		}
		t.set.Shards = append(t.set.Shards, catalog.Shard{Lo: lo, Hi: hi})
		t.sources = append(t.sources, t.source(lo, hi, t.values))
	}
}

// source is rows lo..hi of some values.
func (t *table) source(lo, hi int64, all [][]byte) data.Source {
	var columns []data.Column
	var values [][]byte
	for c, v := range all {
		k := t.set.Columns[c].Kind
		columns = append(columns, data.Column{Name: k.String(), Kind: k, Stored: k.String()})
		values = append(values, v[lo*int64(k.Size()):hi*int64(k.Size())])
	}
	return data.FromBytes(t.set.Name, columns, hi-lo, values, nil)
}

// stale is a shard with other contents than it has; indices stay as they are.
func (t *table) stale(shard int) data.Source {
	old := slices.Clone(t.values)
	for c := range old {
		if t.set.Name == "web" && c == webNext {
			continue
		}
		old[c] = slices.Clone(old[c])
		for i := 0; i < len(old[c]); i += 8 {
			old[c][i] ^= 1
		}
	}
	s := &t.set.Shards[shard]
	return t.source(s.Lo, s.Hi, old)
}

// cuts draws up to n shards that begin at multiples of step.
func cuts(r *rand.Rand, rows, step int64, n int) []int64 {
	bounds := []int64{0}
	for range n - 1 {
		bounds = append(bounds, r.Int64N((rows-1)/step+1)*step)
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

// numbers are the contents of tables for folds; worlds cut them in their own
// ways.
type numbers struct {
	rows   int64
	values [][]byte
	mu     sync.Mutex
	known  map[*program]outcome
}

var (
	few  = sync.OnceValue(func() *numbers { return newNumbers(9*num.Leaf + 77) })
	many = sync.OnceValue(func() *numbers { return newNumbers(3*num.KeyedLeaf(8) + 1000) })
)

func newNumbers(rows int64) *numbers {
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	n := &numbers{rows: rows, values: make([][]byte, 3), known: map[*program]outcome{}}
	for range rows {
		n.values[numV] = binary.LittleEndian.AppendUint64(n.values[numV], math.Float64bits(math.Exp(8*r.NormFloat64())*float64(1-2*r.IntN(2))))
		n.values[numK] = binary.LittleEndian.AppendUint64(n.values[numK], uint64(r.Int64N(9)))
		x := r.Int64N(1000)
		if r.IntN(5000) == 0 {
			x = 1 << 40
		}
		n.values[numX] = binary.LittleEndian.AppendUint64(n.values[numX], uint64(x))
	}
	return n
}

func (n *numbers) table(id uint32, name string) *table {
	return newTable(id, name, []num.Kind{num.F64, num.I64, num.I64}, n.rows, n.values)
}

// outcome is that of a program over the whole, computed once.
func (n *numbers) outcome(p *program, t *table) (outcome, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if o, ok := n.known[p]; ok {
		return o, nil
	}
	e := p.evaluate(t, nil)
	if err := e.whole(); err != nil {
		return outcome{}, err
	}
	n.known[p] = e.outcome()
	return n.known[p], nil
}

// newWeb draws a table for walks.
func newWeb(r *rand.Rand, id uint32) *table {
	rows := r.Int64N(200) + 1
	values := make([][]byte, 4)
	key := int64(0)
	for i := range rows {
		next := r.Int64N(rows)
		if r.IntN(2) == 0 {
			next = (i + 1) % rows // stays in its shard for a while
		}
		halt, weight := int64(1), r.Int64N(100)
		if r.IntN(40) == 0 {
			halt = 0
		}
		if r.IntN(30) == 0 {
			weight = math.MaxInt64 - 1000
		}
		key += r.Int64N(3)
		for c, v := range [][2]int64{webNext: {next}, webHalt: {halt}, webWeight: {weight}, webKeys: {key}} {
			values[c] = binary.LittleEndian.AppendUint64(values[c], uint64(v[0]))
		}
	}
	return newTable(id, "web", []num.Kind{num.I64, num.I64, num.I64, num.I64}, rows, values)
}
