package loops

import (
	"fmt"
	"strings"
	"testing"
)

// walking is the plan for a loop whose iterations each follow references, with these lines in a turn and these behind the walk. v23 is where the walk is,
// v21 where it ended.
func walking(t *testing.T, head, turn, behind string) *Weave {
	t.Helper()
	k, in := loop(t, "for v8 in v3..v4 {\n v20 = load r3 v8\n v21 = for v22 in v3.."+head+", v23 i64 < 200 = v20 {\n v24 = load r3 v23\n "+turn+" }\n "+behind+"store r2 v8 v7\n yield")
	e := nests
	e.Weaves = true
	w, why := Of(k, e).Weave(in)
	if w == nil {
		t.Fatalf("iterations are not interleaved: %s", why)
	}
	return w
}

const goOn = "yield v24\n"

// In step nothing is done that one by one would not be, if no walk ends before another and none has branches.
func TestCostless(t *testing.T) {
	branch := "v25 = lt i64 v24 v6\n v26 = if v25 {\n yield v24\n } else {\n yield v3\n }\n yield v26\n"
	for _, c := range []struct {
		name, head, turn string
		want             bool
	}{
		{"walks of one length", "v6", goOn, true},
		{"walks with branches", "v6", branch, false},
		{"walks to an end", "v6 stop", "v25 = eq i64 v24 v20\n yield v24 v25\n", false},
		{"walks as long as data says", "v20", goOn, false},
	} {
		if got := walking(t, c.head, c.turn, "").Costless(); got != c.want {
			t.Errorf("%s: costless: %v, expected %v", c.name, got, c.want)
		}
	}
}

// As many walks go in step as have a text of 512 instructions at most, of 16 the half, and of that again; none where the ends of a walk are its own,
// and none that has a loop inside or behind it.
func TestAbreast(t *testing.T) {
	const most = 32 // 512 instructions of 16 walks
	for turn, want := range map[int]int{most: 16, most + 1: 8, 2 * most: 8, 2*most + 1: 4, 4 * most: 4, 4*most + 1: 2, 8 * most: 2, 8*most + 1: 0} {
		var b strings.Builder
		for i := range turn - 5 { // two loops, two loads and a store
			fmt.Fprintf(&b, "v%d = add i64 v24 v5\n", 100+i)
		}
		if got := walking(t, "v6", b.String()+goOn, "").Abreast(); got != want {
			t.Errorf("%d instructions: %d walks in step, expected %d", turn, got, want)
		}
	}
	inner := "v60 = for v61 in v3..v6, v62 i64 = v3 {\n v63 = add i64 v62 v5\n yield v63\n }\n"
	for _, c := range []struct {
		name, head, turn, behind string
		want                     int
	}{
		{"walks to an end", "v6 stop", "v25 = eq i64 v24 v20\n yield v24 v25\n", "", 16},
		{"walks as long as data says", "v20", goOn, "", 0},
		{"a loop in each turn", "v6", inner + goOn, "", 0},
		{"a loop behind each walk", "v6", goOn, inner, 0},
	} {
		if got := walking(t, c.head, c.turn, c.behind).Abreast(); got != c.want {
			t.Errorf("%s: %d walks in step, expected %d", c.name, got, c.want)
		}
	}
}
