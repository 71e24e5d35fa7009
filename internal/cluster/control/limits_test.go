package control

import (
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// large is the largest set that a load makes: all shards, with three replicas.
func large() *catalog.Set {
	s := &catalog.Set{ID: 1, Name: "large", Rows: catalog.MaxShards << 36, By: "hash(key)", Columns: []catalog.Column{{Name: "key", Kind: num.I8, Stored: "int8"}}}
	for i := range int64(catalog.MaxShards) {
		s.Shards = append(s.Shards, catalog.Shard{Lo: i << 36, Hi: (i + 1) << 36, Bytes: maxBytes, Assigned: []catalog.Peer{1001, 1002, 1003}})
	}
	return s
}

// What a client may not fill the catalogue with.
func TestLimits(t *testing.T) {
	t.Parallel()
	if err := checkNew(large()); err != nil {
		t.Errorf("the largest set of a load: %v", err)
	}
	column := func(edit func(c *catalog.Column)) func(s *catalog.Set) {
		return func(s *catalog.Set) { edit(&s.Columns[0]) }
	}
	for _, tt := range []struct {
		name, reason string
		spoil        func(s *catalog.Set)
	}{
		{"a long way to assign", "blocks, rows or hash", func(s *catalog.Set) { s.By = strings.Repeat("x", 1_300_000) }},
		{"a long key", "blocks, rows or hash", func(s *catalog.Set) { s.By = "hash(" + strings.Repeat("x", 1_300_000) + ")" }},
		{"no key", "blocks, rows or hash", func(s *catalog.Set) { s.By = "hash()" }},
		{"an escape code in the key", "blocks, rows or hash", func(s *catalog.Set) { s.By = "hash(\x1b[2J)" }},
		{"many columns", "20000 columns; 1 to 4096", func(s *catalog.Set) { s.Columns = slices.Repeat(s.Columns, 20000) }},
		{"no column", "0 columns", func(s *catalog.Set) { s.Columns = nil }},
		{"an escape code in a name", `\x1b[2J`, column(func(c *catalog.Column) { c.Name = "\x1b[2J" })},
		{"a long name of a column", "200 bytes", column(func(c *catalog.Column) { c.Name = strings.Repeat("x", 201) })},
		{"an escape code in a type", "printable", column(func(c *catalog.Column) { c.Stored = "\x1b" })},
		{"a long type", "at most 500", column(func(c *catalog.Column) { c.Stored = strings.Repeat("x", 501) })},
		{"a negative dimension", "each at least 1", column(func(c *catalog.Column) { c.Dims = []int64{-2} })},
		{"no dimension", "each at least 1", column(func(c *catalog.Column) { c.Dims = []int64{0} })},
		{"wide rows", "together at most", column(func(c *catalog.Column) { c.Dims = []int64{1 << 21, 1 << 20} })},
		{"a product beyond int64", "together at most", column(func(c *catalog.Column) { c.Dims = []int64{1 << 40, 1 << 40} })},
		{"many dimensions", "9 dimensions", column(func(c *catalog.Column) { c.Dims = []int64{1, 1, 1, 1, 1, 1, 1, 1, 1} })},
		{"many rows", "4611686018427387904 rows", func(s *catalog.Set) { s.Rows, s.Shards[0].Hi = 1<<62, 1<<62 }},
		{"rows that no file holds", "a file that has room", func(s *catalog.Set) { s.Rows, s.Shards[0].Hi = 1<<40, 1<<40 }},
		{"a large file", "at most 70368744177664", func(s *catalog.Set) { s.Shards[0].Bytes = 1<<46 + 1 }},
		{"many shards", "4097 shards", func(s *catalog.Set) {
			for range catalog.MaxShards {
				s.Shards = append(s.Shards, catalog.Shard{Lo: s.Rows, Hi: s.Rows, Assigned: []catalog.Peer{1}})
			}
		}},
		{"many replicas", "65 replicas", func(s *catalog.Set) {
			for p := range catalog.Peer(63) {
				s.Shards[0].Assigned = append(s.Shards[0].Assigned, 10+p)
			}
		}},
		{"a long record", "use fewer shards", func(s *catalog.Set) {
			s.Columns = nil
			for range maxColumns {
				s.Columns = append(s.Columns, catalog.Column{Name: strings.Repeat("x", 200), Stored: strings.Repeat("y", 100)})
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := example
			s.Columns = []catalog.Column{{Name: "day", Kind: num.U8, Stored: "uint8"}}
			s.Shards = slices.Clone(s.Shards)
			s.Shards[0].Assigned = slices.Clone(s.Shards[0].Assigned)
			if err := checkNew(&s); err != nil {
				t.Fatal(err)
			}
			tt.spoil(&s)
			e := refused[*InvalidError](t, checkNew(&s))
			if !strings.Contains(e.Reason, tt.reason) || len(e.Reason) > 2000 {
				t.Errorf("the error of %d bytes is %.2000s, expected %q in it", len(e.Reason), e, tt.reason)
			}
		})
	}
	bools := example
	bools.Columns = []catalog.Column{{Name: "b", Kind: num.Bool, Stored: "bool"}}
	bools.Rows, bools.Shards = 72, []catalog.Shard{{Hi: 72, Bytes: 9, Assigned: []catalog.Peer{1}}}
	if err := checkNew(&bools); err != nil {
		t.Error(err)
	}
}
