package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/*.txtar")

// TestGolden holds each archive's in.gw to the parts beside it: tree (Dump),
// format (Format) and messages, whichever are there.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, msgs := parseText(string(ar.Files[0].Data))
	for i := range ar.Files[1:] {
		part := &ar.Files[i+1]
		var got string
		switch part.Name {
		case "tree":
			got = Dump(file)
		case "messages":
			got = renderAll(msgs)
		case "format":
			if len(msgs.Messages) > 0 {
				t.Fatal(renderAll(msgs))
			}
			got = checkFormat(t, file)
		}
		if *update {
			part.Data = []byte(got)
		} else if got != string(part.Data) {
			t.Errorf("%s: got\n%s\nwant\n%s", part.Name, got, part.Data)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(ar), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
