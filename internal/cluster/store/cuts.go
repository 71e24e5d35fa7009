package store

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Range is rows Lo..Hi.
type Range struct{ Lo, Hi int64 }

// Cuts gives the rows of each shard, in order, for "blocks" and "rows". There are as
// many shards as asked for, but no more than rows, and at least one.
//
// "rows" makes shards equal, to one row. "blocks" cuts at multiples of the
// greatest power of two for which no shard has an eighth more than the mean,
// or less than half: the longest shard is what others wait for, and folds
// over large tables have few leaves that lie in two shards. For small tables
// that power is 1.
func Cuts(rows int64, shards int, by string) ([]Range, error) {
	if by != catalog.ByBlocks && by != catalog.ByRows {
		return nil, fmt.Errorf("%q is no way to cut rows into shards: expected %q, %q or \"hash(column)\"", by, catalog.ByBlocks, catalog.ByRows)
	}
	if shards < 1 || rows < 0 {
		return nil, fmt.Errorf("%d rows cannot be cut into %d shards: at least one shard was expected", rows, shards)
	}
	n := max(1, min(int64(shards), rows))
	block := int64(1)
	if by == catalog.ByBlocks {
		for block <= rows/n/2 {
			block *= 2
		}
		for block > 1 && !even(rows, n, block) {
			block /= 2
		}
	}
	out := make([]Range, n)
	for i := range out {
		out[i] = Range{cut(rows, n, block, int64(i)), cut(rows, n, block, int64(i)+1)}
	}
	return out, nil
}

// cut is the multiple of block nearest to the end of i of n equal parts.
func cut(rows, n, block, i int64) int64 {
	if i == n {
		return rows
	}
	exact := rows/n*i + rows%n*i/n
	down := exact / block * block
	if exact-down >= block-(exact-down) && block <= rows-down {
		return down + block
	}
	return down
}

// even reports whether no shard has an eighth more than rows/n rows, or less than half.
func even(rows, n, block int64) bool {
	mean := rows / n
	for i := range n {
		have := cut(rows, n, block, i+1) - cut(rows, n, block, i)
		if have < mean/2 || have > mean+mean/8 {
			return false
		}
	}
	return true
}

// ShardOf is the shard, of n, of a row whose key is v: the integer, extended to
// 64 bits, mixed by the last steps of SplitMix64 (Steele, Lea and Flood, 2014), modulo n.
// A null counts as 0.
func ShardOf(v int64, n int) int {
	x := uint64(v)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return int(x % uint64(n))
}
