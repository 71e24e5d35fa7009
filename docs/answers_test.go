package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit"
)

// In: programs that ask a table with missing values. Out: what their helps, followed to the letter, lead to has the answer that a
// database gives.

// answersHead declares the table; of a pair of its columns one has more values than the other, or values that are missing.
const answersHead = `record R { k: i64, a: Option<i64>, b: Option<i64>, s: Option<Str>, t: Timestamp, ot: Option<Timestamp>, u: i32, ou: Option<i32>, d: Date, od: Option<Date>, big: i64, dec: Decimal<10, 2>, odec: Option<Decimal<10, 2>>, yes: Option<bool> }
fn q(t: &[R; N]) -> `

const answersTable = `k,a,b,s,t,ot,u,ou,d,od,big,dec,odec,yes
1,,,b,2001-01-01T00:00:00Z,,7,7,2001-01-01,2001-01-01,5000000000,1.25,1.25,true
1,0,,a,2001-01-01T08:00:00Z,2001-01-01T08:00:00Z,2147483647,3,2001-01-01,2001-01-01,7,2.50,2.50,
2,3,3,,2001-01-02T00:00:00Z,2001-01-02T00:00:00Z,9,,2001-01-02,,9,3.75,,false
`

// TestAnswers follows helps and runs what they lead to.
func TestAnswers(t *testing.T) {
	table := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(table, []byte(answersTable), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		from, to := answersHead+a.result+" where N >= 1 { "+a.written+" }", answersHead+a.result+" where N >= 1 { "+a.meant+" }"
		msgs := checked(entry{bad: from, good: answersHead + "i64 { N }"})
		if len(msgs) == 0 {
			t.Errorf("passes: %s", a.written)
			continue
		}
		if !(word{}).reaches(answersHead+"i64 { N }", from, to, 0) {
			t.Errorf("%s does not become %s:\n%s", a.written, a.meant, msgs[0].Render())
		}
		p, err := godwit.Compile(to)
		if err != nil {
			t.Error(err)
			continue
		}
		f, err := p.Func("q")
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Call(t.Context(), godwit.Args{"t": godwit.File(table)})
		if err != nil {
			t.Errorf("%s: %v", a.meant, err)
			continue
		}
		if got := string(r.JSON()); got != a.want {
			t.Errorf("%s gives %s, not %s", a.meant, got, a.want)
		}
		r.Close()
	}
}

