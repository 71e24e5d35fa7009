package cluster_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestKeysOfCells: keys of all types are made of their cells where rows lie on other machines: nobody goes there for them, and they are as the
// rows have them.
func TestKeysOfCells(t *testing.T) {
	src := array(num.I64, 20_000, nil, 3, 1<<40)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3}); err != nil {
		t.Fatal(err)
	}
	keys := [][2]string{
		{"i64", "x % 90 - 45"},
		{"i8", "(x % 90 - 45) as i8"},
		{"u64", "(x % 90) as u64 + 9223372036854775800"}, // some are no i64
		{"bool", "x % 3 == 1"},
		{"Date", "(x % 90 - 45) as Date"},
		{"Option<i64>", "if x % 4 == 0 { None } else { Some(x % 7 - 3) }"},
		{"(i64, bool, i16)", "(x % 9 - 4, x % 2 == 0, (x % 5) as i16 - 7)"},
		{"(Option<i64>, (i64, Option<bool>))", "(if x % 4 == 0 { None } else { Some(x % 7 - 3) }, (x % 11 - 5, if x % 3 == 0 { Some(x % 2 == 0) } else { None }))"},
		{"idx<91>", "(x % 91).clamp_idx::<91>()"},
	}
	for _, k := range keys {
		name, key := k[0], k[1]
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
				if !strings.Contains(p, "leaves of") && !strings.Contains(p, "groups of") {
					t.Errorf("%s: %s: more than folds went to the rows: %s", name, text, p)
				}
			}
		}
	}
}
