package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Half of a character of UTF-16 is no text: it is told where it stands, and a program that does not ask for the column reads the file.
func TestHalfCharacters(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a":"x"}` + "\n" + `{"a":"xy\ud83d"}`, ":2:9: column `a`: expected text, found \\ud83d in it"},
		{`{"a":"\uDE00\ud83d"}`, ":1:7: column `a`: expected text, found \\uDE00 in it"},
		{`{"a":"\ud83d\ude00 \ud83d\ud83d\ude00"}`, ":1:20: column `a`: expected text, found \\ud83d in it"},
		{`{"a":"\ufffd\\ud83d\ud83dx"}`, ":1:20: column `a`: expected text, found \\ud83d in it"},
		{"[\n" + ` {"a":"ü\ud83d"}]`, ":2:10: column `a`: expected text, found \\ud83d in it"},
		{`{"a":"x","b\ud83d":1}`, ":1:12: expected text, found \\ud83d in it"},
		{`{"a":"\ud83d\ude00","b":"\ufffd\\ud83d","c":{"d":"\ud83d"}}`, ""},
	} {
		path := writeFile(t, "x.json", c.text)
		src, err := Open(path)
		if err == nil {
			_, err = Encode(t.Context(), src, []int{0}, []bool{false})
			src.Close()
		}
		var e *Error
		switch {
		case c.want == "" && err == nil:
		case !errors.As(err, &e) || !strings.HasPrefix(strings.TrimPrefix(e.Error(), path), c.want) || !strings.Contains(e.Help, `\ufffd`):
			t.Errorf("%s: %v, %+v", c.text, err, e)
		default:
			mended := strings.NewReplacer(`\ud83d\ude00`, "😀", `\\ud83d`, "", `\ud83d`, `\ufffd`, `\uDE00`, `\ufffd`).Replace(c.text)
			src, err := Open(writeFile(t, "x.json", mended))
			if err == nil {
				_, err = Encode(t.Context(), src, []int{0}, []bool{false})
			}
			if err != nil {
				t.Errorf("%s, mended: %v", c.text, err)
			}
		}
	}
	src := mustOpen(t, writeFile(t, "x.jsonl", `{"a":7,"b":"\ud83d"}`))
	if got := ints(t, src, "a"); fmt.Sprint(got) != "[7]" {
		t.Error(got)
	}
	src = mustOpen(t, writeFile(t, "x.jsonl", `{"a":"\ufffd\\ud83d\ud83d\ude00"}`))
	if coded, err := Encode(t.Context(), src, []int{0}, []bool{false}); err != nil || coded[0].Texts[0] != "\ufffd\\ud83d😀" {
		t.Error(coded, err)
	}
}

// The help for a text that cannot be read is about what is wrong with it.
func TestTextHelps(t *testing.T) {
	for text, help := range map[string]string{
		"{\"a\":\"caf\xe9\"}":      "?encoding=latin1",
		"{\"a\":\"a\tb\"}":         `a tab as \t`,
		"{\"a\":\"c:\\x\"}":        `a backslash as \\`,
		"{\"a\":\"x\"}\n{\"a\":1}": "put it in quotes",
	} {
		src := mustOpen(t, writeFile(t, "x.jsonl", text))
		_, err := Encode(t.Context(), src, []int{0}, []bool{false})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Help, help) || e.Column != "a" {
			t.Errorf("%q: %v, %+v", text, err, e)
		}
	}
}
