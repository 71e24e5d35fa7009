package syntax

import (
	"strings"
	"testing"
	"time"
)

// TestHostile holds the parser to linear time, a bounded stack and few
// messages on long and deep texts.
func TestHostile(t *testing.T) {
	wrap := func(s string) string { return "fn f() -> f32 { " + s + " }" }
	const n = 100_000
	texts := map[string]string{
		"parens":    wrap(strings.Repeat("(", n)),
		"minus":     wrap(strings.Repeat("-", n) + "1"),
		"sum":       wrap("1" + strings.Repeat(" + 1", n)),
		"casts":     wrap("1" + strings.Repeat(" as u8", n)),
		"calls":     wrap("x" + strings.Repeat(".f()", n)),
		"elses":     wrap("if a {}" + strings.Repeat(" else if a {}", n)),
		"blocks":    wrap(strings.Repeat("{", n)),
		"types":     "fn f(x: " + strings.Repeat("&", n) + "f32) {}",
		"sizes":     "fn f(x: " + strings.Repeat("idx<", n) + ") {}",
		"turbofish": wrap(strings.Repeat("a::<", n)),
		"modules":   strings.Repeat("mod a { ", n),
		"patterns":  wrap("let " + strings.Repeat("(", n)),
		"closures":  wrap(strings.Repeat("|a| ", n)),
		"functions": strings.Repeat("fn f() {} ", n),
		"inner":     strings.Repeat("fn f() { ", n),
		"statement": wrap(strings.Repeat("let a = 1 ", n)),
		"junk":      strings.Repeat("$", n),
		"junk lets": wrap(strings.Repeat("let $ = ;", n)),
		"comments":  strings.Repeat("/// a\n", n) + "fn f() {}",
		"closers":   strings.Repeat("}", n),
		"matches":   wrap("match x { " + strings.Repeat("1 -> 2 ", n)),
		"clauses":   "fn f() where " + strings.Repeat("N: Range<1, ", n) + "{}",
	}
	for name, text := range texts {
		start := time.Now()
		_, msgs := parseText(text)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s took %v", name, d)
		}
		if len(msgs.Messages) > maxMessages {
			t.Errorf("%s gets %d messages", name, len(msgs.Messages))
		}
	}
}
