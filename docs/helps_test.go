package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// byHand lists the codes whose help cannot be followed without thought.
var byHand = map[string]string{
	"S16": "methods become functions, and their calls too",
	"S20": "which part gets a name is the writer's choice",
	"S33": "the rest of the turn goes into the if",
	"S39": "the condition is missing",
	"T01": "a recursion becomes a loop",
	"T03": "what is to come out of the loop is not known",
	"T18": "which part to leave out is not known",
	"T22": "the types or the function change",
	"O01": "the closure becomes a function, and its uses calls",
	"O04": "the closure becomes a loop or fold",
	"N13": "the value moves out of the closure that folds",
}

// TestHelps follows the help of every message of errors.md, to the letter:
// what it says is applied at the marked spot, and the program must pass then.
// Each of several offers must do.
func TestHelps(t *testing.T) {
	for _, e := range entries() {
		t.Run(e.id, func(t *testing.T) {
			if byHand[e.id] != "" {
				return
			}
			msgs := checked(e)
			if len(msgs) == 0 || msgs[0].Help == "" {
				return
			}
			if err := follow(e, 0); err != "" {
				t.Error(err)
			}
		})
	}
}

// more are messages that errors.md has no room for.
var more = []string{
	"record T { s: Str, k: Option<i64> }\nfn k(f: &[T; N]) -> i64 { f.count(|r| r.s == \"\") + f.sum(|r| r.k.or(0) as f64) }",
	"fn f(a: i64, b: f64) -> (i64, Option<i64>) { (a * b, Some(a + b)) }",
	"fn f(a: i64, b: f64, c: f64) -> i64 { a + b + c }",
	"fn f(a: i64, b: f64, c: f64) -> i64 { c * (a + b) }",
	"fn f(a: i64, b: f64, c: f64) -> i64 { c - 2.0 * (a + b) }",
	"fn f(a: i64, b: f64, c: f64) -> i64 { (a + b) / 2.0 + c }",
	"fn f(a: i64, b: f64, c: f64, d: f64) -> i64 { d + a + b / c }",
	"fn f(a: i64, b: f64) -> i64 { a + b + 1 }",
	"fn f(a: i32, b: i64) -> i16 { -(a + b) }",
	"fn f(a: i32, b: f64) -> f32 { let c: f32 = a / b; c }",
	"fn f(a: &[i64; N], b: f64) -> [i64; N] { a.map(|e| e + b) }",
	"fn f(x: &[i64], y: &[i64], n: i64) -> [i64] { if n > 0 { x } else { y } }",
	"fn f(x: &[i64], n: i64) -> [i64] { if n > 0 { x } else { concat(x, x) } }",
	"fn f(x: &[i64], y: &[f64; 4], n: i64) -> [f64] { if n > 0 { y } else { x } }",
	"fn f(x: &[f64; N], n: i64) -> [f64] { if n > 0 { x } else { x.filter(|e| e > 0.0).map(|e| e as i64) } }",
	"fn f(v: &[i64; N]) -> f64 where N >= 1 { v.sum() / v.len() }",
	"fn f(v: &[i64; N]) -> f64 where N >= 1 { (v.sum() + 1) / (v.len() + 1) }",
	"fn f(v: &[f64; N]) -> f64 { let mut x = 0; for e in v { x += e; } x }",
	"fn f(v: &[i64; N]) -> f64 { let mut x = 0.0; for e in v { x += e; } x }",
	"fn f(a: &[i64; N]) -> [bool; N] { a == 3 }",
	"fn f(a: &[i64; N]) -> [bool; N] { 3 < a }",
	"fn f(a: &[i64; N], b: &[i64; N]) -> bool { a.map(|e| e + 1) == b }",
	"fn f(x: &[f64; N]) -> f64 where N >= 1 { let c = x.filter(|e| e > 1.0); c[0] + c.len() as f64 }",
	"fn f(x: &[f64; N], i: i64) -> f64 { let c = x.filter(|e| e > 1.0); c[i + 1] }",
	"fn f(x: &[f64; N]) -> f64 { let c = x.filter(|e| e > 1.0); c[N / 2] }",
	"fn f(x: &[i64; N]) -> i64 { let mut s = 0; for i in (0..N).map(|t| N - 1 - t) { for k in i + 1..N { s += x[k.clamp_idx()]; } } s }",
	"fn f(x: &[i64; N]) -> i64 { let mut s = 0; for i in 0..x[0.clamp_idx()] { s += i; } s }",
	"fn f(a: &[f64; N]) -> f64 { a.map(|x| x ** 2).sum() }",
	"fn f(v: &[i64; N]) -> [(i64, i64); ?M <= N] { let s = (0..N).filter(|i| i == 0); s.enumerate().map(|(k, b)| (v[b], s.get(k + 1).or(N) - b)) }",
	"fn f(v: &[f64; N], i: i64) -> [f64; N] { let mut a = v; a[i] += 1.0; a }",
	"fn f(v: &[f64; N]) -> [f64; N] { let mut a = v; a[N/2] = 1.0; a }",
	"fn f(v: &[f64; N]) -> f64 { v[N/2] }",
	"fn f(v: &[f64; N], i: idx<M>) -> [f64; N] { let mut a = v; a[i] = 1.0; a }",
	"fn f(v: &[f64; N]) -> f64 { v[N-1] }",
	"fn f(v: &[f64]) -> f64 { v[3] }",
	"fn f(v: &[f64; 4]) -> f64 { v[4] }",
	"fn f(x: f32) -> f32 { x.powi::<100>() }",
	"fn f(x: i8) -> i8 { x.max(-129) }",
	"fn f(x: i8) -> i8 { x.min(128) }",
	"fn f(x: f64) -> f64 { if let Some(v) = Some(x) { v } else if x > 0.0 { 1.0 } else { 0.0 } }",
	"fn f() -> i64 { let mut i = 0; while i < 10 && i >= 0 { i += 1; } i }",
	"fn f() -> i64 { let mut i = 0; loop { i += 1; } i }",
	"fn f(x: i64) -> i64 { match x { 0..=3 => 1, _ => 2 } }",
	"fn f(x: &[i64; N], in: i64) -> i64 { x.sum() }",
	"record R { match: i64 }\nfn f(x: R) -> i64 { 1 }",
	"fn f(x: i64) -> i64 { let use = x; x }",
	"fn f(x: i64) -> [i64; 2] { vec![x, x] }",
	"fn f(x: i64) -> i64 { println!(x); x }",
	"fn f(x: i64) -> bool { x == 'é' }",
	"fn f(v: &[i64; N], w: &[i64; N]) -> i64 { v.fold(|a, e| a +% e) }",
	"fn f(x: &mut [f64; N]) -> f64 { x.sum() }",
	"fn f(x: &[f64; N]) -> f64 { let r = &mut x; r.sum() }",
	"fn f(v: &[f64; N]) -> f64 { let mut a: f64; a = v.sum(); a }",
	"record R { tier: Option<Str> }\nfn f(x: &[R; N]) -> [i64] { x.histogram(|r| r.tier) }",
	"fn f(x: &[Option<Str>; N]) -> [i64] { x.histogram() }",
	"fn f(x: &[f64; N]) -> [i64] { x.histogram(|e| e) }",
	"fn f(x: &[Date; N]) -> [i64] { x.histogram(|e| e) }",
	"fn f(x: &[Option<i64>; N]) -> [i64] { x.histogram(|e| e) }",
	"fn f(v: &[f64; N], k: i64) -> [i64; N] { v.map(|e| k.clamp_idx()).map(|i| i as i64) }",
	"fn f(n: i64) -> i64 where n: Range<0, 100> { (1..n).map(|i| i * i).sum() }",
	"fn f(n: i64) -> i64 { (1..n).map(|i| i * i).sum() }",
	"fn f(r: u32) -> i64 where r: Range<0, 100> { (1..r + 1).map(|i| i * i).sum() }",
	"fn f(n: i64, m: i64) -> i64 where n: Range<-3, 100>, m: Range<0, 50> { (n..m).map(|i| i * i).sum() }",
	"fn f(n: i64) -> i64 where n: Range<0, 100> { (1..n).step(2).map(|i| i * i).sum() }",
	"fn f(x: &[i64; N]) -> i64 { (1..x.filter(|e| e > 1).len()).map(|i| i * 2).sum() }",
	"fn f(k: u8) -> i64 { (0..k).map(|i| i * 2).sum() }",
	"fn f(k: u8) -> i64 { let mut s = 0; for i in 0..k { s += i as i64; } s }",
	"fn f(n: i64, m: i64) -> i64 { let mut s = 0; for i in 0..n * m { s += i; } s }",
	"fn f(n: i64) -> i64 where n: Range<0, 10000> { [0; n + 1].len() }",
	"fn f(n: i64) -> i64 { [0; n.clamp(0, 50)].len() }",
	"fn f(n: i64) -> i64 { [0; n, 3].len() }",
	"fn f(a: Duration, b: Duration) -> f64 { a / b }",
	"fn f(a: Duration, b: Duration<s>) -> f64 { a / b }",
	"fn f(a: Duration) -> f64 { a / 2.5 }",
	"fn f(a: i64, b: i64) -> f64 { (a + 1) / b * 2 + a % b }",
	"fn f(x: &[i64; N]) -> [f64; N] { x.map(|e| e / 2) }",
	"fn f(x: &[i64; N]) -> f64 { let m = x.sum() / x.len(); m }",
	"fn f(a: i64, b: i64) -> f64 { if a > b { a / b } else { 0.5 } }",
	"fn f(a: i64, b: i64, c: f64) -> f64 { c + a / b }",
	"fn f(a: &[i64; N], b: &[i64; N]) -> [f64; N] { a / b }",
	"fn f(a: i64, b: i64) -> f64 { let mut s = 0.0; s += a / b; s }",
	"fn f(a: i64, b: i64) -> f64 { (a / b).sqrt() }",
	"fn f(x: Decimal<12, 4>) -> Decimal<10, 2> { x as Decimal<10, 2> }",
	"fn f(x: Decimal<12, 4>) -> Decimal<12, 2> { x.round() }",
	"fn f(x: Decimal<12, 4>) -> Decimal<12, 2> { x.round(2) }",
	"fn f(x: Decimal<12, 4>) -> Decimal<18, 6> { x.round::<6>() }",
	"fn f(x: f64) -> Decimal<12, 2> { x as Decimal<12, 2> }",
	"fn f(n: i64) -> Decimal<18, 2> { n as Decimal<12, 0> * 0.01 }",
	"fn f(d: Decimal<12, 2>) -> bool { d > 0.005 }",
	"fn f(d: Decimal<12, 2>) -> Decimal<12, 2> { d * 0.19 }",
	"fn f(x: &[i64; N]) -> Option<idx<N>> { x.position(|e| e > 3) }",
	"fn f(x: &[i64; N]) -> Option<idx<N>> { x.index_of(3) }",
	"fn f(x: &[i64; N]) -> Option<i64> { x.find(|e| e > 3) }",
	"fn f(x: &[i64; N]) -> [i64] { x.flat_map(|e| [e, e + 1]) }",
	"fn f(x: &[i64; N]) -> [i64] { x.take_while(|e| e > 3) }",
	"fn f(x: &[i64; N]) -> [i64] { x.map(|e| e + 1).skip_while(|e| e > 3) }",
	"fn f(x: &[i64; N]) -> Option<i64> { x.mode() }",
	"fn f(a: &[i64; N, N]) -> [i64; N, N] { a.matmul(a) }",
	"fn f(a: &[i64; N, N], b: &[i64; N]) -> [i64; N] { a.matmul(b) }",
	"fn f(a: &[f64; N, N], b: &[i64; N, N]) -> [f64; N, N] { a.matmul(b) }",
	"fn f(a: &[i64; N], b: &[i64; N]) -> i64 { a.dot(b) }",
	"fn f(x: i64, n: i64) -> i64 where n: Range<0, 60> { x.pow(n) }",
	"fn f(x: i64) -> i64 { 1 + (x + 1).pow(3) }",
	"fn f(x: i64) -> i64 { x.powi::<3>() }",
	"fn f(x: i64) -> i64 { x.powi::<9>() }",
	"fn f(x: &[i64; N]) -> [i64; N] { x.pow(2) }",
	"fn f(x: i64, m: i64) -> i64 { x.rem_euclid(m) + 1 }",
	"fn f(x: i64) -> i64 { x.div_euclid(7) }",
	"fn f(x: i64) -> i64 { x.div_floor(7) }",
	"fn f(x: i64) -> i64 { x.floor_div(7) }",
	"fn f(x: &[i64; N]) -> [i64; ?] { x.filter(|e| e > 1) }",
	"fn f(x: &[i64; N]) -> [i64; ?K] { x.filter(|e| e > 1) }",
	"fn f(x: &[i64; ?K]) -> i64 { x.sum() }",
	"fn f(x: &[i64; ?, 3]) -> i64 { x.len() }",
}

