package syntax

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkFormat formats a text that parses and holds the result to its promise.
func checkFormat(t interface{ Fatalf(string, ...any) }, file *File, source ...string) string {
	once := Format(file)
	again, msgs := parseText(once)
	if len(msgs.Messages) > 0 {
		t.Fatalf("formatting broke the text:\n%s\n%s", once, renderAll(msgs))
	}
	if !Equal(file, again) {
		t.Fatalf("formatting changed the tree to that of\n%s\nwas\n%s\nis\n%s\nsource\n%s", once, Dump(file), Dump(again), source)
	}
	if twice := Format(again); twice != once {
		t.Fatalf("formatting is not stable: once\n%s\ntwice\n%s\nsource\n%s", once, twice, source)
	}
	return once
}

// TestFormatTrees formats random trees made by hand.
func TestFormatTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFormat(t, gen{t}.file()) })
}

// TestFormatTexts formats random texts with line breaks, empty lines and
// comments between any two tokens.
func TestFormatTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wild := scatter(gen{t}, Format(gen{t}.file()))
		file, msgs := parseText(wild)
		if len(msgs.Messages) > 0 {
			t.Fatalf("scattering broke the text:\n%s\n%s", wild, renderAll(msgs))
		}
		checkFormat(t, file, wild)
	})
}

// scatter puts gaps between the tokens of a text.
func scatter(g gen, text string) string {
	file, _ := parseText(text)
	toks := scan(file.Source, nil).toks
	gaps := []string{"\n", "\n\n\n", " // c\n", "\n// c\n", "\n\n/// d\n\n", "\n/// d\n", " /// d\n", " // c\n// c\n", "\r\n", "\n\n// c\n"}
	rarity := []int{3, 10, 60}[g.n(3)]
	var b strings.Builder
	for i, k := range toks {
		adjacent := i > 0 && toks[i-1].end == k.start
		glued := adjacent && k.kind == SetTo // the = of +=
		if i > 0 && !glued && g.n(rarity) == 0 {
			b.WriteString(gaps[g.n(len(gaps))])
		} else if i > 0 && !adjacent {
			b.WriteByte(' ')
		}
		b.WriteString(text[k.start:k.end])
	}
	return b.String()
}
