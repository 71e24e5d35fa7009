package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/run"
)

const slice = 200

var programs = flag.Int("programs", slice, "random programs to run in a cluster")

// oracleSteps are those of programs that the interpreter can take.
const oracleSteps = 10_000_000

// TestRandomPrograms runs random programs whose arrays are data sets in random
// cuts, and compares with the interpreter.
func TestRandomPrograms(t *testing.T) { random(t, *programs, progen.Gen(9)) }

// TestRandomResults does the same with programs whose results are long arrays, many of
// which hold what a filter keeps.
func TestRandomResults(t *testing.T) {
	n := random(t, max(1, *programs/4), progen.Long())
	if n.kept*8 < n.agree {
		t.Errorf("of %d programs only %d kept something beside shards", n.agree, n.kept)
	}
}

// random takes programs of a generator; with far, the arrays lie in the far memory that it starts.
func random(t *testing.T, checks int, gen *rapid.Generator[*progen.Program], far ...func(*bed)) *tally {
	if err := flag.Set("rapid.checks", fmt.Sprint(checks)); err != nil {
		t.Fatal(err)
	}
	// The slice that every test run takes is always the same, so that a red
	// run is due to the change; longer runs draw new programs each time.
	if seed := flag.Lookup("rapid.seed"); *programs == slice && seed.Value.String() == "0" {
		if err := seed.Value.Set("20261121"); err != nil {
			t.Fatal(err)
		}
	}
	n := &tally{bed: newBed(t, 4), gen: gen, isFar: len(far) > 0}
	for _, start := range far {
		start(n.bed)
	}
	rapid.Check(t, n.one)
	t.Logf("%d programs agree (%d of them in a fault), %d too large for the interpreter; %d launches beside shards, in %d programs",
		n.agree, n.faults, n.large, n.launches, n.away)
	if n.away*4 < n.agree {
		t.Errorf("of %d programs only %d ran anything beside shards", n.agree, n.away)
	}
	return n
}

type tally struct {
	*bed
	gen                  *rapid.Generator[*progen.Program]
	agree, faults, large int
	isFar                bool
	whole                int // of programs something ran as a whole beside the one shard of a set
	kept                 int // programs of which something kept elements beside shards
	away                 int // programs of which something ran beside shards
	launches             int64
}

func (n *tally) one(t *rapid.T) {
	p := n.gen.Draw(t, "program")
	cut := cluster.LoadOptions{
		Shards:   rapid.IntRange(1, 5).Draw(t, "shards"),
		Replicas: rapid.IntRange(1, 2).Draw(t, "replicas"),
		By:       rapid.SampledFrom([]string{"blocks", "rows"}).Draw(t, "by"),
		Replace:  true,
		Far:      n.isFar,
	}
	if n.isFar {
		cut.Shards, cut.Replicas = rapid.SampledFrom([]int{1, 1, 1, 3}).Draw(t, "far shards"), 1
	}
	n.small = rapid.SampledFrom([]int64{0, 0, 1, 64, 4096}).Draw(t, "piece")
	strategy := rapid.SampledFrom([]cluster.Strategy{cluster.Ship, cluster.Ship, cluster.Ship, cluster.Ship, cluster.Auto, cluster.Auto, cluster.Fetch, cluster.Gather, cluster.Single}).Draw(t, "strategy")
	// Whatever is expected, every choice gives the same bits.
	doubt := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "doubt"), 1))
	n.doubt = cluster.Wrong(func() float64 { return math.Exp2(6*doubt.Float64() - 3) })
	// Joined arrays of the same length are columns of one data set; otherwise each is
	// one of its own.
	joined := rapid.Bool().Draw(t, "joined") || n.isFar // a step takes one set of far memory
	f, here, tables, err := bound(p)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Source)
	}
	want, err := n.oracle(f, here)
	if errors.Is(err, interp.ErrSteps) {
		n.large++
		return
	}
	if err != nil {
		t.Fatalf("interpreter: %v\n%s", err, p.Source)
	}
	if joined {
		tables = join(tables)
	}
	if n.isFar && len(tables) > 1 && rapid.IntRange(0, 3).Draw(t, "all") > 0 {
		i := rapid.IntRange(0, len(tables)-1).Draw(t, "far") // the others stay here
		tables = tables[i : i+1]
	}
	there, err := n.stored(here, tables, cut)
	if err != nil {
		t.Fatalf("%+v: %v", cut, err)
	}
	got, err := n.beside(context.Background(), f, there, strategy)
	if err == nil {
		err = same(want, got)
	}
	if err != nil {
		t.Fatalf("%s over %+v, joined %v, pieces of %d bytes: %v\nsizes %v\n%s", strategy, cut, joined, n.small, err, p.Sizes, p.Source)
	}
	if strings.Contains(got.places(), "as a whole") {
		n.whole++
	}
	n.agree++
	n.launches += got.away
	if got.away > 0 {
		n.away++
	}
	if strings.Contains(got.places(), "what is kept") {
		n.kept++
	}
	if want.fault != "" {
		n.faults++
	}
}