// TestFaultHelps follows the help of every fault of errors.md: the program
// then gives a result for the same argument.
func TestFaultHelps(t *testing.T) {
	for _, f := range faults {
		at, _ := f.run(t, f.bad)
		if at == nil {
			t.Fatalf("%s: no fault", f.id)
		}
		followFault(t, f, at.Message())
	}
	for _, c := range []fault{
		{"R02", "", "fn f(v: &[i64; N]) -> i64 { v.map(|e| e % (e - 3)).sum() }", "[3]", ""},
		{"R03", "", "fn f(v: &[u8; N]) -> u64 { v.map(|e| e >> (e + 1)).sum() }", "[8]", ""},
		{"R04", "", "fn f(v: &[f32; N]) -> [i32; N] { v.map(|e| e as i32) }", "[1e10]", ""},
		{"R04", "", "fn f(v: &[f64; N]) -> [u64; N] { v.map(|e| (e * 2.0) as u64) }", "[1e20]", ""},
		{"R04", "", "fn f(v: &[i64; N]) -> [u8; N] { v.map(|e| e as u8) }", "[-1]", ""},
		{"R05", "", "fn f(v: &[i64; N]) -> [i64; 4] { v.group_by::<4>(|e| e + 1).count() }", "[4]", ""},
		{"R05", "", "fn f(v: &[i64; N]) -> [i64; 4] { v.group_by::<4>(v).count() }", "[4]", ""},
		{"R06", "", "fn f(v: &[f64; N]) -> f64 { v.filter(|e| e > 9.0).min() }", "[1]", ""},
		{"R06", "", "fn f(v: &[f64; N]) -> f64 { v.filter(|e| e > 9.0).max(|e| e * 2.0) }", "[1]", ""},
		{"R01", "", "fn f(v: &[i8; N]) -> [i8; N] { v * v }", "[100]", ""},
	} {
		at, err := c.run(t, c.bad)
		if at == nil || at.Code != c.id {
			t.Fatalf("%s: %v", c.bad, err)
		}
		followFault(t, c, at.Message())
	}
}

