package daemon

import (
	"errors"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A client may commit a set of which the catalogue says something else than its files.
func TestCatalogueDiffers(t *testing.T) {
	k := keep(t, Scrub{})
	for _, tt := range []struct {
		name  string
		spoil func(s *catalog.Set)
	}{
		{"more columns", func(s *catalog.Set) { s.Columns = append(s.Columns, s.Columns[0]) }},
		{"fewer columns", func(s *catalog.Set) { s.Columns = s.Columns[:1] }},
		{"another kind", func(s *catalog.Set) { s.Columns[wide].Kind = num.F64 }},
		{"dimensions", func(s *catalog.Set) { s.Columns[wide].Dims = []int64{1 << 30, 1 << 30, 1 << 30} }},
		{"more rows", func(s *catalog.Set) { s.Rows++; s.Shards[0].Hi++ }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := k.view.Load()
			defer k.view.Store(before)
			v := *before
			v.Sets = slices.Clone(v.Sets)
			s := &v.Sets[0]
			s.Columns, s.Shards = slices.Clone(s.Columns), slices.Clone(s.Shards)
			tt.spoil(s)
			k.view.Store(&v)
			last := len(s.Columns) - 1
			_, single := k.collect(t.Context(), &parcel.Gather{Set: k.set, Column: last, Rows: []int64{s.Rows - 1}})
			_, ranged := k.collect(t.Context(), &parcel.Gather{Set: k.set, Column: last, Lo: s.Rows - 5, Hi: s.Rows})
			for what, err := range map[string]error{
				"single rows": single,
				"a range":     ranged,
				"a grant":     k.copyColumn(t.Context(), s, []int{0}, last, make([]byte, 64)),
			} {
				if w := (*node.WorkError)(nil); !errors.As(err, &w) || w.Reason != parcel.Refused {
					t.Errorf("%s: expected a refusal, found %v", what, err)
				}
			}
		})
	}
	// What indexes the file's columns does not rest on that alone.
	sh, release, err := k.shard(k.set, 0)
	must(t, err)
	defer release()
	for _, c := range []int{-1, 3} {
		if _, err := k.collectRange(t.Context(), sh, &parcel.Gather{Set: k.set, Column: c, Hi: 1}); err == nil {
			t.Errorf("a range of column %d was read", c)
		}
		if _, err := sh.copyColumn(t.Context(), c, nil); err == nil {
			t.Errorf("column %d was copied", c)
		}
	}
}