var answers = []struct{ result, written, meant, want string }{
	// what is missing satisfies no comparison, also with something else that is missing
	{"i64", `t.count(|r| r.a == r.b)`, `t.count(|r| r.a.map(|x| r.b.map(|y| x == y).or(false)).or(false))`, "1"},
	{"i64", `t.count(|r| r.a != r.b)`, `t.count(|r| r.a.map(|x| r.b.map(|y| x != y).or(false)).or(false))`, "0"},
	{"i64", `t.count(|r| r.a <= r.b)`, `t.count(|r| r.a.map(|x| r.b.map(|y| x <= y).or(false)).or(false))`, "1"},
	{"i64", `t.count(|x| x.a < x.b)`, `t.count(|x| x.a.map(|y| x.b.map(|v| y < v).or(false)).or(false))`, "0"},
	{"i64", `t.count(|r| r.ou == r.b)`, `t.count(|r| r.ou.map(|x| r.b.map(|y| x as i64 == y).or(false)).or(false))`, "0"},

	// a day beside a time is its first moment
	{"i64", `t.count(|r| r.t > r.d)`, `t.count(|r| r.t > (r.d as Timestamp<us>))`, "1"},
	{"i64", `t.count(|r| r.d < r.t)`, `t.count(|r| (r.d as Timestamp<us>) < r.t)`, "1"},
	{"i64", `t.count(|r| r.t > r.od)`, `t.count(|r| r.od.map(|v| r.t > (v as Timestamp<us>)).or(false))`, "1"},
	{"i64", `t.count(|r| r.od < r.ot)`, `t.count(|r| r.od.map(|x| r.ot.map(|y| (x as Timestamp<us>) < y).or(false)).or(false))`, "1"},
	{"[i64]", `t.rolling(9h, |r| r.t)`, `{ let total = t.scan(0, |a, r| a + r.k); let before = t.as_of(|r| r.t); t.enumerate().map(|(i, r)| total[i] - before.get(r.t - 9h).map(|j| total[j]).or(0)) }`, "[1,2,2]"},
	{"[Option<Duration<us>>]", `t.map(|r| r.t - r.od)`, `t.map(|r| r.od.map(|v| r.t - (v as Timestamp<us>)))`, `["PT0S","PT8H",null]`},
	{"[Option<Date>]", `t.map(|r| r.od + r.k)`, `t.map(|r| r.od.map(|v| v.add_days(r.k)))`, `["2001-01-02","2001-01-02",null]`},
	{"[Option<f64>]", `t.map(|r| r.odec / 2)`, `t.map(|r| r.odec.map(|v| v as f64 / 2 as f64))`, `[0.625,1.25,null]`},
	{"[Duration<us>]", `t.map(|r| r.t - r.d)`, `t.map(|r| r.t - (r.d as Timestamp<us>))`, `["PT0S","PT8H","PT0S"]`},

	// of keys of two types, those that have fewer values become the others
	{"i64", `{ let m = t.index_by(|r| r.u); t.count(|r| m.has(r.big)) }`, `{ let m = t.index_by(|r| r.u as i64); t.count(|r| m.has(r.big)) }`, "2"},
	{"i64", `{ let m = t.index_by(|r| r.big); t.count(|r| m.has(r.u)) }`, `{ let m = t.index_by(|r| r.big); t.count(|r| m.has(r.u as i64)) }`, "2"},
	{"i64", `{ let m = t.index_by(|r| r.u); t.join(m, |r| r.big).len() }`, `{ let m = t.index_by(|r| r.u as i64); t.join(m, |r| r.big).len() }`, "2"},
	{"i64", `{ let m = t.index_by(|r| r.ou); t.count(|r| m.has(r.b)) }`, `{ let m = t.index_by(|r| r.ou.map(|v| v as i64)); t.count(|r| m.has(r.b)) }`, "3"},
	{"i64", `{ let m = t.index_by(|r| r.u); t.count(|r| m.has(r.a)) }`, `{ let m = t.index_by(|r| Some(r.u as i64)); t.count(|r| m.has(r.a)) }`, "0"},
	{"i64", `{ let m = t.index_by(|r| r.d); t.count(|r| m.has(r.t)) }`, `{ let m = t.index_by(|r| r.d as Timestamp<us>); t.count(|r| m.has(r.t)) }`, "2"},
	{"i64", `{ let m = t.index_by(|r| (r.k, r.u)); t.count(|r| m.has((r.k, r.big))) }`, `{ let m = t.index_by(|r| { let (a, b) = (r.k, r.u); (a, b as i64) }); t.count(|r| m.has((r.k, r.big))) }`, "2"},

	// what a left join finds may itself be missing
	{"[(i64, Option<i64>)]", `{ let m = t.index_by(|r| r.u); t.map(|r| (r.k, m.get(r.u).map(|i| t[i].a))) }`, `{ let m = t.index_by(|r| r.u); t.map(|r| (r.k, m.get(r.u).map(|i| t[i].a))).map(|(a, b)| (a, b.or(None))) }`, "[[1,null],[1,0],[2,3]]"},
	{"[Option<Str>]", `{ let m = t.index_by(|r| r.u); t.map(|r| m.get(r.u).map(|i| t[i].s)) }`, `{ let m = t.index_by(|r| r.u); t.map(|r| m.get(r.u).map(|i| t[i].s)).map(|e| e.or(None)) }`, `["b","a",null]`},

	// folds of decimals and Durations
	{"f64", `t.mean(|r| r.dec)`, `t.mean(|r| r.dec as f64)`, "2.5"},
	{"f64", `t.mean(|r| r.odec)`, `t.mean(|r| r.odec.map(|v| v as f64))`, "1.875"},
	{"f64", `t.map(|r| r.odec).mean()`, `t.map(|r| r.odec).map(|e| e.map(|v| v as f64)).mean()`, "1.875"},
	{"f64", `t.mean(|r| r.t - 2001-01-01T00:00:00Z)`, `t.mean(|r| (r.t - 2001-01-01T00:00:00Z).days())`, "0.4444444444444444"},
	{"[f64]", `t.group_by(|r| r.k).mean(|r| r.odec)`, `t.group_by(|r| r.k).mean(|r| r.odec.map(|v| v as f64))`, `[1.875,"NaN"]`},
	{"[f64]", `t.group_by(|r| r.k).agg(|g| g.mean(|r| r.dec))`, `t.group_by(|r| r.k).agg(|g| g.mean(|r| r.dec as f64))`, "[1.875,3.75]"},
	{"[Decimal<10, 2>]", `{ let z = t.scan(0.00, |a, r| a + r.dec); z }`, `{ let z = { let start: Decimal<10, 2> = 0.00; t.scan(start, |a, r| a + r.dec) }; z }`, `["1.25","3.75","7.50"]`},
	{"Decimal<10, 2>", `{ let z = t.fold(0.00, |a, r| a + r.dec); z }`, `{ let z = { let start: Decimal<10, 2> = 0.00; t.fold(start, |a, r| a + r.dec) }; z }`, `"7.50"`},

	// the order of a key, and units
	{"[i64]", `{ let n = t[0].k + 1; t.top_k(n, |r| r.u).map(|r| r.big) }`, `{ let n = t[0].k + 1; t.sort_desc(|r| r.u).take(n).map(|r| r.big) }`, "[7,9]"},
	{"[i64]", `{ let n = t[0].k + 1; t.top_k::<n>(|r| r.u).map(|r| r.big) }`, `{ let n = t[0].k + 1; t.sort_desc(|r| r.u).take(n).map(|r| r.big) }`, "[7,9]"},
	{"[i64]", `{ let n = t[0].k; t.map(|r| r.big).top_k(n) }`, `{ let n = t[0].k; t.map(|r| r.big).sort_desc().take(n) }`, "[5000000000]"},
	{"[Option<i64>]", `t.sort(|r| -r.a).map(|r| r.a)`, `t.sort(|r| Reverse(r.a)).map(|r| r.a)`, "[3,0,null]"},
	{"[Option<i64>]", `t.sort(|r| -r.a).map(|r| r.a)`, `t.sort(|r| r.a.map(|v| -v)).map(|r| r.a)`, "[3,0,null]"},
	{"i64", `t.count(|r| !r.yes)`, `t.count(|r| r.yes.map(|v| !v).or(false))`, "1"},
	{"i64", `t.count(|r| r.d - 2001-01-01 > 0)`, `t.count(|r| r.d - 2001-01-01 > 0day)`, "1"},
	{"i64", `t.count(|r| 1 <= r.d - 2001-01-01)`, `t.count(|r| 1day <= r.d - 2001-01-01)`, "1"},

	// joins that are written with an index
	{"i64", `t.anti_join(t, |r| r.big, |s| s.u as i64).len()`, `{ let by = t.index_by(|s| s.u as i64); t.filter(|r| !by.has(r.big)) }.len()`, "1"},
	{"i64", `t.semi_join(t, |r| r.big, |s| s.u as i64).len()`, `{ let by = t.index_by(|s| s.u as i64); t.filter(|r| by.has(r.big)) }.len()`, "2"},
	{"i64", `{ let m = t.index_by(|r| r.u as i64); t.anti_join(m, |r| r.big).len() }`, `{ let m = t.index_by(|r| r.u as i64); t.filter(|r| !m.has(r.big)).len() }`, "1"},
	{"i64", `{ let m = t.index_by(|r| r.u as i64); t.semi_join(m, |r| r.big).len() }`, `{ let m = t.index_by(|r| r.u as i64); t.filter(|r| m.has(r.big)).len() }`, "2"},
	{"i64", `t.join_left(t, |r| r.u).count(|(_, i)| i.is_some())`, `{ let by = t.index_by(|d| d.u); t.map(|r| (r, by.get(r.u))) }.count(|(_, i)| i.is_some())`, "3"},
}