func followFault(t *testing.T, f fault, m *diag.Message) {
	t.Helper()
	for _, offer := range offers(m.Help) {
		if !slices.ContainsFunc(applied(f.bad, m, offer), func(text string) bool {
			if len(checked(entry{bad: text, good: f.bad})) > 0 {
				return false
			}
			at, err := f.run(t, text)
			return at == nil && err == nil
		}) {
			t.Errorf("`%s` does not mend this:\n%s", offer, m.Render())
		}
	}
}

// TestMoreHelps follows more of them.
func TestMoreHelps(t *testing.T) {
	for _, text := range more {
		e := entry{bad: text, good: "fn f(x: f64) -> f64 { x }"}
		if len(checked(e)) == 0 {
			t.Errorf("passes:\n%s", text)
		}
		if err := follow(e, 0); err != "" {
			t.Error(err)
		}
	}
}

// checked gives the messages of an entry's program: of the parser alone where
// the mended example is no whole program.
func checked(e entry) []*diag.Message {
	msgs := new(diag.List)
	f := syntax.Parse(diag.NewSource("example.gw", e.bad), msgs)
	if !msgs.Failed() && e.isWhole() {
		elaborate.Check([]*syntax.File{f}, msgs)
	}
	msgs.Sort()
	return msgs.Messages
}

