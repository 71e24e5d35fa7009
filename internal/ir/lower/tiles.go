package lower

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// tileSide is how many elements a tile has on each side: those of four bytes in a line of a cache
// of 64 bytes, as many as a grain of rows has.
const tileSide = 16

// tiles rewrites a nest whose inner loop stores row j of an array: a tile's lines stay in the cache
// until all of their elements have been read. Where they do not divide a row, the last one begins before the end of
// the one before it, if it can, and stores the same again: the nest loads nothing that it stores.
func (k *kern) tiles(n *nest) bool {
	pre, pure := k.before(n)
	if !pure || !k.onlyRow(n) {
		return false
	}
	tiles := k.b.SizeOf(k.poly(ceilDiv(n.length, tileSide)))
	latest := k.b.Wrap(num.Max, k.b.Wrap(num.Sub, n.inner.Args[1], k.b.Int(tileSide)), k.b.Int(0))
	k.b.Each(k.b.Int(0), tiles, func(tile kernel.Value) {
		first := k.b.Wrap(num.Min, k.b.Wrap(num.Mul, tile, k.b.Int(tileSide)), latest)
		last := k.b.Wrap(num.Min, k.b.Wrap(num.Add, first, k.b.Int(tileSide)), n.inner.Args[1])
		k.b.Each(k.lo, k.hi, func(j kernel.Value) {
			to := map[kernel.Value]kernel.Value{n.j(): j}
			k.b.Copy(pre, to)
			k.b.Each(first, last, func(i kernel.Value) {
				to[n.i()] = i
				k.b.Copy(n.inner.Blocks[0].Instrs, to)
			})
		})
	})
	return true
}

// onlyRow reports that the nest stores element i of row j, each once, and does nothing else that
// could be seen.
func (k *kern) onlyRow(n *nest) bool {
	for at, in := range n.outer.Blocks[0].Instrs {
		if at != n.at && (!kernel.IsPure(k.k, &in) || in.Site != kernel.NoSite) {
			return false
		}
	}
	ok, stored := true, map[int]bool{}
	for _, in := range n.inner.Blocks[0].Instrs {
		if in.Code == kernel.Store {
			ok = ok && !stored[in.Region] && n.isRow(in.Args[0])
			stored[in.Region] = true
		}
		for _, b := range in.Blocks {
			ok = ok && !stores(&b)
		}
	}
	return ok
}

// isRow reports the index j·length + i.
func (n *nest) isRow(index kernel.Value) bool {
	sum := n.def[index]
	if sum == nil || sum.Code != kernel.Arith || sum.Op != num.Add || sum.Args[1] != n.i() {
		return false
	}
	row := n.def[sum.Args[0]]
	return row != nil && row.Code == kernel.Arith && row.Op == num.Mul && row.Args[0] == n.j() && row.Args[1] == n.inner.Args[1]
}
