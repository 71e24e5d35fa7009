package compile

import "testing"

// The command line that a function is shown with has what can be given, and nothing else.
func TestExampleHasWhatCanBeGiven(t *testing.T) {
	for source, want := range map[string]string{
		"record R { a: Str } fn f(r: &[R; N]) -> i64 { r.count(|e| e.a == \"x\") }":   "r=FILE.parquet",
		"fn f(a: Str, n: i64) -> bool { a == \"x\" && n > 1 }":                        "a=SFO n=1",
		"fn f(r: &[Str; N], k: idx<K>) -> i64 { r.count(|e| e == \"x\") + k as i64 }": "r=FILE.csv k=1 K=8",
	} {
		f := function(t, source)
		if got := f.Example(); got != "godwit run "+f.Graph.Source.Path+":f "+want {
			t.Errorf("%s: %s", source, got)
		}
	}
}