// whole remembers which mended examples are whole programs.
var whole = map[string]bool{}

func (e entry) isWhole() bool {
	if is, known := whole[e.good]; known {
		return is
	}
	msgs := new(diag.List)
	elaborate.Check([]*syntax.File{syntax.Parse(diag.NewSource("good.gw", e.good), msgs)}, msgs)
	whole[e.good] = !msgs.Failed()
	return whole[e.good]
}

// follow applies each offer of the first message's help. What is left must be
// less, and have a help that leads on; a condition may also lead to another help, as a number needs a bound before it can be
// taken for a size. It gives what fails.
func follow(e entry, depth int) string {
	msgs := checked(e)
	if len(msgs) == 0 {
		return ""
	}
	if depth > 3 {
		return "does not come to an end:\n" + e.bad
	}
	for _, offer := range offers(msgs[0].Help) {
		var tried []string
		if !slices.ContainsFunc(applied(e.bad, msgs[0], offer), func(text string) bool {
			next := entry{id: e.id, bad: text, good: e.good}
			left := checked(next)
			tried = append(tried, text)
			further := len(left) < len(msgs) || strings.HasPrefix(offer, "where ") && len(left) == len(msgs) && left[0].Help != msgs[0].Help
			return further && follow(next, depth+1) == ""
		}) {
			return "`" + offer + "` does not mend this:\n" + msgs[0].Render() + "tried:\n" + strings.Join(tried[:min(len(tried), 12)], "\n")
		}
	}
	return ""
}

