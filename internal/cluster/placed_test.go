package cluster

import (
	"bytes"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// What a node answers is held to what it was asked for: rows that do not come are no zeros.
func TestPlaced(t *testing.T) {
	s := &source{
		set:    &catalog.Set{Name: "x", Rows: 6},
		cols:   []data.Column{{Name: "a", Kind: num.I16}, {Name: "b", Kind: num.I32, Nullable: true}},
		chunks: []data.Chunk{{Lo: 0, Hi: 6}},
	}
	e := &excerpt{column: 1, rows: data.Chunk{Lo: 2, Hi: 4}}
	wants := []data.Want{{Column: 0, Kind: num.I16}, {Column: 1, Kind: num.I64, Option: true}, {Column: 1, Kind: num.I32, Option: true, Bound: 10}}
	for _, test := range []struct {
		name    string
		columns [][]byte
		failed  int // the first of the wants that is not met
		says    string
	}{
		{"all", [][]byte{{1, 0, 0, 0, 9, 0, 0, 0}, {1, 1}}, 3, ""},
		{"too few values", [][]byte{{1, 0, 0, 0}, {1, 1}}, 1, "2 rows need 8 bytes, 4 are given"},
		{"too many values", [][]byte{make([]byte, 12), {1, 1}}, 1, "2 rows need 8 bytes, 12 are given"},
		{"no values", [][]byte{nil, {1, 1}}, 1, "2 rows need 8 bytes, 0 are given"},
		{"too few nulls", [][]byte{make([]byte, 8), {1}}, 1, "2 rows need as many bytes of validity, 1 are given"},
		{"beyond the bound", [][]byte{{1, 0, 0, 0, 10, 0, 0, 0}, {1, 1}}, 2, "row 3: column `b`: expected an index below 10, found 10"},
		{"no columns", nil, 0, "the answer has 0 columns, expected 1 or 2"},
	} {
		dst := []data.Dest{{Values: make([]byte, 12)}, {Values: make([]byte, 48), Valid: make([]byte, 6)}, {Values: make([]byte, 24), Valid: make([]byte, 6)}}
		_, failed, err := s.place(t.Context(), e, &parcel.Answer{Columns: test.columns}, 0, wants, dst)
		if failed != test.failed || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: want %d, %v; expected %d, %q", test.name, failed, err, test.failed, test.says)
		}
		if test.says != "" {
			continue
		}
		if at := dst[1]; !bytes.Equal(at.Values, append(make([]byte, 16), append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 9}, make([]byte, 23)...)...)) || !bytes.Equal(at.Valid, []byte{0, 0, 1, 1, 0, 0}) {
			t.Errorf("%s: %v, %v", test.name, at.Values, at.Valid)
		}
	}
}