// TestGreatestTexts: what the help says of the least and the greatest text of a group is right also where one is missing.
func TestGreatestTexts(t *testing.T) {
	says := "sort the rows by the text before group_by; then g.first() of each group is the row with the least after sort, with the greatest after sort_desc. The groups come in the order of the rows that are sorted so"
	table := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(table, []byte("k,s\n1,b\n1,\n1,a\n2,\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	head := "record R { k: i64, s: Option<Str> }\nfn f(t: &[R; N]) -> [(i64, Option<Str>)] { "
	for fold, c := range map[string]struct{ followed, want string }{
		"min": {"t.sort(|r| r.s).group_by(|r| r.k).agg(|g| (g.key(), g.first().s)) }", `[[1,"a"],[2,null]]`},
		"max": {"t.sort_desc(|r| r.s).group_by(|r| r.k).agg(|g| (g.key(), g.first().s)) }", `[[1,"b"],[2,null]]`},
	} {
		bad := head + "t.group_by(|r| r.k).agg(|g| (g.key(), g." + fold + "(|r| r.s))) }"
		if msgs := checked(entry{bad: bad, good: head + c.followed}); len(msgs) != 1 || msgs[0].Help != says {
			t.Errorf("%s: %v", fold, msgs)
		}
		p, err := godwit.Compile(head + c.followed)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Func("f")
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Call(t.Context(), godwit.Args{"t": godwit.File(table)})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(r.JSON()); got != c.want {
			t.Errorf("%s gives %s, not %s", c.followed, got, c.want)
		}
		r.Close()
	}
}

// TestPlacesOfProducts: a product of decimals has the places of both, which no conversion drops: the help says the type that it has, and how one value is rounded.
func TestPlacesOfProducts(t *testing.T) {
	for body, c := range map[string]struct{ result, help string }{
		"t.sum(|r| r.dec * 0.19)": {"Decimal<10, 2>", "write `-> Decimal<18, 4>` for `-> Decimal<10, 2>`, or round, half away from zero:\nt.sum(|r| r.dec * 0.19).round::<2>() as Decimal<10, 2>"},
		"t.map(|r| r.dec * 0.19)": {"[Decimal<10, 2>]", "write `-> [Decimal<18, 4>; N]` for `-> [Decimal<10, 2>]`"},
	} {
		bad := answersHead + c.result + " { " + body + " }"
		if msgs := checked(entry{bad: bad, good: answersHead + "i64 { N }"}); len(msgs) != 1 || msgs[0].Help != c.help {
			t.Errorf("%s: %v", body, msgs)
		}
		if err := follow(entry{bad: bad, good: answersHead + "i64 { N }"}, 0); err != "" {
			t.Error(err)
		}
	}
}
