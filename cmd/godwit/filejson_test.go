package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// An error about a place in a file says the place in JSON, too.
func TestJSONErrorsOfFiles(t *testing.T) {
	dir := t.TempDir()
	program, table := filepath.Join(dir, "s.gw"), filepath.Join(dir, "t.csv")
	for path, text := range map[string]string{program: "fn s(v: &[f64; N]) -> f64 { v.sum() }\n", table: "v\n1\nx\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	execute(t.Context(), []string{"run", "--json", program, "v=" + table}, &out, io.Discard)
	var got failed
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Error.File != table || got.Error.Line != 3 || got.Error.Col != 1 {
		t.Errorf("%v: %s", err, out.Bytes())
	}
}