// offers are the lines of a help that can be applied, one by one: introductions
// end with a colon.
func offers(help string) []string {
	var list []string
	for _, line := range strings.Split(help, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "or "))
		if strings.HasSuffix(line, ":") || strings.HasSuffix(line, "choose one of") || line == "write" {
			continue
		}
		if intro, code, ok := strings.Cut(line, ": "); ok && strings.Contains(intro, " ") && !strings.ContainsAny(intro, "`(") {
			if !regexp.MustCompile(`^(where|const|let|let mut|fn|record) \w+$`).MatchString(intro) {
				line = code
			}
		}
		list = append(list, line)
	}
	return list
}

// A phrase is a way to say what is to be done.
var phrases = []struct {
	form  *regexp.Regexp
	apply func(text string, m *diag.Message, parts []string) []string
}{
	{regexp.MustCompile("^did you mean `(.+)`\\?$"), replaceMark},
	{regexp.MustCompile(`^call it (\w+)$`), replaceMark},
	{regexp.MustCompile("^write `(.+)` after it$"), insertAfter},
	{regexp.MustCompile("^write `(.+)` before `(.+)`$"), insertBefore},
	{regexp.MustCompile("^write `(.+)` for `(.+)`$"), replaceText},
	{regexp.MustCompile("^write `?([^` ]+)`?$"), replaceMark},
	{regexp.MustCompile("^write `(.+)`$"), replaceMark},
	{regexp.MustCompile("^leave it out$"), leaveOut},
	{regexp.MustCompile("^leave `(.+)` and the `(.+)` out.*$"), leaveOut},
	{regexp.MustCompile("^leave (?:the )?`(.+)` out(?:;.*)?$"), leaveOut},
	{regexp.MustCompile("^write `([^`]+)`, .+$"), replaceMark},
	{regexp.MustCompile("^move it above the function$"), moveUp},
	{regexp.MustCompile("^where (.+)$"), addClause},
	{regexp.MustCompile("^-> (.+)$"), changeResult},
}

// applied gives the programs to which an offer may lead.
func applied(text string, m *diag.Message, offer string) (list []string) {
	for _, p := range phrases {
		if parts := p.form.FindStringSubmatch(offer); parts != nil {
			return p.apply(text, m, parts[1:])
		}
	}
	return paste(text, m, offer)
}

func replaceMark(text string, m *diag.Message, parts []string) []string {
	return filled(text[:m.Span.Start], parts[0], text[m.Span.End:])
}

func insertAfter(text string, m *diag.Message, parts []string) (list []string) {
	for i := m.Span.End; i <= len(text); i++ {
		list = append(list, text[:i]+parts[0]+text[i:])
	}
	return list
}

func insertBefore(text string, m *diag.Message, parts []string) []string {
	i := strings.Index(text, parts[1])
	if i < 0 {
		return nil
	}
	return []string{text[:i] + parts[0] + " " + text[i:]}
}

