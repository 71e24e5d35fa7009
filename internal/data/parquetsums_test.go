package data

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// A page that differs from its checksum is refused: whichever byte behind a page's header is another one, the page's column cannot be read, and
// the others are as they were. Version 1 of pages is plain here, version 2 compressed.
func TestParquetChecksums(t *testing.T) {
	wants := []Want{{Column: 0, Kind: num.I64}, {Column: 1, Kind: num.F64, Option: true}, {Column: 2, Kind: num.I32}}
	for _, name := range []string{"sums1.parquet", "sums2.parquet"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		read := func(b []byte, w Want) ([]byte, error) {
			src, err := Open(writeFile(t, name, string(b)))
			if err != nil {
				return nil, err
			}
			defer src.Close()
			if len(src.Columns()) != len(wants) || src.Rows() != 40 {
				return nil, errPageHeader // what says what the file holds has no checksum
			}
			values, valid, err := tryReadAll(src, w)
			return append(values, valid...), err
		}
		footer := len(file) - 8 - int(file[len(file)-8]) - int(file[len(file)-7])<<8
		var right [][]byte
		for _, w := range wants {
			values, err := read(file, w)
			if err != nil {
				t.Fatal(err)
			}
			right = append(right, values)
		}
		pages := 0
		for at := 4; at < footer; pages++ {
			h, n, err := parsePageHeader(file[at:footer])
			if err != nil || !h.summed {
				t.Fatalf("%s: a page at %d: %+v, %v", name, at, h, err)
			}
			at += n
			for end := at + int(h.packed); at < end; at++ {
				other, refused := bytes.Clone(file), 0
				other[at] ^= 1 << (at % 8)
				for i, w := range wants {
					switch got, err := read(other, w); {
					case err == nil && !bytes.Equal(got, right[i]):
						t.Errorf("%s: another byte at %d changes column %d without a word", name, at, i)
					case err != nil && strings.Contains(err.Error(), "a page differs from its checksum"):
						refused++
					}
				}
				if refused != 1 {
					t.Errorf("%s: another byte at %d is seen in %d columns", name, at, refused)
				}
			}
		}
		if pages < 4 {
			t.Errorf("%s: %d pages", name, pages)
		}
	}
}
