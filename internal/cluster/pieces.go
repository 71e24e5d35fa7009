package cluster

import (
	"context"
	"sort"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// span is a run of outer indices, and the shard beside which it runs; -1 is here.
type span struct {
	lo, hi int64
	shard  int
}

// reach tells which rows of the set outer indices lo..hi touch, over all of its
// columns. Neither end falls when lo and hi rise.
type reach func(lo, hi int64) (first, end int64)

// cutOuter assigns the outer indices 0..outer to the shards that hold all rows that
// they touch. What straddles two shards runs here. It ends with ctx.
func cutOuter(ctx context.Context, shards []catalog.Shard, outer int64, rows reach) ([]span, error) {
	var list []span
	at := int64(0)
	for i := range shards {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		sh := &shards[i]
		if sh.Lo >= sh.Hi || at >= outer {
			continue
		}
		lo := at + search(outer-at, func(n int64) bool {
			first, _ := rows(at+n, at+n+1)
			return first >= sh.Lo
		})
		hi := lo + search(outer-lo, func(n int64) bool {
			_, end := rows(lo, lo+n+1)
			return end > sh.Hi
		})
		if lo >= hi {
			continue
		}
		list = append(here(list, at, lo), span{lo, hi, i})
		at = hi
	}
	return here(list, at, outer), nil
}

// here adds a span that runs on this machine, if it is not empty.
func here(list []span, lo, hi int64) []span {
	if lo < hi {
		list = append(list, span{lo, hi, -1})
	}
	return list
}

// search is sort.Search for large ranges.
func search(n int64, f func(int64) bool) int64 {
	return int64(sort.Search(int(n), func(i int) bool { return f(int64(i)) }))
}

// block is the greatest power of two at multiples of which all spans are cut,
// but for the end of the last one; at most outer.
func block(list []span, outer int64) int64 {
	b := int64(1)
	for b < outer {
		b *= 2
	}
	for _, s := range list {
		if s.lo > 0 {
			b = min(b, s.lo&-s.lo)
		}
		if s.hi < outer {
			b = min(b, s.hi&-s.hi)
		}
	}
	return b
}

// inBlocks gives the pieces in which nodes combine aligned blocks of rows, and how many rows a block has: what spans allow, and a piece has room for.
func (a *arranged) inBlocks(spans []span) (pieces []span, rows int64) {
	pieces = a.cut(spans, min(a.portion.rows, a.portion.piece*min(block(spans, a.Outer), a.portion.rows)))
	return pieces, block(pieces, a.Outer)
}