func replaceText(text string, _ *diag.Message, parts []string) []string {
	if !strings.Contains(text, parts[1]) {
		return nil
	}
	return []string{strings.Replace(text, parts[1], parts[0], 1)}
}

// leaveOut drops the mark or what is named, from the mark on.
func leaveOut(text string, m *diag.Message, parts []string) []string {
	if len(parts) == 0 {
		parts = []string{text[m.Span.Start:m.Span.End]}
	}
	at := m.Span.Start
	for _, p := range parts {
		i := strings.Index(text[at:], p)
		if i < 0 {
			return nil
		}
		at += i
		text = text[:at] + text[at+len(p):]
	}
	return []string{text}
}

// moveUp puts the function or other item at the mark above the one around it.
func moveUp(text string, m *diag.Message, _ []string) []string {
	start := strings.LastIndex(text[:m.Span.Start], "fn ")
	for end := m.Span.End; end <= len(text); end++ {
		item := text[m.Span.Start:end]
		if n := strings.Count(item, "{"); n > 0 && n == strings.Count(item, "}") {
			return []string{text[:start] + item + "\n" + text[start:m.Span.Start] + text[end:]}
		}
	}
	return nil
}

// head finds the last function's head before the mark, and its brace.
func head(text string, m *diag.Message) (start, brace int) {
	start = max(0, strings.LastIndex(text[:m.Span.End], "fn "))
	return start, start + strings.IndexByte(text[start:], '{')
}

func addClause(text string, m *diag.Message, parts []string) []string {
	start, brace := head(text, m)
	glue := " where "
	if strings.Contains(text[start:brace], "where ") {
		glue = ", "
	}
	return []string{strings.TrimRight(text[:brace], " \n,") + glue + parts[0] + " " + text[brace:]}
}

func changeResult(text string, m *diag.Message, parts []string) []string {
	start, brace := head(text, m)
	arrow := start + strings.Index(text[start:], "->")
	end := brace
	if i := strings.Index(text[arrow:brace], " where "); i >= 0 {
		end = arrow + i
	}
	return []string{text[:arrow] + "-> " + parts[0] + " " + text[end:]}
}

var tokens = regexp.MustCompile(`\w+(\.\d+)?|\S`)

// paste puts code in place of the mark and of neighbours that the code
// repeats, or beside them.
func paste(text string, m *diag.Message, code string) (list []string) {
	line := text[strings.LastIndexByte(text[:m.Span.Start], '\n')+1:]
	offset := len(text) - len(line)
	if n := strings.IndexByte(text[m.Span.End:], '\n'); n >= 0 {
		line = text[offset : m.Span.End+n]
	}
	var starts, ends []int
	for _, at := range tokens.FindAllStringIndex(line, -1) {
		starts, ends = append(starts, offset+at[0]), append(ends, offset+at[1])
	}
	if m.Span.Start == m.Span.End {
		starts, ends = append(starts, m.Span.Start), append(ends, m.Span.End)
	}
	if strings.HasPrefix(code, "//") {
		code += "\n"
	}
	for _, s := range starts {
		if s > m.Span.Start {
			continue
		}
		for _, e := range ends {
			if e >= m.Span.End && repeats(text[s:m.Span.Start], code) && repeats(text[m.Span.End:e], code) {
				list = append(list, filled(text[:s], code, text[e:])...)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	if strings.HasSuffix(code, ",") { // one more field or arm
		for _, s := range starts {
			if s >= m.Span.Start && s < m.Span.End {
				list = append(list, filled(text[:s], code+" ", text[s:])...)
			}
		}
	}
	return list
}

// repeats reports whether code has all the words of a text.
func repeats(text, code string) bool {
	has := tokens.FindAllString(code, -1)
	for _, w := range tokens.FindAllString(text, -1) {
		if regexp.MustCompile(`\w`).MatchString(w) && !slices.Contains(has, w) {
			return false
		}
	}
	return true
}

// filled puts something of the reader's own where the code has an ellipsis.
func filled(before, code, after string) (list []string) {
	if !strings.Contains(code, "…") {
		return []string{before + code + after}
	}
	for _, own := range []string{"0.0", "0", "", "x", "true"} {
		list = append(list, before+strings.ReplaceAll(code, "…", own)+after)
	}
	return list
}
