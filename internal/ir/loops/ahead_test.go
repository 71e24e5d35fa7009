package loops

import (
	"strings"
	"testing"
)

// What indices tell beforehand, and what they do not: r3 holds indices, r4 is a table that may change.
func TestAhead(t *testing.T) {
	e := nests
	e.Weaves = true
	const begin, end = "for v8 in v3..v4 {\n", "store r2 v8 v7\n yield"
	const index = "v20 = load r3 v8\n"
	for _, c := range []struct {
		name, text string
		told       int
	}{
		{"a place", begin + index + "v21 = load r4 v20\n" + end, 1},
		{"the same place twice", begin + index + "v21 = load r4 v20\n store r4 v20 v8\n" + end, 1},
		{"a place that is computed", begin + index + "v21 = mul i64 v20 v5\n v22 = bound v21 < 200\n v23 = load r4 v22\n" + end, 1},
		{"places of every other index", begin + "v19 = mul i64 v8 v5\n v18 = bound v19 < 200\n" + strings.Replace(index, "v8", "v18", 1) + "v21 = load r4 v20\n" + end, 0}, // which is held in bounds
		{"two places", begin + index + "v21 = load r4 v20\n v22 = load r3 v20\n" + end, 2},
		{"a place that depends on the turn", begin + index + "v21 = add i64 v20 v8\n v22 = bound v21 < 200\n v23 = load r4 v22\n" + end, 0},
		{"a place that is loaded on the way", begin + index + "v21 = load r4 v20\n v22 = bound v21 < 200\n v23 = load r4 v22\n" + end, 1},
		{"an index that changes", begin + "v20 = load r4 v8\n v21 = bound v20 < 200\n v22 = load r3 v21\n" + end, 0},
		{"an index in a branch", begin + "v19 = lt i64 v8 v6\n v22 = if v19 {\n" + index + "v21 = load r4 v20\n yield v21\n } else {\n yield v8\n }\n" + end, 0},
		{"a place in a branch", begin + index + "v19 = lt i64 v8 v6\n v22 = if v19 {\n v21 = load r4 v20\n yield v21\n } else {\n yield v8\n }\n" + end, 1},
		{"a row", begin + index + "for v21 in v3..v5 {\n v22 = add i64 v20 v21\n v23 = bound v22 < 200\n v24 = load r4 v23\n yield\n }\n" + end, 1},
		{"a row that begins at the index", begin + index + "for v21 in v20..v6 {\n v22 = bound v21 < 200\n v23 = load r4 v22\n yield\n }\n" + end, 0},
		{"a probe", begin + index + "v21 = for v22 in v3..v6, v23 i64 = v20 {\n v24 = add i64 v23 v5\n v25 = bound v23 < 200\n v26 = load r4 v25\n yield v24\n }\n" + end, 1},
		{"a sum that begins with the index", begin + index + "v21 = for v22 in v3..v6, v23 i64 = v20 {\n v24 = bound v22 < 200\n v25 = load r4 v24\n v26 = add i64 v23 v25\n yield v26\n }\n" + end, 0},
		{"a size in the turn", begin + "v19 = size s0\n" + index + "v21 = min i64 v20 v19\n v22 = bound v21 < 200\n v23 = load r4 v22\n" + end, 1},
		{"no index", begin + "v21 = load r4 v8\n" + end, 0},
	} {
		k, in := loop(t, c.text)
		a := Of(k, e)
		if got := len(a.Ahead(in)); got != c.told {
			t.Errorf("%s: %d places are told, expected %d", c.name, got, c.told)
		}
		if a.Aheads() != (c.told > 0) || a.Overlaps() != (c.told > 0) || len(a.Indices()) > 0 != (c.told > 0) {
			t.Errorf("%s: the kernel says %v, %v, %v", c.name, a.Aheads(), a.Overlaps(), a.Indices())
		}
		if said := strings.Join(a.Followed(), "; "); strings.Contains(said, "goes over indices") != (c.told > 0) {
			t.Errorf("%s: %q is said", c.name, said)
		}
		if Of(k, nests).Aheads() {
			t.Errorf("%s: an engine that asks for nothing does", c.name)
		}
	}
}
