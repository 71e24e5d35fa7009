package data_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestArrowLines: columns of Arrow files whose rows fill lines begin at lines, whatever their names and however many there are.
func TestArrowLines(t *testing.T) {
	for columns := 1; columns <= 24; columns++ {
		out := &data.Output{Rows: 512}
		for i := range columns {
			c := data.OutColumn{Name: strings.Repeat("n", 1+i*columns%17), Kind: num.I64, Values: make([]byte, 8*512)}
			if c.Name += string(rune('a' + i)); i%5 == 4 {
				c.Valid = bytes.Repeat([]byte{1}, 512)
				c.Valid[7] = 0
			}
			c.Values[8] = byte(i)
			out.Columns = append(out.Columns, c)
		}
		path := filepath.Join(t.TempDir(), "x.arrow")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := data.WriteArrow(path, f, out); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		src, err := data.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(src.Columns()); n != columns {
			t.Fatalf("%d columns of %d", n, columns)
		}
		for i := range columns {
			raw, ok := src.Raw(i)
			if i%5 != 4 && !ok {
				t.Fatalf("%d columns: column %d cannot be mapped", columns, i)
			}
			if ok && raw.Offset%64 != 0 {
				t.Errorf("%d columns: column %d begins at byte %d", columns, i, raw.Offset)
			}
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
