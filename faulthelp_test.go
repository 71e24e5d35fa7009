package godwit

import (
	"errors"
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

// TestWider: what is offered for an operation that overflows passes, and has a result; where it would not pass, it is not offered.
func TestWider(t *testing.T) {
	for _, c := range []struct {
		src   string
		arg   any
		offer string
	}{
		{"fn f(v: &[i32; N]) -> i64 { v.map(|e| e * 3_000_000).sum() }", []int32{2001}, "e as i64 * 3_000_000"},
		{"fn f(v: &[i32; N]) -> i64 { v.sum(|e| e + e) }", []int32{2147483647}, "e as i64 + e as i64"},
		{"fn f(v: &[i64; N]) -> f64 { v.map(|e| (e * 9_000_000_000_000) as f64).sum() }", []int64{9000000000}, "e as f64 * 9000000000000.0"},
		{"fn f(v: &[i64; N]) -> i64 { v.map(|e| e * 9_000_000_000_000).sum() }", []int64{9000000000}, ""},
		{"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| e + 1) }", []int32{2147483647}, ""},
		{"fn f(v: &[i32; N]) -> [i32; N] { v * v }", []int32{2147483647}, ""},
	} {
		help := faultOf(t, c.src, c.arg)
		_, offer, _ := strings.Cut(help, ": ")
		if offer != c.offer || !strings.Contains(help, "compute in") && !strings.Contains(help, "use a wider type") {
			t.Errorf("%s: the help is `%s`, expected `%s` in it", c.src, help, c.offer)
			continue
		}
		if offer == "" {
			continue
		}
		marked := strings.NewReplacer(" as i64", "", " as f64", "", "9000000000000.0", "9_000_000_000_000").Replace(offer)
		if help := faultOf(t, strings.Replace(c.src, marked, offer, 1), c.arg); help != "" {
			t.Errorf("%s: `%s` does not mend it: %s", c.src, offer, help)
		}
	}
}

// faultOf is the help of the fault of a program for its only argument; "" if it has a result.
func faultOf(t *testing.T, src string, arg any) string {
	t.Helper()
	p, err := Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Call(t.Context(), Args{"v": arg})
	var at *Fault
	if err != nil && !errors.As(err, &at) {
		t.Fatal(err)
	}
	if at == nil {
		return ""
	}
	return at.help
}
