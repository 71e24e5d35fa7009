// Package pagetest holds the example of a wire format that a page of the
// documentation takes apart, byte by byte, against the code.
package pagetest

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Field is a run of bytes of the example, and what they mean.
type Field = struct {
	Bytes int
	Means string
}

const (
	begin = "<!-- example -->\n"
	end   = "<!-- end of example -->"
)

// shown is how many bytes of a field a page has room for.
const shown = 10

// Example fails unless the page shows these bytes, cut into these fields. With update
// it writes them there.
func Example(t *testing.T, page string, all []byte, fields []Field, update bool) {
	t.Helper()
	want := format(t, all, fields)
	before, text, after := cut(t, page)
	switch {
	case update:
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case text != want:
		t.Errorf("the example in %s is not up to date; run go test -update", page)
	}
}

func format(t *testing.T, all []byte, fields []Field) string {
	width := 0
	for _, f := range fields {
		width = max(width, min(f.Bytes, shown))
	}
	var text strings.Builder
	at := 0
	text.WriteString("```text\n")
	for _, f := range fields {
		if at+f.Bytes > len(all) {
			t.Fatalf("more than %d bytes are explained", len(all))
		}
		bytes := fmt.Sprintf("% x", all[at:at+min(f.Bytes, shown)])
		if f.Bytes > shown {
			bytes = fmt.Sprintf("% x …", all[at:at+shown-1])
		}
		fmt.Fprintf(&text, "%3d  %-*s  %s\n", at, 3*width-1, bytes, f.Means)
		at += f.Bytes
	}
	text.WriteString("```\n")
	if at != len(all) {
		t.Fatalf("%d bytes are explained, there are %d", at, len(all))
	}
	return text.String()
}

// cut gives a page's example and what stands around it.
func cut(t *testing.T, page string) (before, text, after string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	text, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no example", page)
	}
	return before, text, after
}

// Bytes reads them as they stand on the page, up to the first field that it does
// not show in full.
func Bytes(t *testing.T, page string) []byte {
	t.Helper()
	_, text, _ := cut(t, page)
	var all []byte
	for line := range strings.Lines(text) {
		if line[0] != ' ' {
			continue
		}
		field, _, _ := strings.Cut(strings.TrimLeft(line[3:], " "), "  ")
		if strings.Contains(field, "…") {
			break
		}
		part, err := hex.DecodeString(strings.ReplaceAll(field, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, part...)
	}
	return all
}
