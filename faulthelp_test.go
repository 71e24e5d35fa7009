package godwit

import (
	"strings"
	"testing"
)

// TestIndexIntoNothing does not offer to limit an index that is limited already.
func TestIndexIntoNothing(t *testing.T) {
	if help := limitedKey("i.clamp_idx()", "index into nothing"); help == "" || strings.Contains(help, "clamp") {
		t.Errorf("the help is `%s`", help)
	}
}

// TestWidened: what is offered for a sum that does not fit keeps the program's own words.
func TestWidened(t *testing.T) {
	for call, want := range map[string]string{
		"v.sum()":                  "v.map(|e| e as f64).sum(); or wrap",
		"g.sum(|x| x.v)":           "g.sum(|x| x.v as f64)",
		"r.mean(|x| x.a * x.b)":    "r.mean(|x| (x.a * x.b) as f64)",
		"r.filter(f).sum(|x| x.a)": "r.filter(f).sum(|x| x.a as f64)",
	} {
		if help := widened(call, "i64 sum"); !strings.Contains(help, want) {
			t.Errorf("%s: the help is `%s`, expected %s", call, help, want)
		}
	}
	if help := widened("g.sum(|x| x.v)", "i32 sum"); help != "" {
		t.Errorf("there is a wider kind: %s", help)
	}
}
