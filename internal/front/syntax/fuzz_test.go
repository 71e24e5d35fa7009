package syntax

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/godwit-run/godwit/internal/front/diag"
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

// languagePage gives the programs that must work exactly as written.
func languagePage(t testing.TB) string {
	ar, err := txtar.ParseFile("testdata/language.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return string(ar.Files[0].Data)
}

func TestLanguagePage(t *testing.T) {
	file, msgs := parseText(languagePage(t))
	if len(msgs.Messages) > 0 || len(file.Items) != 7 {
		t.Error(len(file.Items), renderAll(msgs))
	}
}

func FuzzParse(f *testing.F) {
	seed := languagePage(f)
	f.Add(seed)
	for _, part := range strings.SplitAfter(seed, "\n}\n") {
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

func BenchmarkParse(b *testing.B) {
	src := diag.NewSource("kmeans.gw", languagePage(b))
	b.SetBytes(int64(len(src.Text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(src, new(diag.List))
	}
}

func BenchmarkFormat(b *testing.B) {
	file, _ := parseText(languagePage(b))
	for b.Loop() {
		Format(file)
	}
}