// table is arrays of the same length: the columns of all of them.
type table struct {
	name          string
	rows          int64
	cols          []data.Column
	values, valid [][]byte
	params        map[string]string // by parameter the column, or "" for all by their names
}

func (t *table) source() data.Source {
	return data.FromBytes(t.name, t.cols, t.rows, t.values, t.valid)
}

// bound compiles a random program and gives its arguments the forms that
// binding takes: arrays are tables.
func bound(p *progen.Program) (*compile.Func, compile.Args, []*table, error) {
	prog, err := compile.Check(diag.NewSource("random.gw", p.Source))
	if err != nil {
		return nil, nil, nil, err
	}
	f, err := prog.Func("f")
	if err != nil {
		return nil, nil, nil, err
	}
	args := compile.Args{}
	var tables []*table
	for i, param := range p.Params {
		t := f.Graph.Body.Params[i].Type
		if len(param.Columns[0].Dims) > 0 {
			tab := tabular(t, &param)
			args[param.Name] = compile.Table{Source: tab.source()}
			tables = append(tables, tab)
			continue
		}
		v, err := value.New(t, func(n string) (int64, bool) { x, ok := p.Sizes[n]; return x, ok })
		if err != nil {
			return nil, nil, nil, err
		}
		for j := range param.Columns {
			v.Columns[j].Set(0, param.Columns[j].Bits[0])
		}
		args[param.Name] = compile.Value{Value: v}
	}
	return f, args, tables, nil
}

// tabular gives an array a column for each leaf; an option's presence goes with its value.
func tabular(t *graph.Type, p *progen.Param) *table {
	tab := &table{name: p.Name, rows: p.Columns[0].Dims[0], params: map[string]string{p.Name: ""}}
	var present []byte
	for j, l := range graph.Leaves(t) {
		c := &p.Columns[j]
		b := make([]byte, len(c.Bits)*c.Kind.Size())
		for i, bits := range c.Bits {
			column.Put(c.Kind, b, int64(i), bits)
		}
		if l.Presence { // of the leaf that follows
			present = b
			continue
		}
		name := strings.TrimPrefix(l.Path, ".")
		if name == "" {
			name = "c"
		}
		tab.cols = append(tab.cols, data.Column{Name: name, Kind: c.Kind, Stored: c.Kind.String(), Dims: c.Dims[1:], Nullable: present != nil})
		tab.values, tab.valid, present = append(tab.values, b), append(tab.valid, present), nil
	}
	return tab
}

// join puts tables of one column and the same length together.
func join(list []*table) []*table {
	byRows := map[int64]*table{}
	var out []*table
	for _, t := range list {
		if len(t.cols) > 1 {
			out = append(out, t)
			continue
		}
		all := byRows[t.rows]
		if all == nil {
			all = &table{name: fmt.Sprint("rows", len(byRows)), rows: t.rows, params: map[string]string{}}
			byRows[t.rows] = all
			out = append(out, all)
		}
		t.cols[0].Name = t.name
		all.cols, all.values, all.valid = append(all.cols, t.cols...), append(all.values, t.values...), append(all.valid, t.valid...)
		all.params[t.name] = t.name
	}
	return out
}

// oracle runs the interpreter.
func (n *tally) oracle(f *compile.Func, args compile.Args) (*outcome, error) {
	b, err := f.Bind(args)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	values, _, err := b.Values(context.Background())
	if err != nil {
		return nil, err
	}
	v, fault, err := interp.Run(f.Graph, b.Sizes(), values, interp.Options{Steps: oracleSteps})
	if err != nil {
		return nil, err
	}
	if fault != nil {
		return &outcome{fault: (&run.FaultError{Site: fault.Site, Index: fault.Index}).Error()}, nil
	}
	return &outcome{columns: v.Columns}, nil
}

// stored makes data sets of all tables.
func (n *tally) stored(here compile.Args, tables []*table, cut cluster.LoadOptions) (compile.Args, error) {
	args := maps.Clone(here)
	for _, t := range tables {
		if err := n.load(t.source(), t.name, cut); err != nil {
			return nil, err
		}
		src, err := n.Client.Open(t.name)
		if err != nil {
			return nil, err
		}
		for param, col := range t.params {
			args[param] = compile.Table{Source: src, Column: col}
		}
	}
	return args, nil
}
