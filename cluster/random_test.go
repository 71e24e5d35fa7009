package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/cluster"
	"github.com/godwit-run/godwit/column"
	"github.com/godwit-run/godwit/compile"
	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/diag"
	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/interp"
	"github.com/godwit-run/godwit/progen"
	"github.com/godwit-run/godwit/run"
	"github.com/godwit-run/godwit/value"
)

const slice = 200

var programs = flag.Int("programs", slice, "random programs to run in a cluster")

// oracleSteps are those of programs that the interpreter can take.
const oracleSteps = 10_000_000

// TestRandomPrograms runs random programs whose arrays are data sets in random
// cuts, and compares with the interpreter.
func TestRandomPrograms(t *testing.T) {
	if err := flag.Set("rapid.checks", fmt.Sprint(*programs)); err != nil {
		t.Fatal(err)
	}
	// The slice that every test run takes is always the same, so that a red
	// run is due to the change; longer runs draw new programs each time.
	if seed := flag.Lookup("rapid.seed"); *programs == slice && seed.Value.String() == "0" {
		if err := seed.Value.Set("20261121"); err != nil {
			t.Fatal(err)
		}
	}
	n := &tally{bed: newBed(t, 4)}
	rapid.Check(t, n.one)
	t.Logf("%d programs agree (%d of them in a fault), %d too large for the interpreter; %d launches beside shards, in %d programs",
		n.agree, n.faults, n.large, n.launches, n.away)
	if n.away*3 < n.agree {
		t.Errorf("of %d programs only %d ran anything beside shards", n.agree, n.away)
	}
}

type tally struct {
	*bed
	agree, faults, large int
	away                 int // programs of which something ran beside shards
	launches             int64
}

func (n *tally) one(t *rapid.T) {
	p := progen.Gen(9).Draw(t, "program")
	cut := cluster.LoadOptions{
		Shards:   rapid.IntRange(1, 5).Draw(t, "shards"),
		Replicas: rapid.IntRange(1, 2).Draw(t, "replicas"),
		By:       rapid.SampledFrom([]string{"blocks", "rows"}).Draw(t, "by"),
		Replace:  true,
	}
	strategy := rapid.SampledFrom([]cluster.Strategy{cluster.Ship, cluster.Ship, cluster.Auto, cluster.Fetch}).Draw(t, "strategy")
	f, here, err := bound(p)
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
	there, err := n.stored(here, cut)
	if err != nil {
		t.Fatalf("%+v: %v", cut, err)
	}
	got, err := n.beside(context.Background(), f, there, strategy)
	if err == nil {
		err = same(want, got)
	}
	if err != nil {
		t.Fatalf("%s over %+v: %v\nsizes %v\n%s", strategy, cut, err, p.Sizes, p.Source)
	}
	n.agree++
	n.launches += got.away
	if got.away > 0 {
		n.away++
	}
	if want.fault != "" {
		n.faults++
	}
}

// bound compiles a random program and gives its arguments the forms that
// binding takes: arrays as tables.
func bound(p *progen.Program) (*compile.Func, compile.Args, error) {
	prog, err := compile.Check(diag.NewSource("random.gw", p.Source))
	if err != nil {
		return nil, nil, err
	}
	f, err := prog.Func("f")
	if err != nil {
		return nil, nil, err
	}
	args := compile.Args{}
	for i, param := range p.Params {
		if args[param.Name], err = argument(f.Graph.Body.Params[i].Type, &param, p.Sizes); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", param.Name, err)
		}
	}
	return f, args, nil
}

func argument(t *graph.Type, p *progen.Param, sizes map[string]int64) (compile.Arg, error) {
	if len(p.Columns[0].Dims) == 0 {
		v, err := value.New(t, func(n string) (int64, bool) { x, ok := sizes[n]; return x, ok })
		if err != nil {
			return nil, err
		}
		for j := range p.Columns {
			v.Columns[j].Set(0, p.Columns[j].Bits[0])
		}
		return compile.Value{Value: v}, nil
	}
	var cols []data.Column
	var values, valid [][]byte
	var present []byte
	for j, l := range graph.Leaves(t) {
		c := &p.Columns[j]
		b := make([]byte, len(c.Bits)*c.Kind.Size())
		for i, bits := range c.Bits {
			column.Put(c.Kind, b, int64(i), bits)
		}
		if strings.HasSuffix(l.Path, "?") { // of the leaf that follows
			present = b
			continue
		}
		name := strings.TrimPrefix(l.Path, ".")
		if name == "" {
			name = "c"
		}
		cols = append(cols, data.Column{Name: name, Kind: c.Kind, Stored: c.Kind.String(), Dims: c.Dims[1:], Nullable: present != nil})
		values, valid, present = append(values, b), append(valid, present), nil
	}
	return compile.Table{Source: data.FromBytes(p.Name, cols, p.Columns[0].Dims[0], values, valid)}, nil
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
func (n *tally) stored(args compile.Args, cut cluster.LoadOptions) (compile.Args, error) {
	out := compile.Args{}
	for name, a := range args {
		table, ok := a.(compile.Table)
		if !ok {
			out[name] = a
			continue
		}
		if err := n.load(table.Source, name, cut); err != nil {
			return nil, err
		}
		src, err := n.Client.Open(name)
		if err != nil {
			return nil, err
		}
		out[name] = compile.Table{Source: src}
	}
	return out, nil
}
