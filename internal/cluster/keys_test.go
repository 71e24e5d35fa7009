package cluster_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// TestKeysOfCells: keys of all types are made of their cells where rows lie on other machines: nobody goes there for them, and they are as the
// rows have them.
func TestKeysOfCells(t *testing.T) {
	src := array(num.I64, 20_000, nil, 3, 1<<40)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3}); err != nil {
		t.Fatal(err)
	}
	keys := []struct {
		name, key string
		held      bool // much work, or with faults: made once, and brought here
	}{
		{"i64", "x % 90 - 45", false},
		{"i8", "(x % 90 - 45) as i8", true},
		{"u64", "(x % 90) as u64 + 18446744073709551000", true},
		{"bool", "x % 3 == 1", false},
		{"Date", "(x % 90 - 45) as Date", false},
		{"Option<i64>", "if x % 4 == 0 { None } else { Some(x % 7 - 3) }", false},
		{"(i64, bool, i64)", "(x % 9 - 4, x % 2 == 0, x % 5 - 7)", false},
		{"(Option<i64>, (i64, Option<bool>))", "(if x % 4 == 0 { None } else { Some(x % 7 - 3) }, (x % 11 - 5, if x % 3 == 0 { Some(x % 2 == 0) } else { None }))", true},
		{"idx<91>", "(x % 91).clamp_idx::<91>()", false},
	}
	for _, k := range keys {
		name, key := k.name, k.key
		texts := []string{"fn f(v: &[i64; N]) -> [" + name + "; ?G <= N] { v.map(|x| " + key + ").distinct() }"}
		if name != "idx<91>" { // of which the groups are known
			texts = append(texts, "fn f(v: &[i64; N]) -> [("+name+", i64, i64); ?G <= N] { v.group_by(|x| "+key+").agg(|g| (g.key(), g.count(), g.max(|x| x))) }")
		}
		for _, text := range texts {
			got, err := b.agrees(text, src, "v", b.Client.Beside(cluster.Ship))
			if err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
				continue
			}
			for _, p := range got.Stats.Places {
				if held := strings.Contains(p, "map map:1: beside"); (!held || !k.held) && !strings.Contains(p, "leaves of") && !strings.Contains(p, "groups of") {
					t.Errorf("%s: %s: more than folds went to the rows: %s", name, text, p)
				}
			}
		}
	}
}

// TestIndexedMapsKeepFaults: elements of a map that are asked for by their index are computed for themselves, but not where another element's fault
// would be lost.
func TestIndexedMapsKeepFaults(t *testing.T) {
	src := array(num.I64, 20_000, nil, 3, 1<<40)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3}); err != nil {
		t.Fatal(err)
	}
	remote, err := b.Client.Open("v")
	if err != nil {
		t.Fatal(err)
	}
	const text = "fn f(v: &[i64; N]) -> (i64, i64) where N: Range<2, 1_000_000> { let y = v.map(|x| %s); (y[0.clamp_idx()], y[1.clamp_idx()]) }"
	for _, c := range []struct {
		body   string
		faults bool
	}{{"x / 3 - 1", false}, {"1000 / (x % 90)", true}} {
		f := compiled(t, diag.NewSource("f.gw", fmt.Sprintf(text, c.body)))
		for name, source := range map[string]data.Source{"here": src, "there": remote} {
			got, err := b.run(t.Context(), f, compile.Args{"v": compile.Table{Source: source}}, run.Options{Beside: b.Client.Beside(cluster.Ship)})
			if err != nil {
				t.Fatal(err)
			}
			if (got.fault != "") != c.faults {
				t.Errorf("%s, rows %s: fault %q", c.body, name, got.fault)
			}
		}
	}
}
