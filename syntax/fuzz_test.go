package syntax

import (
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/diag"
)

func parseText(text string) (*File, *diag.List) {
	msgs := new(diag.List)
	return Parse(diag.NewSource("test.gw", text), msgs), msgs
}

func renderAll(msgs *diag.List) string {
	var b strings.Builder
	for _, m := range msgs.Messages {
		b.WriteString(m.Render())
	}
	return b.String()
}

func TestLanguagePage(t *testing.T) {
	text, err := os.ReadFile("testdata/language.gw")
	if err != nil {
		t.Fatal(err)
	}
	if _, msgs := parseText(string(text)); len(msgs.Messages) > 0 {
		t.Error(renderAll(msgs))
	}
}

func FuzzParse(f *testing.F) {
	seed, err := os.ReadFile("testdata/language.gw")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(seed))
	for _, part := range strings.SplitAfter(string(seed), "\n}\n") {
		f.Add(part)
	}
	for _, c := range Codes {
		f.Add(c.Bad)
		f.Add(c.Good)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, msgs := parseText(text)
		for _, m := range msgs.Messages {
			if m.Span.Start < 0 || m.Span.Start > m.Span.End || m.Span.End > len(text) {
				t.Fatalf("message outside of the file: %+v", m)
			}
			_ = m.Render()
		}
		if len(msgs.Messages) == 0 {
			checkFormat(t, file)
		}
	})
}

func TestTmp(t *testing.T) {
	text, err := os.ReadFile("testdata/language.gw")
	if err != nil {
		t.Fatal(err)
	}
	f, _ := parseText(string(text))
	println(Format(f))
}
