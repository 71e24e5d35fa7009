package elaborate

import (
	"fmt"
	"strings"
	"testing"
)

// arraysOf gives integers whose number is of every form that a size has: parameters, sums, products, quotients (also by steps that are
// larger than any array), and numbers that are known at run time only.
var arraysOf = []string{
	"v", "w", "v.take::<0>()", "v.take::<1>()", "concat(v, w)", "v.map(|e| w.map(|d| e +% d)).flatten()", "v.map(|e| w.map(|d| [e, d])).flatten().flatten()",
	"(0..N).step(2).map(|i| v[i])", "(0..N).step(1000000007).map(|i| v[i])", "(0..N).step(4611686018427387905).map(|i| v[i])", "(0..N).step(9223372036854775807).map(|i| v[i])",
	"(0..N).step((w.sum() & 7) + 1).map(|i| v[i])", "v.chunk::<3>().map(|c| c[0])",
	"concat(v.map(|e| w.map(|d| e +% d)).flatten(), v)", "v.map(|e| w.map(|d| [e, d])).flatten().flatten().chunk::<7>().map(|c| c[0])", "v.window::<3>().map(|e| w.map(|d| e[2] +% d)).flatten()",
	"(0..N * M).step(3).map(|i| i as i64)",
	"v.filter(|e| e > 3)", "concat(v, w.filter(|e| e > 3))", "v.filter(|e| e > 3).map(|e| w.map(|d| e +% d)).flatten()", "v.distinct()", "v.group_by(|e| e % 10).sum()", "v.window::<3>().map(|e| e[1])", "v.map(|e| w.map(|d| v)).flatten().flatten()",
}

// What is written over any array works over all of them: no size makes what the compiler adds itself fail.
func TestPreludeTakesAllSizes(t *testing.T) {
	uses := []string{
		"x.distinct().len()", "x.map(|e| (e, e as i32)).distinct().len()", "x.sort().len()", "x.sort(|e| e / 2).len()", "x.top_k::<3>().len()",
		"x.group_by::<4>(|e| e & 3).quantile(0.5, |e| e as f64).len()", "x.scan(0, |a, e| a +% e).len()",
		"x.group_by(|e| e).sum().len()", "x.group_by(|e| (e, e as u8)).count().len()", "x.group_by(|e| e).median().len()", "x.group_by(|e| e).top_k::<2>().len()", "x.group_by(|e| e).count_distinct(|e| e).len()",
		"{ let by = x.index_by(|e| e); w.filter(|e| by.has(e)).len() }", "{ let by = x.index_by(|e| (e, e as i32)); w.filter(|e| by.has((e, e as i32))).len() }",
		"{ let by = x.as_of(|e| e); w.filter(|e| by.has(e)).len() }", "{ let by = x.index_by(|e| e); w.count(|e| by.count(e) > 1) }",
	}
	for _, array := range arraysOf {
		for _, use := range uses {
			text := fmt.Sprintf("fn f(v: &[i64; N], w: &[i64; M]) -> i64 where N >= 3 { let x = %s; %s }", array, use)
			_, msgs := checkText("f.gw", text)
			if err := msgs.Err(); err != nil {
				s, _, _ := strings.Cut(err.Error(), "goroutine")
				t.Errorf("%s\n%s", text, s)
			}
		}
	}
}
