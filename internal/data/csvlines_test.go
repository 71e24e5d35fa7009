package data

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Lines are those of the file, whichever line ends it has, wherever its rows begin and however it is read.
func TestLinesOfLineEnds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        Options
		line       int
	}{
		{"first row", "qty,who\nx,b\n", Options{}, 2},
		{"second row", "qty,who\n1,a\nx,b\n", Options{}, 3},
		{"skipped lines", "one\ntwo\nqty,who\n1,a\nx,b\n", Options{Skip: 2}, 5},
		{"empty lines before", "\n\nqty,who\n1,a\nx,b\n", Options{}, 5},
		{"line ends in quotes", "qty,\"who\nis it\"\n1,\"a\nb\nc\"\nx,b\n", Options{}, 6},
		{"no names", "1,a\nx,b\n", Options{NoHeader: true}, 2},
		{"big", "qty,who\n" + strings.Repeat("1,a\n", 700_000) + "x,b\n", Options{}, 700_002},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			text := []byte(strings.ReplaceAll(c.text, "\n", end))
			path := writeFile(t, "x.csv", string(text))
			src, err := OpenWith(path, c.opt)
			if err != nil {
				t.Fatal(c.name, err)
			}
			at := fmt.Sprintf(":%d:1: column `%s`: expected", c.line, src.Columns()[0].Name)
			_, _, err = tryReadAll(src, Want{Kind: num.I64})
			if err == nil || !strings.HasPrefix(err.Error(), path+at) {
				t.Errorf("%s, %q: %v, expected %s", c.name, end, err, at)
			}
			src.Close()
		}
	}
}

// What comes from a pipe is copied first; its lines stay what they are.
func TestLinesOfAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		w.Write(bytes.ReplaceAll([]byte("qty,who\n1,a\nx,b\n"), []byte("\n"), []byte("\r\n")))
		w.Close()
	}()
	t.Setenv("TMPDIR", t.TempDir())
	f, err := seekable(r)
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenFile(Stdin, f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, _, err = tryReadAll(src, Want{Kind: num.I64}); err == nil || !strings.HasPrefix(err.Error(), Stdin+":3:1:") {
		t.Error(err)
	}
}
