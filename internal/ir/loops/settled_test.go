package loops

import (
	"strings"
	"testing"
)

// A search knows the condition under which its turns go on; one that differs in a place on which it depends that turns without the
// condition do nothing has none.
func TestGoing(t *testing.T) {
	const search = `v20 v21 = for v8 in v3..v6, v9 i64 = v3, v10 i64 = v4 {
 v11 = lt i64 v9 v10
 v12 v13 = if v11 {
  v14 = add i64 v9 v10 site 0 at v8
  v15 = select i64 v11 v14 v9
  yield v15 v10
 } else {
  yield v9 v10
 }
 yield v12 v13`
	for _, c := range []struct {
		name, old, new string
		want           bool
	}{
		{"a search", "", "", true},
		{"a part that no branch changes", "yield v12 v13", "yield v12 v10", true},
		{"a condition by the turn", "lt i64 v9 v10", "lt i64 v8 v10", false},
		{"a condition that is loaded", "v11 = lt i64 v9 v10", "v16 = bound v9 < 200\n v17 = load r3 v16\n v11 = lt i64 v17 v10", false},
		{"another step otherwise", "} else {\n  yield v9 v10", "} else {\n  yield v10 v9", false},
		{"a step beside", "yield v12 v13", "v16 = add i64 v13 v13\n yield v12 v16", false},
		{"a fault beside", "yield v12 v13", "v16 = add i64 v13 v13 site 0 at v8\n yield v12 v13", false},
		{"a fault otherwise", "} else {", "} else {\n  v16 = add i64 v9 v10 site 0 at v8", false},
		{"a store beside", "yield v12 v13", "store r2 v8 v7\n yield v12 v13", false},
		{"a way out", "v3..v6, v9 i64 = v3, v10 i64 = v4 {", "v3..v6 stop, v9 i64 = v3, v10 i64 = v4 {", false},
	} {
		text := search
		if c.old != "" {
			if text = strings.Replace(search, c.old, c.new, 1); text == search {
				t.Fatalf("%s: nothing is different", c.name)
			}
		}
		if c.name == "a way out" {
			text = strings.Replace(text, "yield v12 v13", "yield v12 v13 v11", 1)
		}
		k, in := loop(t, text)
		if _, ok := Of(k, nests).Going(in); ok != c.want {
			t.Errorf("%s: %v, want %v", c.name, ok, c.want)
		}
	}
}
