package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// word is the body of a function as somebody who knows other languages writes it, and what it has to be after its helps
// have been followed to the letter; or, where the language has no such thing, a part of what the help says.
type word struct{ result, written, meant, says string }

// wordsHead declares the tables that the words are asked of.
const wordsHead = `record O { order_id: i64, ordered_at: Timestamp, customer: Str, region: Option<Str>, qty: Option<i64>, amount: Option<f64>, gift: Str, shipped: Option<Date>, day: Date, paid: Decimal<9, 2> }
record P { name: Str, price: f64 }
fn q(o: &[O; N], p: &[P; M], v: &[f64; N], n: &[i64; N]) -> `

func (w word) program(body string) string {
	return wordsHead + w.result + " where N >= 2, M >= 2 { " + body + " }"
}

// TestWords follows the helps of what newcomers write, until the program passes and is what they meant.
func TestWords(t *testing.T) {
	good := wordsHead + "i64 { N }"
	for _, w := range words {
		msgs := checked(entry{bad: w.program(w.written), good: good})
		switch {
		case len(msgs) == 0:
			t.Errorf("passes: %s", w.written)
		case w.says != "":
			if !strings.Contains(msgs[0].Help, w.says) {
				t.Errorf("%s: expected `%s` in\n%s", w.written, w.says, msgs[0].Render())
			}
		default:
			if !w.reaches(good, w.program(w.written), w.program(w.meant), 0) {
				t.Errorf("%s does not become %s:\n%s", w.written, w.meant, msgs[0].Render())
			}
		}
	}
}

// reaches reports that some way through the helps leads to the program that is meant, which has no messages.
func (w word) reaches(good, from, to string, depth int) bool {
	msgs := checked(entry{bad: from, good: good})
	if len(msgs) == 0 || from == to || depth == 3 {
		return from == to && len(msgs) == 0
	}
	for _, offer := range offers(msgs[0].Help) {
		next := applied(from, msgs[0], offer)
		if slices.Contains(next, to) {
			next = []string{to}
		}
		next = slices.DeleteFunc(next, func(text string) bool { // pasted into the middle of something
			left := checked(entry{bad: text, good: good})
			return len(left) > 0 && left[0].Code[0] == 'S'
		})
		for _, text := range next[:min(len(next), 12)] {
			if w.reaches(good, text, to, depth+1) {
				return true
			}
		}
	}
	return false
}

// TestKeptTexts: what the help says of text that changes from turn to turn leads to a program that passes, in loops and scans.
func TestKeptTexts(t *testing.T) {
	good := wordsHead + "i64 { N }"
	for _, c := range []struct{ result, written, says, followed string }{
		{"Str", `{ let mut s = ""; for r in o { s = r.gift; } s }`, "\no.get(-1).map(|r| r.gift)", `{ let mut s = o.get(-1).map(|r| r.gift); for r in o { s = Some(r.gift); } s.or("") }`},
		{"Str", `{ let mut s = ""; for r in o { if r.order_id > 3 { s = r.gift; } } s }`, "\no.get(-1).map(|r| r.gift)", `{ let mut s = o.get(-1).map(|r| r.gift); for r in o { if r.order_id > 3 { s = Some(r.gift); } } s.or("") }`},
		{"[Option<Str>; N]", `o.scan(None, |a, r| match a { Some(s) => Some(s.upper()), None => r.region })`, "the number of a row", `o.scan(-1, |a, r| if r.region.is_some() { r.order_id } else { a }).map(|i| o.get(i).map(|r| r.customer.upper()))`},
		{"(Str, i64)", `{ let mut s = ("", 0); for r in o { s = (r.gift, 1); } s }`, "\no.get(-1).map(|r| r.gift)", `{ let mut s = (o.get(-1).map(|r| r.gift), 0); for r in o { s = (Some(r.gift), 1); } (s.0.or(""), s.1) }`},
		{"Str", `{ let mut s = o[0].gift; for r in o { if r.order_id > 3 { s = "none"; } } s }`, "None in place of this text", `{ let mut s = Some(o[0].gift); for r in o { if r.order_id > 3 { s = None; } } s.or("none") }`},
		{"Str", `{ let mut s = "few"; for r in o { if r.order_id > 3 { s = "many"; } } s }`, "a number or a bool", `{ let mut s = false; for r in o { if r.order_id > 3 { s = true; } } if s { "many" } else { "few" } }`},
		{"Str", `{ let mut s = o[0].gift; for r in o { if r.order_id > 3 { s = r.customer; } } s }`, "the number of a row", `{ let mut s = -1; for (i, r) in o.enumerate() { if r.order_id > 3 { s = i as i64; } } if s < 0 { o[0].gift } else { o.get(s).map(|r| r.customer).or("") } }`},
		{"Str", `{ let mut s = "x"; if v[0] > 1.0 { s = o[0].gift; } s }`, "choose in one expression", `{ let s = if v[0] > 1.0 { o[0].gift } else { "x" }; s }`},
	} {
		w := word{result: c.result}
		if msgs := checked(entry{bad: w.program(c.written), good: good}); len(msgs) != 1 || !strings.Contains(msgs[0].Help, c.says) {
			t.Errorf("%s: expected %q of %v", c.written, c.says, msgs)
		}
		if msgs := checked(entry{bad: w.program(c.followed), good: good}); len(msgs) > 0 {
			t.Errorf("%s:\n%s", c.followed, msgs[0].Render())
		}
	}
}

// TestForeignTypes: what other languages call text is Str here.
func TestForeignTypes(t *testing.T) {
	for _, name := range []string{"text", "TEXT", "string", "String", "str", "char", "varchar", "utf8"} {
		bad := "fn f(x: &[" + name + "; N]) -> i64 { N }"
		msgs := checked(entry{bad: bad, good: "fn f() -> i64 { 1 }"})
		if len(msgs) != 1 || msgs[0].Help != "Str" {
			t.Errorf("%s: %v", bad, msgs)
		}
	}
}

// TestCallsWithSettings: helps for calls with arguments that ours have not are applied where they say, in the text, and the program
// passes: nothing of the arguments is left behind.
func TestCallsWithSettings(t *testing.T) {
	good := wordsHead + "i64 { N }"
	for _, c := range []struct{ result, written, meant string }{
		{"f64", `v.std(1)`, `v.stddev_samp()`},
		{"f64", `v.std(0)`, `v.stddev_pop()`},
		{"f64", `n.var(1)`, `n.var_samp()`},
		{"f64", `std(v, 1)`, `v.stddev_samp()`},
		{"f64", `p.std(|r| r.price, 1)`, `p.stddev_samp(|r| r.price)`},
		{"f64", `p.map(|r| r.price).std(1)`, `p.map(|r| r.price).stddev_samp()`},
		{"[f64]", `o.group_by(|r| r.day).agg(|g| g.std(|r| r.order_id, 1))`, `o.group_by(|r| r.day).agg(|g| g.stddev_samp(|r| r.order_id))`},
		{"f64", `v.avg(0)`, `v.mean()`},
		{"f64", `v.mean(0)`, `v.mean()`},
		{"f64", `v.sum(0)`, `v.sum()`},
		{"f64", `v.median(0)`, `v.median()`},
		{"f64", `p.average(|r| r.price, 0)`, `p.mean(|r| r.price)`},
		{"f64", `v.percentile(95)`, `v.quantile(0.95)`},
		{"f64", `p.percentile(|r| r.price, 0.5)`, `p.quantile(0.5, |r| r.price)`},
		{"[f64; N]", `v.sorted(false)`, `v.sort()`},
		{"[i64]", `n.unique(0)`, `n.distinct()`},
		{"[f64; N]", `v.cumsum(0)`, `v.scan(0.0, |a, e| a + e)`},
		{"[f64]", `v.diff(1)`, `v.window::<2>().map(|w| w[1] - w[0])`},
		{"i64", `v.len(0)`, `v.len()`},
		{"[f64; N]", `v.map(|e| e.abs(0))`, `v.map(|e| e.abs())`},
		{"[f64; N]", `v.map(|e| e.log(10))`, `v.map(|e| e.log10())`},
		{"[f64; N]", `v.map(|e| e.log(2))`, `v.map(|e| e.log2())`},
		{"[f64; N]", `v.map(|e| e.pow(3))`, `v.map(|e| e.powi::<3>())`},
		{"[f64]", `v.rolling(2).sum()`, `v.window::<2>().map(|w| w.sum())`},
		{"f64", `v.rolling_mean(2).mean()`, `v.window::<2>().map(|w| w.mean()).mean()`},
	} {
		w := word{result: c.result}
		msgs := checked(entry{bad: w.program(c.written), good: good})
		if len(msgs) == 0 {
			t.Errorf("passes: %s", c.written)
			continue
		}
		offered := offers(msgs[0].Help)
		for _, offer := range offered {
			// What does not say for what it stands is for the word that is marked.
			next := strings.Replace(w.program(c.written), msgs[0].Source.Text[msgs[0].Span.Start:msgs[0].Span.End], strings.TrimPrefix(offer, "."), 1)
			if parts := forText.FindStringSubmatch(offer); parts != nil {
				next = strings.Replace(w.program(c.written), parts[2], parts[1], 1)
			}
			if next != w.program(c.meant) {
				t.Errorf("%s becomes\n%s\nby\n%s", c.written, next, msgs[0].Render())
			}
		}
		if left := checked(entry{bad: w.program(c.meant), good: good}); len(left) > 0 || len(offered) == 0 {
			t.Errorf("%s: %d offers, %v", c.meant, len(offered), left)
		}
	}
}

