package cluster

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A set is opened in moments, whatever its record says of rows and shards.
func TestOpenClaims(t *testing.T) {
	claim := func(rows int64, shards int, columns ...catalog.Column) *catalog.Set {
		s := &catalog.Set{ID: 1, Name: "claims", Rows: rows, Columns: columns}
		for i := range shards {
			lo, hi := rows/int64(shards)*int64(i), rows/int64(shards)*int64(i+1)
			if i == shards-1 {
				hi = rows
			}
			s.Shards = append(s.Shards, catalog.Shard{Lo: lo, Hi: hi})
		}
		return s
	}
	for _, s := range []*catalog.Set{
		claim(math.MaxInt64, 1, catalog.Column{Name: "x"}),
		claim(math.MaxInt64, 10000, catalog.Column{Name: "x", Kind: num.F64, Dims: []int64{1 << 20}}),
		claim(1<<48, 4096, catalog.Column{Name: "x", Kind: num.F64}),
	} {
		c := &Cluster{}
		c.view.Store(&catalog.View{Sets: []catalog.Set{*s}})
		src, err := c.Open("claims")
		if err != nil {
			t.Fatal(err)
		}
		chunks, row := src.Chunks(), int64(0)
		for _, k := range chunks {
			if k.Lo != row || k.Hi <= k.Lo {
				t.Fatalf("rows %d to %d follow row %d", k.Lo, k.Hi, row)
			}
			row = k.Hi
		}
		if row != s.Rows || len(chunks) > 2*maxChunks {
			t.Errorf("%d chunks of %d rows, of %d", len(chunks), row, s.Rows)
		}
	}
}

// Planning ends with its context.
func TestPlanningEnds(t *testing.T) {
	why := errors.New("the deadline")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, why)
	defer cancel()
	shards := make([]catalog.Shard, 1<<20)
	for i := range shards {
		shards[i] = catalog.Shard{Lo: int64(i), Hi: int64(i) + 1}
	}
	looked := 0
	_, err := cutOuter(ctx, shards, 1<<40, func(lo, hi int64) (int64, int64) {
		looked++
		time.Sleep(100 * time.Microsecond)
		return lo, hi
	})
	if !errors.Is(err, why) || looked > 1<<16 {
		t.Errorf("after %d looks: %v", looked, err)
	}
}
