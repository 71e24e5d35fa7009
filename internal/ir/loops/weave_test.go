package loops

import (
	"strings"
	"testing"
)

// Every reason not to be interleaved has a loop, and so has every way to be. r3 are links, r4 is a table that may change.
func TestWeaves(t *testing.T) {
	e := nests
	e.Weaves = true
	const (
		begin = "for v8 in v3..v4 {\n v20 = load r3 v8\n"
		walk  = "v21 = for v22 in v3..v6, v23 i64 < 200 = v20 {\n v24 = load r3 v23\n yield v24\n }\n"
		end   = "store r2 v8 v7\n yield"
	)
	for _, c := range []struct {
		name, text string
		why        Why
		even, ends bool
		far, kept  int
	}{
		{"walks of one length", begin + walk + end, Fits, true, true, 1, 0},
		{"walks to an end", begin + "v21 = for v22 in v3..v6 stop, v23 i64 < 200 = v20 {\n v24 = load r3 v23\n v25 = eq i64 v24 v20\n yield v24 v25\n }\n" + end, Fits, false, true, 1, 1},
		{"walks as long as data says", begin + "v21 = for v22 in v3..v20, v23 i64 < 200 = v20 {\n v24 = load r3 v23\n yield v24\n }\n" + end, Fits, false, false, 1, 0},
		{"a place that is computed", begin + "v21 = for v22 in v3..v6, v23 i64 = v20 {\n v24 = mul i64 v23 v5\n v25 = bound v24 < 200\n v26 = load r3 v25\n v27 = load r4 v25\n v28 = add i64 v26 v27\n yield v28\n }\n" + end, Fits, true, true, 2, 0},
		{"no walk", begin + end, Follows, false, false, 0, 0},
		{"a sum", begin + "v21 = for v22 in v3..v6, v23 i64 = v20 {\n v24 = load r3 v22\n v25 = add i64 v23 v24\n yield v25\n }\n" + end, Follows, false, false, 0, 0},
		{"a walk in a branch", begin + "v30 = lt i64 v20 v6\n v31 = if v30 {\n" + walk + "yield v21\n } else {\n yield v20\n }\n" + end, Inside, false, false, 0, 0},
		{"a way out", "v40 = for v8 in v3..v4 stop, v9 i64 = v6 {\n v20 = load r3 v8\n" + walk + "v25 = lt i64 v21 v9\n yield v21 v25", Stops, false, false, 0, 0},
		{"the walk before", "v40 = for v8 in v3..v4, v20 i64 < 200 = v3 {\n" + walk + "yield v21", Waits, false, false, 0, 0},
		{"a walk that stores", begin + "v21 = for v22 in v3..v6, v23 i64 < 200 = v20 {\n v24 = load r3 v23\n store r2 v23 v7\n yield v24\n }\n yield", Stores, false, false, 0, 0},
		{"a table that changes", begin + "v21 = for v22 in v3..v6, v23 i64 < 200 = v20 {\n v24 = load r4 v23\n v25 = bound v24 < 200\n yield v25\n }\n store r4 v8 v21\n yield", Stores, false, false, 0, 0},
		{"a place that is loaded", begin + "v21 = for v22 in v3..v6, v23 i64 = v3 {\n v24 = add i64 v23 v22\n v25 = load r3 v24\n v26 = load r3 v25\n yield v26\n }\n" + end, Fits, true, true, 1, 0},
	} {
		k, in := loop(t, c.text)
		a := Of(k, e)
		w, why := a.Weave(in)
		if why != c.why {
			t.Errorf("%s: %q, expected %q", c.name, why, c.why)
			continue
		}
		if w != nil && (w.Even != c.even || w.Ends != c.ends || len(w.Far) != c.far || len(w.Kept) != c.kept) {
			t.Errorf("%s: in step %v, ends known %v, %d far loads, %d kept values; expected %v, %v, %d, %d", c.name, w.Even, w.Ends, len(w.Far), len(w.Kept), c.even, c.ends, c.far, c.kept)
		}
		says := string(why)
		if why == Fits {
			says = "under way"
		}
		if said := a.Followed(); (len(said) == 0) != (why == Follows) || len(said) > 0 && !strings.Contains(strings.Join(said, "; "), says) {
			t.Errorf("%s: %q is said, expected %q", c.name, said, says)
		}
		if n := len(a.Weaves()); (n == 1) != (why == Fits) {
			t.Errorf("%s: %d loops are interleaved", c.name, n)
		}
	}
	k, in := loop(t, begin+"v26 = load r3 v20\n"+strings.Replace(walk, "= v20", "= v26", 1)+end)
	if w, _ := Of(k, e).Weave(in); w == nil || len(w.First) != 1 || len(w.First[0].Chain) != 1 {
		t.Errorf("of walks that begin where a table says, %+v is asked for first", w)
	}
	k, _ = loop(t, strings.Replace(walk, "= v20", "= v3", 1)+"v8 = add i64 v21 v5\n for v9 in v3..v4 {\n yield")
	if said := Of(k, e).Followed(); len(said) != 1 || !strings.Contains(said[0], string(Alone)) {
		t.Errorf("of a walk by itself %q is said", said)
	}
	k, in = loop(t, begin+walk+end)
	if w, why := Of(k, nests).Weave(in); w != nil || why == Fits {
		t.Error("an engine that does not interleave has a plan")
	}
}