var forText = regexp.MustCompile("^write `(.+)` for `(.+)`$")

var words = []word{
	// folds of closures and of Options
	{"f64", `p.sum(price)`, `p.sum(|e| e.price)`, ""},
	{"f64", `p.product(|r| r.price)`, `p.map(|r| r.price).product()`, ""},
	{"f64", `o.map(|r| r.amount).product()`, `o.map(|r| r.amount).filter(|e| e.is_some()).map(|e| e.or(0.0)).product()`, ""},
	{"[Option<Str>]", `o.map(|r| r.region).min()`, `o.map(|r| r.region).sort().take(1)`, ""},
	{"i64", `o.argmax(|r| r.qty) as i64`, `o.argmax(|r| r.qty.or(i64::MIN)) as i64`, ""},
	{"f64", `o.mean(|r| r.gift == "yes")`, `o.count(|r| r.gift == "yes") as f64 / o.len() as f64`, ""},
	{"f64", `o.map(|r| r.amount).flatten().sum()`, `o.map(|r| r.amount).filter(|e| e.is_some()).map(|e| e.or(0.0)).sum()`, ""},
	{"f64", `o.map(|r| r.amount.unwrap_or(0.0)).sum()`, `o.map(|r| r.amount.or(0.0)).sum()`, ""},
	{"f64", `o.map(|r| r.amount.unwrap()).sum()`, `o.map(|r| r.amount.or(0.0)).sum()`, ""},
	{"[f64]", `o.map(|r| r.amount.round(2))`, "", "r.amount.map(|v| (v * 100.0).round() / 100.0)"},
	{"[f64]", `o.group_by(|r| r.day).agg(|g| g.std(|r| r.qty.or(0)))`, `o.group_by(|r| r.day).agg(|g| g.stddev_pop(|r| r.qty.or(0)))`, ""},
	{"[Str]", `o.map(|r| r.customer[0..2])`, "", "text is not cut"},
	{"i64", `o.count(|r| r.day > "01.03.2024")`, "", "written without quotes"},
	{"[(Date, Str)]", `o.group_by(|r| r.day).agg(|g| (g.key(), r.gift))`, "", "g.key()"},
	{"f64", `o.mean(|r| r.order_id, 0.5)`, "", "mean(|r| r.order_id)"},
	{"[i64]", `n.map(|e| (e > 3) * e)`, `n.map(|e| (e > 3) as i64 * e)`, ""},
	{"[f64]", `v.map(|x| x.round(2))`, `v.map(|x| (x * 100.0).round() / 100.0)`, ""},
	{"[f64]", `v.map(|x| x.round::<1>())`, `v.map(|x| (x * 10.0).round() / 10.0)`, ""},
	{"[f64]", `v.map(|x| x.round::<-1>())`, `v.map(|x| (x / 10.0).round() * 10.0)`, ""},
	{"[f64]", `v.map(|x| x.round(-2))`, `v.map(|x| (x / 100.0).round() * 100.0)`, ""},
	{"[f64]", `v.map(|x| x.floor(0))`, `v.map(|x| x.floor())`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.order_id.count())`, `o.group_by(|r| r.day).agg(|g| g.count())`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.qty.count())`, `o.group_by(|r| r.day).agg(|g| g.count(|r| r.qty.is_some()))`, ""},
	{"[f64; N]", `v.round::<1>()`, `(v * 10.0).round() / 10.0`, ""},
	{"[f64]", `n.map(|k| v[0].round(k))`, "", "multiply by a power of ten, round, and divide by it"},
	{"[Option<f64>]", `o.map(|r| r.amount.round::<1>())`, `o.map(|r| r.amount.map(|v| (v * 10.0).round() / 10.0))`, ""},
	{"[Option<f64>]", `o.map(|r| r.amount.round(1))`, `o.map(|r| r.amount.map(|v| (v * 10.0).round() / 10.0))`, ""},
	{"[Decimal<9, 2>]", `o.map(|r| r.paid.round() as Decimal<9, 2>)`, `o.map(|r| r.paid.round::<0>() as Decimal<9, 2>)`, ""},
	{"[f64]", `v.map(|x| 2.0 * x.floor::<2>())`, `v.map(|x| 2.0 * ((x * 100.0).floor() / 100.0))`, ""},
	{"[f64]", `v.map(|x| x.trunc(3))`, `v.map(|x| (x * 1000.0).trunc() / 1000.0)`, ""},
	{"[[f64; 2]]", `o.group_by(|r| r.day).agg(|g| [0.1, 0.5].map(|p| g.quantile(p, |r| r.order_id)))`, `o.group_by(|r| r.day).agg(|g| [g.quantile(0.1, |r| r.order_id), g.quantile(0.5, |r| r.order_id)])`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| { let mut s = 0; for k in 0..3 { s += g.sum(|r| r.order_id * k); } s })`,
		`o.group_by(|r| r.day).agg(|g| { let mut s = 0; s += g.sum(|r| r.order_id * 0); s += g.sum(|r| r.order_id * 1); s += g.sum(|r| r.order_id * 2); s })`, ""},
	{"[[i64; 9]]", `o.group_by(|r| r.day).agg(|g| (0..9).map(|i| g.count(|r| r.order_id == i)))`, "", "each with a literal in place of `i`"},
	{"[i64]", `v.group_by(|x| x).agg(|g| { let a = g.sum(|x| x); g.count(|x| x > a) })`, "", "and not by floats"},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.max(|r| (r.order_id, r.gift)))`, "", "the row with the greatest is top_k::<1>(|r| (r.order_id, r.gift)), after group_by and without agg"},
	{"[O]", `o.group_by(|r| r.day).min(|r| (r.order_id, r.gift))`, "", "the row with the least is top_k::<1>(|r| Reverse((r.order_id, r.gift))), after group_by and without agg"},
	{"[O]", `o.group_by(|r| r.day).top_k(1, |r| Reverse((r.order_id, r.gift)))`, `o.group_by(|r| r.day).top_k::<1>(|r| Reverse((r.order_id, r.gift)))`, ""},
	{"i64", `o.max(|r| (r.order_id, r.gift))`, `o.max(|r| r.order_id)`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.sum(|r| (r.order_id, r.gift)))`, `o.group_by(|r| r.day).agg(|g| g.sum(|r| r.order_id))`, ""},
	{"[i64]", `o.rolling(2h, |r| r.ordered_at)`, `{ let total = o.scan(0, |a, r| a + r.order_id); let before = o.as_of(|r| r.ordered_at); o.enumerate().map(|(i, r)| total[i] - before.get(r.ordered_at - 2h).map(|j| total[j]).or(0)) }`, ""},
	{"[i64]", `o.rolling("2h").sum()`, `{ let total = o.scan(0, |a, r| a + r.order_id); let before = o.as_of(|r| r.ordered_at); o.enumerate().map(|(i, r)| total[i] - before.get(r.ordered_at - 2h).map(|j| total[j]).or(0)) }`, ""},
	{"[i64]", `o.window::<2h>()`, `{ let total = o.scan(0, |a, r| a + r.order_id); let before = o.as_of(|r| r.ordered_at); o.enumerate().map(|(i, r)| total[i] - before.get(r.ordered_at - 2h).map(|j| total[j]).or(0)) }`, ""},
	{"[i64]", `o.window_by(2h, |r| r.ordered_at)`, `{ let total = o.scan(0, |a, r| a + r.order_id); let before = o.as_of(|r| r.ordered_at); o.enumerate().map(|(i, r)| total[i] - before.get(r.ordered_at - 2h).map(|j| total[j]).or(0)) }`, ""},
	{"[f64]", `v.rolling(2h)`, "", "a sum over a time is a running total less what it was before"},
	{"[(Timestamp, i64)]", `o.resample(2h)`, `o.group_by(|r| r.ordered_at.truncate(2h)).agg(|g| (g.key(), g.count()))`, ""},
	{"[(Timestamp, i64)]", `o.resample("month")`, `o.group_by(|r| r.ordered_at.truncate(month)).agg(|g| (g.key(), g.count()))`, ""},
	{"[(Timestamp, f64)]", `o.resample(2h).mean(|r| r.qty)`, `o.group_by(|r| r.ordered_at.truncate(2h)).agg(|g| (g.key(), g.mean(|r| r.qty)))`, ""},
	{"[(Timestamp, i64)]", `o.resample(month).order_id.sum()`, `o.group_by(|r| r.ordered_at.truncate(month)).agg(|g| (g.key(), g.sum(|r| r.order_id)))`, ""},
	{"[(Timestamp, i64)]", `o.resample("1M").sum()`, `o.group_by(|r| r.ordered_at.truncate(month)).agg(|g| (g.key(), g.sum(|r| r.order_id)))`, ""},
	{"[(Timestamp, i64)]", `o.resample("15T").count()`, `o.group_by(|r| r.ordered_at.truncate(15min)).agg(|g| (g.key(), g.count()))`, ""},
	{"[i64]", `o.resample(month).agg(|g| g.count())`, `o.group_by(|r| r.ordered_at.truncate(month)).agg(|g| g.count())`, ""},
	{"[(Timestamp, i64)]", `o.resample("2w")`, "", "cut to the interval by truncate, which takes"},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.filter(|r| r.order_id > 0).count())`, `o.group_by(|r| r.day).agg(|g| g.count(|r| r.order_id > 0))`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.filter(|r| r.order_id > 0).sum(|r| r.order_id))`, `o.group_by(|r| r.day).agg(|g| g.sum(|r| if r.order_id > 0 { Some(r.order_id) } else { None }))`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.order_id.sum())`, `o.group_by(|r| r.day).agg(|g| g.sum(|r| r.order_id))`, ""},
	{"[f64]", `{ let n = n[0]; v.window::<n>().map(|w| w.mean()) }`, "", "as K=8"},
	{"[(Date, i64)]", `o.resample(7day, |x| x.day)`, `o.group_by(|x| x.day.truncate(7day)).agg(|g| (g.key(), g.count()))`, ""},
	{"[O]", `o.sort_by(|a, b| a.order_id < b.order_id)`, `o.sort(|a| a.order_id)`, ""},
	{"[O]", `o.sort_by(|a, b| b.order_id.cmp(&a.order_id))`, `o.sort_desc(|b| b.order_id)`, ""},
	{"[O]", `o[1..]`, `o.enumerate().filter(|(i, _)| i >= 1).map(|(_, e)| e)`, ""},
	{"i64", `(-5..10).sum()`, `((0..15).map(|i| i - 5)).sum()`, ""},
	{"i64", `(-5..N).sum()`, `((0..N + 5).map(|i| i - 5)).sum()`, ""},
	{"i64", `(5..3).sum()`, "", "a range ends at its beginning or above"},
	{"[O]", `o.sort()[1..]`, `o.sort().enumerate().filter(|(i, _)| i >= 1).map(|(_, e)| e)`, ""},
	{"[O]", `o[-3..]`, `o.reverse().take(3).reverse()`, ""},
	{"[O]", `o[..3]`, `o.take(3)`, ""},
	{"[O]", `o[..-1]`, `o.take(o.len() - 1)`, ""},
	{"[f64]", `o.map(|r| r.paid / 3)`, `o.map(|r| r.paid as f64 / 3 as f64)`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.fold(0, |a, r| a + r.order_id * 2))`, `o.group_by(|r| r.day).agg(|g| g.sum(|r| r.order_id * 2))`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.fold(1, |a, r| a * r.order_id))`, "", "each of what its closure gives"},
	{"[f64]", `o.group_by(|r| r.day).agg(|g| g.product(|r| r.order_id))`, `o.group_by(|r| r.day).agg(|g| g.sum(|r| (r.order_id as f64).ln()).exp())`, ""},
	{"[((Date, Str), i64)]", `o.group_by(|r| r.day).agg(|g| g.mode(|r| r.gift))`, `o.group_by(|r| (r.day, r.gift)).agg(|g| (g.key(), g.count())).group_by(|(k, _)| k.0).top_k::<1>(|(_, n)| n)`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.scan(0, |a, r| a + r.order_id))`, "", "go through them with scan"},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.rolling(3))`, "", "go through them with scan"},
	{"f64", `o.map(|r| r.amount).std()`, `o.map(|r| r.amount).stddev_samp()`, ""},
	{"f64", `o.map(|r| r.amount).variance()`, `o.map(|r| r.amount).var_pop()`, ""},
	{"[f64]", `o.group_by(|r| r.day).agg(|g| g.std(|r| r.amount))`, `o.group_by(|r| r.day).agg(|g| g.stddev_samp(|r| r.amount))`, ""},
	{"[O]", `o.sort(|r| r.day, desc)`, "", `o.sort_desc(|r| r.day)`},
	{"[O]", `o.sort(|r| r.day, asc)`, "", `o.sort(|r| r.day)`},
	{"[(O, P)]", `{ let by = p.index_by(|r| r.name); o.join_all(by, |r| r.customer) }`, `{ let by = p.index_by(|r| r.name); o.join_all::<100>(by, |r| r.customer) }`, ""},
	{"[(Str, i64); ?K <= N]", `o.group_by(|r| r.customer).agg(|g| (g.key(), g.count()))`, "", "write `-> [(Str, i64)]` for"},
	{"f64", `v.std()`, `v.stddev_pop()`, ""},
	{"f64", `v.avg()`, `v.mean()`, ""},
	{"f64", `p.std(|r| r.price)`, `p.stddev_samp(|r| r.price)`, ""},
	{"f64", `p.std()`, `p.stddev_pop(|e| e.price)`, ""},
	{"f64", `o.var(|r| r.order_id)`, `o.var_samp(|r| r.order_id)`, ""},
	{"f64", `o.stddev(|r| r.qty)`, `o.stddev_pop(|r| r.qty)`, ""},
	{"f64", `n.std()`, `n.stddev_samp()`, ""},
	{"f64", `std(v)`, `v.stddev_pop()`, ""},
	{"f64", `std(p, |r| r.price)`, `p.stddev_samp(|r| r.price)`, ""},
	{"[f64]", `o.group_by(|r| r.day).std(|r| r.amount)`, `o.group_by(|r| r.day).stddev_pop(|r| r.amount)`, ""},
	{"[f64]", `p.group_by(|r| r.name).agg(|g| g.variance(|r| r.price))`, `p.group_by(|r| r.name).agg(|g| g.var_pop(|r| r.price))`, ""},
	{"[f64]", `p.cumsum(|r| r.price)`, `p.map(|r| r.price).scan(0.0, |a, e| a + e)`, ""},
	{"[f64]", `p.diff(|r| r.price)`, `p.map(|r| r.price).window::<2>().map(|w| w[1] - w[0])`, ""},
	{"[Option<f64>]", `p.lag(|r| r.price)`, `{ let x = p.map(|r| r.price); x.enumerate().map(|(i, _)| x.get(i - 1)) }`, ""},
	{"[(Str, i64)]", `p.value_counts(|r| r.name)`, `p.map(|r| r.name).group_by(|e| e).agg(|g| (g.key(), g.count()))`, ""},
	{"[Date]", `o.map(|r| truncate(r.day, month))`, `o.map(|r| r.day.truncate(month))`, ""},
	{"[Date]", `o.map(|r| date_trunc(r.day, "month"))`, `o.map(|r| r.day.truncate(month))`, ""},
	{"[i64]", `n.map(|e| asb(e))`, `n.map(|e| e.abs())`, ""},

	{"[P]", `p.map(|r| P { nmae: r.name, price: 1.0 })`, `p.map(|r| P { name: r.name, price: 1.0 })`, ""},

	// closures that were left out
	{"[i64]", `o.group_by(r.day).count()`, `o.group_by(|r| r.day).count()`, ""},
	{"[i64]", `o.group_by(day).count()`, `o.group_by(|e| e.day).count()`, ""},
	{"[i64]", `o.group_by("day").count()`, `o.group_by(|e| e.day).count()`, ""},
	{"[i64]", `o.group_by(o.day).count()`, `o.group_by(|e| e.day).count()`, ""},
	{"[i64]", `o.group_by((customer, gift)).count()`, `o.group_by(|e| (e.customer, e.gift)).count()`, ""},
	{"[f64]", `p.group_by(|r| r.name).sum(price)`, `p.group_by(|r| r.name).sum(|e| e.price)`, ""},
	{"[f64]", `p.group_by(|r| r.name).agg(|g| g.max("price"))`, `p.group_by(|r| r.name).agg(|g| g.max(|e| e.price))`, ""},
	{"f64", `p.sum(r.price)`, `p.sum(|r| r.price)`, ""},
	{"f64", `p.sum("price")`, `p.sum(|e| e.price)`, ""},
	{"[P]", `p.filter(row.price > 3.0)`, `p.filter(|row| row.price > 3.0)`, ""},
	{"[P]", `p.filter(price > 3.0)`, `p.filter(|e| e.price > 3.0)`, ""},
	{"[P]", `p.filter(p.price > 3.0)`, `p.filter(|e| e.price > 3.0)`, ""},
	{"[P]", `p.sort("price")`, `p.sort(|e| e.price)`, ""},
	{"[P]", `p.top_k::<2>(r.price)`, `p.top_k::<2>(|r| r.price)`, ""},
	{"[(O, P)]", `{ let by = p.index_by(s.name); o.join(by, |r| r.customer) }`, `{ let by = p.index_by(|s| s.name); o.join(by, |r| r.customer) }`, ""},
	{"[(O, P)]", `{ let by = p.index_by(|s| s.name); o.join(by, r.customer) }`, `{ let by = p.index_by(|s| s.name); o.join(by, |r| r.customer) }`, ""},
	{"[(O, P)]", `o.join(p, |r| r.customer)`, `{ let by = p.index_by(|d| d.name); o.join(by, |r| r.customer) }`, ""},
	{"[(O, P)]", `o.join(p, |a, b| a.customer == b.name)`, `{ let by = p.index_by(|b| b.name); o.join(by, |a| a.customer) }`, ""},
	{"[(O, P)]", `o.join_all::<3>(p, |r| r.customer)`, `{ let by = p.index_by(|d| d.name); o.join_all::<3>(by, |r| r.customer) }`, ""},
	{"[(O, P)]", `o.join(p, |r| r.customer, |s| s.name)`, `{ let by = p.index_by(|s| s.name); o.join(by, |r| r.customer) }`, ""},
	{"[(O, P)]", `o.join(p, "customer", "name")`, `{ let by = p.index_by(|e| e.name); o.join(by, |e| e.customer) }`, ""},
	{"[(O, P)]", `o.merge(p, "customer")`, `{ let by = p.index_by(|d| d.name); o.join(by, |e| e.customer) }`, ""},
	{"[(O, Option<idx<M>>)]", `o.left_join(p, |r| r.customer)`, `{ let by = p.index_by(|d| d.name); o.map(|r| (r, by.get(r.customer))) }`, ""},
	{"[i64]", `o.group_by(r.day, r.gift).count()`, `o.group_by(|r| (r.day, r.gift)).count()`, ""},
	{"[i64]", `o.group_by("day", "gift").count()`, `o.group_by(|e| (e.day, e.gift)).count()`, ""},
	{"[i64]", `o.group_by(["day", "gift"]).count()`, `o.group_by(|e| (e.day, e.gift)).count()`, ""},
	{"[i64]", `o.group_by([|r| r.day, |r| r.gift]).count()`, `o.group_by(|r| (r.day, r.gift)).count()`, ""},
	{"[P]", `p.filter(|r| price > 3.0)`, `p.filter(|r| r.price > 3.0)`, ""},
	{"[(O, O)]", `o.join(o, |r| r.day)`, `{ let by = o.index_by(|d| d.day); o.join(by, |r| r.day) }`, ""},
	{"[bool]", `{ let by = p.index_by(|s| s.name); o.map(|r| by.has(|r| r.customer)) }`, `{ let by = p.index_by(|s| s.name); o.map(|r| by.has(r.customer)) }`, ""},
	{"[bool]", `{ let by = p.index_by(|s| s.name); o.map(|row| by.has(|r| r.customer)) }`, `{ let by = p.index_by(|s| s.name); o.map(|row| by.has(row.customer)) }`, ""},
	{"[f64]", `p.group_by(|r| r.name).first(|r| r.price)`, `p.group_by(|r| r.name).first().map(|r| r.price)`, ""},
	{"[f64]", `p.group_by(|r| r.name).agg(|g| g.last(|r| r.price))`, `p.group_by(|r| r.name).agg(|g| g.last().price)`, ""},
	{"[Option<f64>]", `p.group_by::<9>(|r| r.price as i64).last(|r| r.price)`, `p.group_by::<9>(|r| r.price as i64).last().map(|e| e.map(|r| r.price))`, ""},
	{"[Option<f64>]", `p.group_by::<9>(|r| r.price as i64).agg(|g| g.first(|r| r.price))`, `p.group_by::<9>(|r| r.price as i64).agg(|g| g.first().map(|r| r.price))`, ""},

	// values of another type than is wanted
	{"[f64]", `o.map(|r| r.order_id)`, `o.map(|r| r.order_id).map(|e| e as f64)`, ""},
	{"[i64]", `p.map(|r| r.price)`, `p.map(|r| r.price).map(|e| e as i64)`, ""},
	{"[i64]", `o.map(|r| r.qty)`, `o.map(|r| r.qty).map(|e| e.or(0))`, ""},
	{"[f64]", `o.map(|r| r.qty)`, `o.map(|r| r.qty).map(|e| e.or(0) as f64)`, ""},
	{"[Option<f64>]", `o.map(|r| r.qty)`, `o.map(|r| r.qty).map(|e| e.map(|v| v as f64))`, ""},
	{"[Option<i64>]", `o.map(|r| r.order_id)`, `o.map(|r| r.order_id).map(|e| Some(e))`, ""},
	{"Option<f64>", `o.sum(|r| r.order_id)`, `Some(o.sum(|r| r.order_id) as f64)`, ""},
	{"[i64]", `o.group_by(|r| r.day).max(|r| r.qty)`, `o.group_by(|r| r.day).max(|r| r.qty).map(|e| e.or(0))`, ""},
	{"[(Date, i64)]", `o.group_by(|r| r.day).agg(|g| (g.key(), g.max(|r| r.qty)))`, `o.group_by(|r| r.day).agg(|g| (g.key(), g.max(|r| r.qty))).map(|(a, b)| (a, b.or(0)))`, ""},
	{"[(Date, f64)]", `o.group_by(|r| r.day).agg(|g| (g.key(), g.sum(|r| r.order_id)))`, `o.group_by(|r| r.day).agg(|g| (g.key(), g.sum(|r| r.order_id))).map(|(a, b)| (a, b as f64))`, ""},
	{"(f64, i64)", `(n.sum(), v.sum())`, `{ let (a, b) = (n.sum(), v.sum()); (a as f64, b as i64) }`, ""},
	{"[f64]", `o.map(|r| if r.order_id > 3 { r.order_id } else { r.amount.or(0.0) })`, `o.map(|r| if r.order_id > 3 { r.order_id as f64 } else { r.amount.or(0.0) })`, ""},
	{"[Option<i64>]", `o.map(|r| if r.order_id > 3 { r.order_id } else { r.qty })`, `o.map(|r| if r.order_id > 3 { Some(r.order_id) } else { r.qty })`, ""},
	{"[i64; 9]", `o.histogram::<9>(|r| r.qty)`, `o.histogram::<9>(|r| r.qty.or(0))`, ""},
	{"[i64]", `o.group_by::<9>(|r| r.qty).count()`, `o.group_by::<9>(|r| r.qty.or(0)).count()`, ""},
	{"[(O, O)]", `{ let by = o.index_by(|s| s.qty); o.join(by, |r| r.order_id) }`, `{ let by = o.index_by(|s| s.qty); o.join(by, |r| Some(r.order_id)) }`, ""},
	{"[(O, O)]", `{ let by = o.index_by(|s| s.order_id); o.join(by, |r| r.qty) }`, `{ let by = o.index_by(|s| Some(s.order_id)); o.join(by, |r| r.qty) }`, ""},
	{"[(O, P)]", `{ let by = p.index_by(|s| s.name); o.join(by, |r| r.region) }`, `{ let by = p.index_by(|s| Some(s.name)); o.join(by, |r| r.region) }`, ""},
	{"[(O, O)]", `{ let by = o.index_by(|s| (s.day, s.qty)); o.join(by, |r| (r.day, r.order_id)) }`, `{ let by = o.index_by(|s| (s.day, s.qty)); o.join(by, |r| { let (a, b) = (r.day, r.order_id); (a, Some(b)) }) }`, ""},
	{"[f64]", `p.group_by(|r| r.name).sum(|r| r.price) / p.group_by(|r| r.name).count()`, `p.group_by(|r| r.name).agg(|g| g.sum(|r| r.price) / g.count() as f64)`, ""},
	{"[i64]", `o.map(|r| r.day - 2001-01-01)`, `o.map(|r| r.day - 2001-01-01).map(|e| e.days() as i64)`, ""},
	{"i64", `o[0].day - 2001-01-01`, `(o[0].day - 2001-01-01).days() as i64`, ""},
	{"[Date]", `o.map(|r| r.ordered_at)`, `o.map(|r| r.ordered_at).map(|e| e.date())`, ""},
	{"[Timestamp]", `o.map(|r| r.day)`, `o.map(|r| r.day).map(|e| e as Timestamp<us>)`, ""},
	{"[Date]", `o.map(|r| r.day.date())`, "", "it is a Date already"},
	{"[i64]", `o.map(|r| r.day.hour())`, "", "declare the field as Timestamp"},
	{"[(Date, i64)]", `o.group_by(|r| r.day).agg(|g| (g.key, g.count))`, `o.group_by(|r| r.day).agg(|g| (g.key(), g.count()))`, ""},
	{"[bool]", `{ let by = p.index_by(|r| r.name); o.map(|r| by.hass) }`, "", "by.has(…)"},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.order_id)`, `o.group_by(|r| r.day).agg(|g| g.max(|r| r.order_id))`, ""},
	{"[i64]", `o.group_by(|r| r.day)`, `o.group_by(|r| r.day).count()`, ""},
	{"[i64]", `o.group_by("day")`, `o.group_by(|e| e.day).count()`, ""},
	{"i64", `o.count(|r| r.qty > 10.5)`, `o.count(|r| r.qty.map(|v| v as f64 > 10.5).or(false))`, ""},
	{"[(Str, f64)]", `p.group_by(|r| r.name).mean(|r| r.price)`, `p.group_by(|r| r.name).agg(|g| (g.key(), g.mean(|r| r.price)))`, ""},
	{"[(Str, f64)]", `p.group_by(|r| r.name).count()`, `p.group_by(|r| r.name).agg(|g| (g.key(), g.count() as f64))`, ""},
	{"[f64]", `n.map(|e| e / 2.5)`, `n.map(|e| e as f64 / 2.5)`, ""},
	{"[f64]", `n.map(|e| e * 10_000_000_000_000_000_000)`, `n.map(|e| e as f64 * 10_000_000_000_000_000_000.0)`, ""},
	{"[i64]", `n.map(|e| e as i32).map(|e| e * 3_000_000_000)`, `n.map(|e| e as i32).map(|e| e as i64 * 3_000_000_000)`, ""},
	{"i64", `n.map(|e| e as i32).count(|e| 3_000_000_000 > e)`, `n.map(|e| e as i32).count(|e| 3_000_000_000 > e as i64)`, ""},

	// what is missing
	{"i64", `o.count(|r| r.amount == None)`, `o.count(|r| r.amount.is_none())`, ""},
	{"i64", `o.count(|r| r.amount == null)`, `o.count(|r| r.amount.is_none())`, ""},
	{"i64", `o.count(|r| null != r.amount)`, `o.count(|r| r.amount.is_some())`, ""},
	{"i64", `o.count(|r| r.amount is null)`, `o.count(|r| r.amount.is_none())`, ""},
	{"i64", `o.count(|r| r.amount is not null)`, `o.count(|r| r.amount.is_some())`, ""},
	{"i64", `o.count(|r| r.amount.is_null())`, `o.count(|r| r.amount.is_none())`, ""},
	{"i64", `o.count(|r| r.gift.is_null())`, "", "Option<T>"},
	{"i64", `o.count(|r| r.gift == null)`, "", "Option<Str>"},
	{"i64", `o.count(|r| r.qty > 3)`, `o.count(|r| r.qty.map(|v| v > 3).or(false))`, ""},
	{"i64", `o.count(|r| r.shipped > 2024-03-01)`, `o.count(|r| r.shipped.map(|v| v > 2024-03-01).or(false))`, ""},
	{"i64", `o.count(|r| r.ordered_at.date() == r.shipped)`, `o.count(|r| r.shipped.map(|v| r.ordered_at.date() == v).or(false))`, ""},
	{"i64", `o.count(|r| r.region != "")`, `o.count(|r| r.region.map(|v| v != "").or(false))`, ""},
	{"i64", `o.count(|r| r.region == Some("North"))`, `o.count(|r| r.region.map(|v| v == "North").or(false))`, ""},
	{"i64", `o.count(|r| r.region.starts_with("N"))`, `o.count(|r| r.region.map(|v| v.starts_with("N")).or(false))`, ""},
	{"[O]", `o.dropna()`, `o.filter(|e| e.region.is_some() && e.qty.is_some() && e.amount.is_some() && e.shipped.is_some())`, ""},
	{"[i64]", `o.map(|r| r.qty).fillna(0)`, `o.map(|r| r.qty).map(|e| e.or(0))`, ""},
	{"[i64]", `o.filter_map(|r| r.qty)`, "", ".filter(|r| r.qty.is_some()).map(|r| r.qty.or(…))"},

	{"[i64]", `n.filter_map(|e| if e > 3 { Some(e + 1) } else { None })`, `n.filter(|e| e > 3).map(|e| e + 1)`, ""},

	// conditions
	{"[Str]", `o.map(|r| r.amount.or(0.0) > 100.0 ? "big" : "small")`, `o.map(|r| if r.amount.or(0.0) > 100.0 { "big" } else { "small" })`, ""},
	{"i64", `o.count(|r| r.gift = "yes")`, `o.count(|r| r.gift == "yes")`, ""},
	{"i64", `o.count(|r| r.gift <> "yes")`, `o.count(|r| r.gift != "yes")`, ""},
	{"i64", `o.count(|r| r.gift in ["yes", "no"])`, `o.count(|r| match r.gift { "yes" | "no" => true, _ => false })`, ""},
	{"i64", `o.count(|r| r.gift not in ("yes", "no"))`, `o.count(|r| match r.gift { "yes" | "no" => false, _ => true })`, ""},
	{"i64", `o.count(|r| ["yes", "no"].contains(r.gift))`, `o.count(|r| match r.gift { "yes" | "no" => true, _ => false })`, ""},
	{"i64", `o.count(|r| r.gift.isin(["yes", "no"]))`, `o.count(|r| match r.gift { "yes" | "no" => true, _ => false })`, ""},
	{"i64", `o.count(|r| [3, 5].contains(r.order_id))`, `o.count(|r| match r.order_id { 3 | 5 => true, _ => false })`, ""},
	{"i64", `o.count(|r| n.contains(r.order_id))`, `o.count(|r| n.any(|e| e == r.order_id))`, ""},
	{"i64", `o.count(|r| r.order_id in 1..5)`, `o.count(|r| r.order_id >= 1 && r.order_id < 5)`, ""},
	{"i64", `o.count(|r| r.order_id between 1 and 5)`, `o.count(|r| r.order_id >= 1 && r.order_id <= 5)`, ""},
	{"i64", `o.count(|r| r.ordered_at.between(2024-01-01, 2024-02-01))`, `o.count(|r| r.ordered_at >= 2024-01-01 && r.ordered_at <= 2024-02-01)`, ""},
	{"i64", `o.count(|r| not r.gift == "yes")`, `o.count(|r| !(r.gift == "yes"))`, ""},
	{"i64", `o.count(|r| !r.gift == "yes")`, `o.count(|r| !(r.gift == "yes"))`, ""},
	{"i64", `o.count(|r| r.gift.starts_with('y'))`, `o.count(|r| r.gift.starts_with("y"))`, ""},
	{"i64", `o.count(|r| r.gift.is_empty())`, `o.count(|r| r.gift == "")`, ""},
	{"i64", `o.count(|r| !r.gift.is_empty())`, `o.count(|r| !(r.gift == ""))`, ""},
	{"i64", `o.count(|r| r.customer like "C0%")`, `o.count(|r| r.customer.starts_with("C0"))`, ""},
	{"i64", `o.count(|r| r.customer.like("%C0%"))`, `o.count(|r| r.customer.contains("C0"))`, ""},
	{"i64", `o.count(|r| r.customer.ilike("%c0"))`, `o.count(|r| r.customer.lower().ends_with("c0"))`, ""},
	{"i64", `o.count(|r| r.customer.like("C_0%"))`, "", "there are no patterns"},
	{"i64", `o.count(|r| r.customer.matches("C0.*"))`, "", "there are no patterns"},

	// text that was to be something else
	{"[i64]", `o.map(|r| r.customer as i64)`, "", "declare the field as i64, or Option<i64>"},
	{"[f64]", `o.map(|r| r.customer as f64)`, "", "declare the field as f64, or Option<f64>"},
	{"[i64]", `o.map(|r| r.customer + 1)`, "", "declare the field as i64"},
	{"[i64]", `o.map(|r| r.customer.parse())`, "", "declare the field as i64"},
	{"i64", `o.count(|r| r.customer > 5)`, "", "declare the field as i64"},
	{"i64", `o.count(|r| r.customer == 94103)`, `o.count(|r| r.customer == "94103")`, ""},
	{"[Str]", `o.map(|r| r.customer + r.gift)`, "", "not put together"},
	{"[Str]", `o.map(|r| r.customer.substr(0, 2))`, "", "text is not cut"},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.min(|r| r.gift).len())`, "", "g.first() of each group"},
	{"i64", `o.count(|r| r.ordered_at.month() == "March")`, `o.count(|r| r.ordered_at.month() == 3)`, ""},
	{"i64", `o.count(|r| "sun" != r.ordered_at.weekday())`, `o.count(|r| 6 != r.ordered_at.weekday())`, ""},
	{"i64", `o.count(|r| r.order_id == "12")`, `o.count(|r| r.order_id == 12)`, ""},
	{"i64", `o.count(|r| r.customer.code() == "SFO".code())`, `o.count(|r| r.customer == "SFO")`, ""},
	{"i64", `o.count(|r| r.customer.code() == "SFO")`, `o.count(|r| r.customer == "SFO")`, ""},
	{"i64", `o.count(|r| r.customer.code() == r.gift.code())`, `o.count(|r| r.customer == r.gift)`, ""},

	// dates
	{"i64", `o.count(|r| r.ordered_at > "2024-03-01")`, `o.count(|r| r.ordered_at > 2024-03-01)`, ""},
	{"i64", `o.count(|r| "2024-03-01 08:30:00" > r.ordered_at)`, `o.count(|r| 2024-03-01T08:30:00 > r.ordered_at)`, ""},
	{"i64", `o.count(|r| r.ordered_at >= 2024-3-1)`, `o.count(|r| r.ordered_at >= 2024-03-01)`, ""},
	{"i64", `o.count(|r| r.day == "2024/3/1")`, `o.count(|r| r.day == 2024-03-01)`, ""},
	{"i64", `o.count(|r| r.day == 2024-02-30)`, `o.count(|r| r.day == 2024-02-29)`, ""},
	{"i64", `o.count(|r| r.ordered_at.year == 2024)`, `o.count(|r| r.ordered_at.year() == 2024)`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at + 1)`, `o.map(|r| r.ordered_at + 1day)`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at - r.order_id)`, `o.map(|r| r.ordered_at - r.order_id * 1day)`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at + 2weeks)`, `o.map(|r| r.ordered_at + 14day)`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at + 1month)`, "", "x.truncate(month)"},
	{"[Date]", `o.map(|r| r.day.add_months(1))`, "", "truncate(month)"},
	{"[Date]", `o.map(|r| r.day.truncate(hour))`, `o.map(|r| r.day.truncate(day))`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at.truncate("month"))`, `o.map(|r| r.ordered_at.truncate(month))`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at.date_trunc("90min"))`, `o.map(|r| r.ordered_at.truncate(90min))`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at.truncate(1week))`, `o.map(|r| r.ordered_at.truncate(week))`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at.date_trunc("month"))`, `o.map(|r| r.ordered_at.truncate(month))`, ""},
	{"[i64]", `o.map(|r| r.ordered_at.dow())`, `o.map(|r| r.ordered_at.weekday())`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at.week())`, `o.map(|r| r.ordered_at.truncate(week))`, ""},
	{"[Str]", `o.map(|r| r.ordered_at.format("%Y"))`, "", "times are not made text"},
	{"[f64]", `o.map(|r| r.day.datediff(2024-01-01))`, `o.map(|r| (r.day - 2024-01-01).days())`, ""},

	// rows and their order
	{"[O]", `o.limit(3)`, `o.take(3)`, ""},
	{"[O]", `o.head(3)`, `o.take(3)`, ""},
	{"[O]", `o.skip(3)`, `o.enumerate().filter(|(i, _)| i >= 3).map(|(_, e)| e)`, ""},
	{"[O]", `o.take(3..5)`, `o.enumerate().filter(|(i, _)| i >= 3 && i < 5).map(|(_, e)| e)`, ""},
	{"[Str]", `o.select(|r| r.customer)`, `o.map(|r| r.customer)`, ""},
	{"[(Str, Option<f64>)]", `o.map(|r| r.customer, r.amount)`, `o.map(|r| (r.customer, r.amount))`, ""},
	{"[O]", `o.where(|r| r.order_id > 3)`, `o.filter(|r| r.order_id > 3)`, ""},
	{"[O]", `o.order_by(|r| r.customer)`, `o.sort(|r| r.customer)`, ""},
	{"[O]", `o.sort(|a, b| a.order_id - b.order_id)`, `o.sort(|a| a.order_id)`, ""},
	{"[O]", `o.sort(|a, b| b.order_id - a.order_id)`, `o.sort_desc(|b| b.order_id)`, ""},
	{"[O]", `o.sort(|r| r.customer, |r| r.day)`, `o.sort(|r| r.day).sort(|r| r.customer)`, ""},
	{"[O]", `o.top_k(3, |r| r.order_id)`, `o.top_k::<3>(|r| r.order_id)`, ""},
	{"[O]", `o.bottom_k::<3>(|r| r.order_id)`, `o.sort(|r| r.order_id).take(3)`, ""},
	{"O", `o.max_by(|r| r.order_id)`, `o[o.argmax(|r| r.order_id)]`, ""},
	{"[O]", `o.distinct(|r| r.customer, |r| r.gift)`, `o.distinct(|r| (r.customer, r.gift))`, ""},
	{"i64", `p.unique().len()`, `p.distinct().len()`, ""},
	{"[P]", `p.drop_duplicates()`, `p.distinct()`, ""},
	{"i64", `o.count_distinct(|r| r.customer)`, `o.distinct(|r| r.customer).len()`, ""},
	{"[O]", `o.sample(10)`, "", "nothing is random"},
	{"[P]", `p.union(p)`, `concat(p, p).distinct()`, ""},
	{"[P]", `p.concat(p)`, `concat(p, p)`, ""},
	{"[P]", `p.map(|r| P { price: 1.0, ..r })`, `p.map(|r| { let mut x = r; x.price = 1.0; x })`, ""},
	{"f64", `o.quantile(|r| r.order_id, 0.9)`, `o.quantile(0.9, |r| r.order_id)`, ""},
	{"i64", `n.fold(|a, e| a + e, 0)`, `n.fold(0, |a, e| a + e)`, ""},

	// rows beside others
	{"[Option<i64>]", `n.lag(1)`, `n.enumerate().map(|(i, _)| n.get(i - 1))`, ""},
	{"[Option<i64>]", `o.map(|r| r.order_id).shift(1)`, `{ let x = o.map(|r| r.order_id); x.enumerate().map(|(i, _)| x.get(i - 1)) }`, ""},
	{"[i64]", `n.diff()`, `n.window::<2>().map(|w| w[1] - w[0])`, ""},
	{"[i64]", `n.cumsum()`, `n.scan(0, |a, e| a + e)`, ""},
	{"[f64]", `v.cum_sum()`, `v.scan(0.0, |a, e| a + e)`, ""},
	{"[(i64, i64)]", `n.rank()`, `n.sort().enumerate().map(|(i, e)| (i + 1, e))`, ""},
	{"[f64]", `v.window::<2>().map(|w| w.sum()).rolling(2).mean()`, "", ".window::<2>().map(|w| w.mean())"},
	{"[f64]", `v.rolling(2).sum()`, `v.window::<2>().map(|w| w.sum())`, ""},
	{"[i64]", `n.dedup()`, `n.enumerate().filter(|(i, e)| n.get(i - 1).map(|b| b != e).or(true)).map(|(_, e)| e)`, ""},
	{"i64", `{ let by = p.index_by(|r| r.name); o.left_join(by, |r| r.customer).len() }`, "", "o.map(|r| (r, by.get(r.customer)))"},

	// text that goes along

	// medians of what is no number yet
	{"f64", `o.median(|r| r.paid)`, `o.median(|r| r.paid as f64)`, ""},
	{"f64", `o.map(|r| r.paid).quantile(0.9)`, `o.map(|r| r.paid).quantile(0.9, |e| e as f64)`, ""},
	{"f64", `o.quantile(0.9, |r| r.paid)`, `o.quantile(0.9, |r| r.paid as f64)`, ""},
	{"[f64]", `o.group_by(|r| r.day).median(|r| r.paid)`, `o.group_by(|r| r.day).median(|r| r.paid as f64)`, ""},
	{"f64", `o.median(|r| r.day)`, `o.median(|r| r.day as i64)`, ""},
	{"f64", `o.median(|r| r.shipped)`, `o.median(|r| r.shipped.map(|v| v as i64))`, ""},
	{"f64", `o.median(|r| r.gift == "yes")`, `o.median(|r| (r.gift == "yes") as i64 as f64)`, ""},

	{"f64", `o.median(|r| r.gift)`, "", "declare the field as f64"},
	{"[f64]", `o.group_by(|r| r.day).quantile(0.5, |r| r.region)`, "", "declare the field as f64"},
	{"f64", `p.median()`, `p.median(|e| e.price)`, ""},

	// how far values are from their mean, by other names, of all and of a sample, and of what is no number
	{"f64", `v.sd()`, `v.stddev_samp()`, ""},
	{"f64", `v.STDDEV()`, `v.stddev_pop()`, ""},
	{"f64", `v.std_dev()`, `v.stddev_samp()`, ""},
	{"f64", `v.var()`, `v.var_pop()`, ""},
	{"f64", `p.std("price")`, `p.stddev_pop(|e| e.price)`, ""},
	{"f64", `p.stddev(price)`, `p.stddev_samp(|e| e.price)`, ""},
	{"f64", `p.stddev_samp(price)`, `p.stddev_samp(|e| e.price)`, ""},
	{"f64", `p.stddev_samp()`, `p.stddev_samp(|e| e.price)`, ""},
	{"f64", `variance(o, |r| r.amount)`, `o.var_samp(|r| r.amount)`, ""},
	{"f64", `o.std(|r| r.ordered_at)`, `o.stddev_pop(|r| r.ordered_at as i64)`, ""},
	{"f64", `o.variance(|r| r.ordered_at)`, `o.var_samp(|r| r.ordered_at as i64)`, ""},
	{"f64", `o.map(|r| r.day).variance()`, `o.map(|r| r.day).var_pop(|e| e as i64)`, ""},
	{"f64", `o.map(|r| r.shipped).std()`, `o.map(|r| r.shipped).stddev_samp(|e| e.map(|v| v as i64))`, ""},
	{"f64", `o.std(|r| r.day - r.ordered_at.date())`, `o.stddev_samp(|r| (r.day - r.ordered_at.date()).days())`, ""},
	{"f64", `o.std(|r| r.paid)`, `o.stddev_samp(|r| r.paid as f64)`, ""},
	{"[f64]", `o.group_by(|r| r.day).std(|r| r.paid)`, `o.group_by(|r| r.day).stddev_samp(|r| r.paid as f64)`, ""},
	{"f64", `o.var_pop(|r| r.paid)`, `o.var_pop(|r| r.paid as f64)`, ""},
	{"f64", `o.map(|r| r.ordered_at).stddev_samp()`, `o.map(|r| r.ordered_at).stddev_samp(|e| e as i64)`, ""},
	{"f64", `o.map(|r| (r.gift, r.day)).var_pop()`, `o.map(|r| (r.gift, r.day)).var_pop(|e| e.1 as i64)`, ""},
	{"f64", `o.map(|r| (r.gift, r.shipped)).std()`, `o.map(|r| (r.gift, r.shipped)).stddev_samp(|e| e.1.map(|v| v as i64))`, ""},
	{"f64", `o.map(|r| (r.gift, r.customer)).std()`, "", "declare the field as f64"},
	{"f64", `o.map(|r| r.ordered_at.time()).std()`, `o.map(|r| r.ordered_at.time()).stddev_samp(|e| e as i64)`, ""},
	{"f64", `o.map(|r| r.gift == "yes").std()`, `o.map(|r| r.gift == "yes").stddev_pop(|e| e as i64 as f64)`, ""},
	{"f64", `o.std(|r| r.gift)`, "", "declare the field as f64"},
	{"[f64]", `o.group_by(|r| r.day).agg(|g| g.std(|r| r.region))`, "", "declare the field as f64"},
	{"f64", `o.stddev_pop(|r| r.gift)`, "", "declare the field as f64"},
	{"[f64]", `v.map(|e| e.std())`, "", "rows.stddev_pop(|r| …)"},

	// groups
	{"[i64]", `o.group_by(|r| r.day, |r| r.gift).count()`, `o.group_by(|r| (r.day, r.gift)).count()`, ""},
	{"[(Date, i64)]", `o.group_by(|r| r.day).map(|g| (g.key(), g.count()))`, `o.group_by(|r| r.day).agg(|g| (g.key(), g.count()))`, ""},
	{"[(Date, i64)]", `o.group_by(|r| r.day).agg(|g| (g.key(), g.len()))`, `o.group_by(|r| r.day).agg(|g| (g.key(), g.count()))`, ""},
	{"[(Date, i64)]", `o.group_by(|r| r.day).agg(|g| (g.key(), g.map(|r| r.order_id).sum()))`, `o.group_by(|r| r.day).agg(|g| (g.key(), g.sum(|r| r.order_id)))`, ""},
	{"[f64]", `o.group_by(|r| r.day).agg(|g| g.std(|r| r.order_id))`, `o.group_by(|r| r.day).agg(|g| g.stddev_samp(|r| r.order_id))`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.filter(|r| r.gift == "yes").sum(|r| r.order_id))`, `o.group_by(|r| r.day).agg(|g| g.sum(|r| if r.gift == "yes" { Some(r.order_id) } else { None }))`, ""},
	{"[i64]", `o.group_by::<12>(|r| r.day.month() - 1).agg(|g| g.first().order_id)`, "", "g.first().map(|e| e.order_id)"},
	{"[f64]", `o.group_by(|r| r.day).agg(|g| 100.0 * g.count() / N)`, `o.group_by(|r| r.day).agg(|g| 100.0 * g.count() as f64 / N as f64)`, ""},
	{"[f64]", `n.map(|e| e * 2.5)`, `n.map(|e| e as f64 * 2.5)`, ""},
	{"i64", `{ let x = o.filter(|r| r.gift == "yes"); x.len(); }`, `{ let x = o.filter(|r| r.gift == "yes"); x.len() }`, ""},

	// more words for the same
	{"[O]", `o.tail(3)`, `o.reverse().take(3).reverse()`, ""},
	{"[O]", `o.slice(3, 5)`, `o.enumerate().filter(|(i, _)| i >= 3 && i < 5).map(|(_, e)| e)`, ""},
	{"[i64]", `n.except(n)`, `{ let others = n.index_by(|e| e); n.filter(|e| !others.has(e)) }`, ""},
	{"[i64]", `o.map(|r| r.order_id).intersect(n)`, `{ let x = o.map(|r| r.order_id); let others = n.index_by(|e| e); x.filter(|e| others.has(e)) }`, ""},
	{"[(i64, f64)]", `n.cross_join(v)`, `n.map(|a| v.map(|b| (a, b))).flatten()`, ""},
	{"[i64]", `n.cummax()`, `n.scan(n.min(), |a, e| a.max(e))`, ""},
	{"[i64]", `n.cum_min()`, `n.scan(n.max(), |a, e| a.min(e))`, ""},
	{"[f64]", `v.pct_change()`, `v.window::<2>().map(|w| w[1] / w[0] - 1.0)`, ""},
	{"[Option<f64>]", `v.lead(1)`, `v.enumerate().map(|(i, _)| v.get(i + 1))`, ""},
	{"[(i64, P)]", `p.row_number()`, `p.enumerate().map(|(i, e)| (i + 1, e))`, ""},
	{"[(i64, P)]", `p.rank(|r| r.price)`, `p.sort(|r| r.price).enumerate().map(|(i, e)| (i + 1, e))`, ""},
	{"[i64]", `v.argsort()`, `v.enumerate().sort(|(_, e)| e).map(|(i, _)| i as i64)`, ""},
	{"[(i64, i64)]", `n.value_counts()`, `n.group_by(|e| e).agg(|g| (g.key(), g.count()))`, ""},
	{"[P]", `p.nlargest(3, |r| r.price)`, `p.top_k::<3>(|r| r.price)`, ""},
	{"[P]", `p.nsmallest(3, |r| r.price)`, `p.sort(|r| r.price).take(3)`, ""},
	{"bool", `n.is_empty()`, `n.len() == 0`, ""},
	{"Option<i64>", `n.first()`, `n.get(0)`, ""},
	{"Option<i64>", `n.last()`, `n.get(n.len() - 1)`, ""},
	{"f64", `v.rolling_mean(3).sum()`, "", ".window::<3>().map(|w| w.mean())"},
	{"f64", `v.variance()`, `v.var_samp()`, ""},
	{"f64", `v.percentile(0.9)`, `v.quantile(0.9)`, ""},
	{"[P]", `p.query(|r| r.price > 1.0)`, `p.filter(|r| r.price > 1.0)`, ""},
	{"[P]", `p.pivot(|r| r.name)`, "", "group by both"},
	{"[O]", `{ let by = p.index_by(|r| r.name); o.filter(|r| by.contains(r.customer)) }`, `{ let by = p.index_by(|r| r.name); o.filter(|r| by.has(r.customer)) }`, ""},
	{"[P]", `p.full_join(o, |r| r.name)`, "", "there is none"},
	{"[i64]", `o.map(|r| r.qty.coalesce(0))`, `o.map(|r| r.qty.or(0))`, ""},
	{"[i64]", `o.map(|r| r.order_id.or(0))`, "", "Option<T>"},
	{"[Option<i64>]", `o.map(|r| r.shipped.year())`, `o.map(|r| r.shipped.map(|v| v.year()))`, ""},
	{"[i64]", `o.map(|r| r.customer.length())`, `o.map(|r| r.customer.len())`, ""},
	{"[Str]", `o.map(|r| r.customer.to_lower())`, `o.map(|r| r.customer.lower())`, ""},
	{"i64", `o.count(|r| r.customer.includes("x"))`, `o.count(|r| r.customer.contains("x"))`, ""},
	{"[Str]", `o.map(|r| r.customer.strip())`, `o.map(|r| r.customer.trim())`, ""},
	{"[Str]", `o.map(|r| r.customer.ltrim())`, `o.map(|r| r.customer.trim_start())`, ""},
	{"[Str]", `o.map(|r| rtrim(r.customer))`, `o.map(|r| r.customer.trim_end())`, ""},
	{"[Date]", `o.map(|r| r.customer.to_date())`, "", "declare the field as Date"},
	{"[i64]", `o.map(|r| r.day.isodow())`, `o.map(|r| r.day.weekday() + 1)`, ""},
	{"[i64]", `o.map(|r| r.ordered_at.epoch())`, `o.map(|r| r.ordered_at as i64)`, ""},
	{"[Timestamp]", `o.map(|r| r.ordered_at.add_hours(3))`, `o.map(|r| r.ordered_at + 3 * 1h)`, ""},
	{"[Date]", `o.map(|r| r.ordered_at.to_date())`, `o.map(|r| r.ordered_at.date())`, ""},
	{"[bool]", `o.group_by(|r| r.day).agg(|g| g.any(|r| r.gift == "yes"))`, `o.group_by(|r| r.day).agg(|g| g.count(|r| r.gift == "yes") > 0)`, ""},
	{"[bool]", `o.group_by(|r| r.day).agg(|g| g.all(|r| r.gift == "yes"))`, `o.group_by(|r| r.day).agg(|g| g.count(|r| r.gift == "yes") == g.count())`, ""},
	{"[i64]", `o.group_by(|r| r.day).agg(|g| g.nunique(|r| r.gift))`, `o.group_by(|r| r.day).agg(|g| g.count_distinct(|r| r.gift))`, ""},
	{"[O]", `o.group_by(|r| r.day).agg(|g| g.max_by(|r| r.order_id))`, "", "top_k::<1>"},
	{"[i64]", `o.group_by(|r| r.day).having(|g| g.count() > 1)`, "", "filter what agg gives"},
	{"[i64]", `o.group_by(|r| r.day).summarize(|g| g.count())`, `o.group_by(|r| r.day).agg(|g| g.count())`, ""},
	{"[i64]", `o.group_by(|r| r.day).map(|r| r.order_id).sum()`, `o.group_by(|r| r.day).sum(|r| r.order_id)`, ""},
	{"i64", `o.count(|r| r.day.is_null())`, "", "Option<T>"},
	{"i64", `o.count(|r| !r.qty is null)`, `o.count(|r| !r.qty.is_none())`, ""},
	{"i64", `o.count(|r| !r.gift in ["a", "b"])`, `o.count(|r| match r.gift { "a" | "b" => false, _ => true })`, ""},
	{"i64", `o.count(|r| r.day == 2023-02-29)`, `o.count(|r| r.day == 2023-02-28)`, ""},
	{"i64", `o.count(|r| r.ordered_at < 2024-13-01T10:00)`, `o.count(|r| r.ordered_at < 2024-12-01T10:00)`, ""},
	{"i64", `o.count(|r| r.region == r.region)`, `o.count(|r| r.region.map(|x| r.region.map(|y| x == y).or(false)).or(false))`, ""},
	{"[i64]", `o.map(|r| r.qty + 1)`, `o.map(|r| r.qty.or(0) + 1)`, ""},
	{"[P]", `p.sort_desc(|a, b| a.price.partial_cmp(b.price))`, `p.sort_desc(|a| a.price)`, ""},
}
