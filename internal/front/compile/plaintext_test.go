package compile

import (
	"errors"
	"strings"
	"testing"
)

// textOf is the text that an argument of a function of one text, or of an Option of one, is; "None" if there is none.
func textOf(t *testing.T, f *Func, text string) (string, error) {
	t.Helper()
	b := &Bound{Func: f, ctx: t.Context()}
	defer b.Close()
	bound, err := b.bindOne(f.declared(0), Text(text))
	if err != nil {
		return "", err
	}
	m := bound.(*inMemory)
	if len(m.columns) == 2 && m.columns[0].At(0) == 0 {
		return "None", nil
	}
	c := m.columns[len(m.columns)-1]
	return c.Texts[c.At(0)], nil
}

// A text needs no quotes, whatever stands in it, unless it looks like another literal or a file; then the help's quotes make one of it.
func TestTextsWithoutQuotes(t *testing.T) {
	t.Chdir(t.TempDir())
	single := function(t, "fn f(x: Str) -> bool { x == \"a\" }")
	optional := function(t, "fn f(x: Option<Str>) -> bool { x.is_some() }")
	for _, c := range []struct{ given, want, some string }{
		{"New York", "New York", "New York"},
		{"SFO", "SFO", "SFO"},
		{" a,  b ", "a,  b", "a,  b"},
		{"3 apples", "3 apples", "3 apples"},
		{`5" or O'Hare\n`, `5" or O'Hare\n`, `5" or O'Hare\n`},
		{`"New York"`, "New York", "New York"},
		{`"a\"b"`, `a"b`, `a"b`},
		{`"N/A"`, "N/A", "N/A"},
		{`"a.csv"`, "a.csv", "a.csv"},
		{"None", "None", "None"},
		{`Some("N/A")`, "", "N/A"},
		{"null", "null", ""},
		{"[New York]", "", ""},
		{"(a b)", "", ""},
		{"Some(New York)", "", ""},
		{"", "", ""},
		{`"New York`, "", ""},
		{`it's "b/c`, "", ""}, // a file, by its slash
		{"a b/c", "", ""},
		{"*.csv", "", ""},
	} {
		for f, want := range map[*Func]string{single: c.want, optional: c.some} {
			got, err := textOf(t, f, c.given)
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%q: %q, %v; want %q", c.given, got, err, want)
			}
			if want == "" {
				followQuoted(t, f, c.given, err)
			}
		}
	}
}

// followQuoted gives an argument as the help says, with what a shell takes off taken off.
func followQuoted(t *testing.T, f *Func, given string, err error) {
	t.Helper()
	var e *InputError
	if !errors.As(err, &e) {
		t.Fatalf("%q: %v", given, err)
	}
	_, help, ok := strings.Cut(e.Help, "x='")
	shown := strings.ReplaceAll(strings.TrimSuffix(help, "'"), `'\''`, "'")
	if got, err := textOf(t, f, shown); !ok || err != nil || !strings.Contains(given, got) {
		t.Errorf("%q: %q is followed, and gives %q, %v", given, e.Help, got, err)
	}
}
