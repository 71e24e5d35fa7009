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

// TestFaultsOfMissing: what is offered for a fold that overflows over Options leaves what is missing out, as the fold does.
func TestFaultsOfMissing(t *testing.T) {
	const most = "[Some(9223372036854775807), None, Some(9223372036854775807)]"
	for call, want := range map[string]string{
		"v.mean(|e| e)":                   "v.mean(|e| e.map(|v| v as f64))",
		"v.mean()":                        "v.map(|e| e.map(|v| v as f64)).mean()",
		"v.map(|e| (1, e)).mean(|e| e.1)": "v.map(|e| (1, e)).mean(|e| e.1.map(|v| v as f64))",
	} {
		src := func(call string) string { return "fn f(v: &[Option<i64>; N]) -> f64 { " + call + " }" }
		if help := faultOf(t, src(call), Text(most)); help != "convert the elements, which rounds: "+want {
			t.Errorf("%s: the help is `%s`", call, help)
		}
		if help := faultOf(t, src(want), Text(most)); help != "" {
			t.Errorf("%s fails: %s", want, help)
		}
	}
}

// TestPartsOfDays: a date that moves by part of a day is a time.
func TestPartsOfDays(t *testing.T) {
	src := func(unit, kind, body string) string {
		return "fn f(v: &[Duration<" + unit + ">; N]) -> [" + kind + "; N] { v.map(|e| " + body + ") }"
	}
	for _, c := range []struct{ unit, body, want string }{
		{"us", "2001-01-01.add_days(1) + e", "(2001-01-01.add_days(1) as Timestamp<us>) + e"},
		{"s", "2001-01-01 - e", "(2001-01-01 as Timestamp<s>) - e"},
	} {
		if help := faultOf(t, src(c.unit, "Date", c.body), Text("[24h, 1h]")); help != "a Date moves by whole days; as a time it moves by any Duration: "+c.want {
			t.Errorf("%s: the help is `%s`", c.body, help)
		}
		if help := faultOf(t, src(c.unit, "Timestamp<"+c.unit+">", c.want), Text("[24h, 1h]")); help != "" {
			t.Errorf("%s fails: %s", c.want, help)
		}
	}
}

// TestMorePartners: what is offered for a key of join_all with too many rows counts them, and with that bound the program has a result.
func TestMorePartners(t *testing.T) {
	type row struct{ K, V int64 }
	args := Args{"x": []row{{1, 1}, {2, 2}, {2, 3}}, "d": []row{{1, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}}}
	call := func(source string) (*Result, error) {
		t.Helper()
		p, err := Compile(source)
		if err != nil {
			t.Fatalf("%s:\n%v", source, err)
		}
		f, err := p.Func("f")
		if err != nil {
			t.Fatal(err)
		}
		return f.Call(t.Context(), args)
	}
	const head = "record R { k: i64, v: i64 }\nfn f(x: &[R; N], d: &[R; M]) -> i64 { let by = d.index_by(|r| r.k); "
	for _, rows := range []string{"x", "x.filter(|r| r.v > 1)", "x.map(|r| R { k: r.k, v: 2 })"} {
		for _, index := range []string{"by", "d.index_by(|r| r.k)"} {
			for _, key := range []string{"|r| r.k", "|r| { let l = r.k + r.v; l - r.v }"} {
				join := rows + ".join_all::<3>(" + index + ", " + key + ")"
				_, err := call(head + join + ".len() }")
				var fault *Fault
				if !errors.As(err, &fault) {
					t.Fatalf("%s: %v", join, err)
				}
				parts := strings.Split(fault.Message().Help, "`")
				if len(parts) != 3 {
					t.Fatalf("%s: the help is %s", join, fault.Message().Help)
				}
				if res, err := call(head + parts[1] + " }"); err != nil || string(res.JSON()) != "4" {
					t.Errorf("%s: %v", parts[1], err)
				}
				if _, err := call(head + strings.Replace(join, "3", "4", 1) + ".len() }"); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
