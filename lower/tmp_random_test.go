package lower

import (
	"errors"
	"testing"

	"github.com/godwit-run/godwit/diag"
	"github.com/godwit-run/godwit/elaborate"
	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/interp"
	"github.com/godwit-run/godwit/progen"
	"github.com/godwit-run/godwit/syntax"
	"github.com/godwit-run/godwit/value"
	"pgregory.net/rapid"
)

func TestTmpRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := progen.Gen(9).Draw(t, "p")
		var msgs diag.List
		f := syntax.Parse(diag.NewSource("random.gw", p.Source), &msgs)
		if msgs.Err() != nil {
			t.Fatalf("%v\n%s", msgs.Err(), p.Source)
		}
		prog := elaborate.Check([]*syntax.File{f}, &msgs)
		if msgs.Err() != nil {
			t.Fatalf("%v\n%s", msgs.Err(), p.Source)
		}
		g, err := prog.Graph("f")
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Source)
		}
		if err := graph.Optimize(g, true); err != nil {
			t.Fatalf("%v\n%s", err, p.Source)
		}
		var args []*value.Value
		for i, q := range p.Params {
			v, err := value.New(g.Body.Params[i].Type, func(n string) (int64, bool) { return p.Sizes[n], true })
			if err != nil {
				t.Fatal(err)
			}
			for j, c := range q.Columns {
				for x, b := range c.Bits {
					v.Columns[j].Set(int64(x), b)
				}
			}
			args = append(args, v)
		}
		want, fault, err := interp.Run(g, p.Sizes, args, interp.Options{Steps: 3e6})
		if errors.Is(err, interp.ErrSteps) {
			return
		}
		if err != nil {
			t.Fatalf("interp: %v\n%s", err, p.Source)
		}
		s, err := Lower(g, Options{NonZero: func(n string) bool { return p.Sizes[n] > 0 }})
		if err != nil {
			t.Fatal(err)
		}
		e, err := execute(s, len(g.Sites), p.Sizes, args)
		if err != nil {
			t.Fatalf("execute: %v\n%s", err, p.Source)
		}
		site, index, faulted := e.fault()
		if faulted != (fault != nil) || faulted && (site != fault.Site || index != fault.Index) {
			t.Fatalf("fault: interpreter %v, schedule %v at site %d index %d %v\n%s\n%v", fault, faulted, site, index, g.Sites, p.Source, p.Sizes)
		}
		if faulted {
			return
		}
		if same, where := value.Equal(want, e.result(g.Body.Results[0].Type)); !same {
			t.Fatalf("%s\n%s\n%v\n%s", where, p.Source, p.Sizes, graph.Print(g))
		}
	})
}
