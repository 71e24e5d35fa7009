package compile

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: what stands on a command line for a parameter that is one text, or may be none. Out: the literal that it means. Invariant:
// whatever text it is, there are quotes around it that make a literal of it, and what looks like another literal is never taken for a text.

// isText reports parameters that are one text, or an Option of one.
func isText(t *graph.Type) bool {
	return t.Means.Sort == meaning.Text || t.Kind == graph.Option && t.Elem().Means.Sort == meaning.Text
}

// quotes reports a literal in quotes, which is no file whatever stands in it.
func quotes(t *graph.Type, text string) bool {
	inner, some := strings.CutPrefix(text, "Some(")
	return isText(t) && strings.HasPrefix(strings.TrimLeft(inner, " "), `"`) && (!some || t.Kind == graph.Option)
}

// plain makes a literal of a text without quotes, taken as a whole, blanks and commas in it, too; and of an Option what is there. What begins as
// another literal does stays as it is; so does, of an Option, a word by which other languages mean None.
func plain(t *graph.Type, text string) string {
	text = strings.TrimSpace(text)
	optional := t.Kind == graph.Option
	switch {
	case !isText(t), text == "", strings.IndexByte("[{(", text[0]) >= 0, strings.HasPrefix(text, "Some("):
		return text
	case optional && slices.Contains([]string{"none", "null", "nil"}, strings.ToLower(text)):
		return text
	case text[0] != '"':
		text = quotedText(text)
	}
	if optional {
		return "Some(" + text + ")"
	}
	return text
}

// quotedText is the literal of a text.
func quotedText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// quotedHelp says how to write what was refused, if it is meant as a text.
func quotedHelp(d declared, text string) string {
	if some, ok := strings.CutPrefix(text, "Some("); ok && d.typ.Kind == graph.Option {
		text = strings.TrimSuffix(some, ")")
	}
	literal := strings.ReplaceAll(quotedText(strings.Trim(text, `"`)), "'", `'\''`)
	return "a text may stand in quotes: " + d.Name + "='" + literal + "'"
}

// orQuoted adds to the error of a file that is not there, for a parameter that is a text, how to write it as one.
func orQuoted(d declared, text string, err error) error {
	var e *InputError
	if !isText(d.typ) || !errors.As(err, &e) {
		return err
	}
	if _, there := os.Stat(text); there == nil {
		return err
	}
	with := *e
	with.Help = strings.TrimPrefix(e.Help+"; if it is no file, "+quotedHelp(d, text), "; ")
	return &with
}
