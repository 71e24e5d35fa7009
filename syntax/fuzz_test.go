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
