package main

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: how many bytes a table may have. Out: the inputs of bench far that are made of more than random numbers: a tree, graphs, and the
// patterns of Spatter. All are the same from run to run.

// treeInput is a full tree with eight children to a node, level by level. Key j of a node is the greatest below its child j, the last
// one's is open; what the lowest nodes lead to are the numbers of rows.
func treeInput(bytes int64, _ bool) []farColumn {
	r := generate.NewRandom(6)
	levels, nodes := int64(1), int64(1)
	for width := int64(8); levels < 10 && (nodes+width)*(8*8+4) <= bytes; width *= 8 {
		nodes, levels = nodes+width, levels+1
	}
	keys, k := farMemory[int64]("keys", num.I64, nodes, 8)
	first, f := farMemory[uint32]("first", num.U32, nodes)
	height, h := farMemory[int64]("height", num.I64, 1)
	h[0] = levels
	node, rows := int64(0), int64(1)<<(3*levels)
	for width, level := int64(1), int64(0); level < levels; width, level = width*8, level+1 {
		each := rows / width // rows below a node of the level
		for i := range width {
			for j := range int64(8) {
				k[8*node+j] = 1000*(i*each+(j+1)*each/8) - 500
			}
			k[8*node+7] = 1 << 62
			if f[node] = uint32(node + 1 + (width - 1 - i) + 8*i); level == levels-1 {
				f[node] = uint32(8 * i)
			}
			node++
		}
	}
	want, w := farMemory[int64]("want", num.I64, 4*farQueries)
	for i := range w {
		w[i] = below(r, 1000*rows)
	}
	return []farColumn{keys, first, height, want}
}

// farGraph is a Kronecker graph with the parameters of Graph 500, up to scale 22, with edges both ways and a node's neighbours side by side.
func farGraph(bytes int64, quick bool) []farColumn {
	most := 22
	if quick {
		most = 20
	}
	scale := min(most, 62-leadingZeros(max(bytes/64, 2)))
	r := generate.NewRandom(7)
	n, edges := int64(1)<<scale, int64(16)<<scale
	names := make([]uint32, n)
	for i := range names {
		names[i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := below(r, i+1)
		names[i], names[j] = names[j], names[i]
	}
	from, into := make([]uint32, edges), make([]uint32, edges)
	for e := range from {
		var a, b int64
		for range scale {
			x := r.Float()
			a, b = 2*a, 2*b
			switch {
			case x < 0.57:
			case x < 0.76:
				b++
			case x < 0.95:
				a++
			default:
				a, b = a+1, b+1
			}
		}
		from[e], into[e] = names[a], names[b]
	}
	off, o := farMemory[int64]("off", num.I64, n+1)
	to, t := farMemory[uint32]("to", num.U32, 2*edges)
	for e := range from {
		o[from[e]+1]++
		o[into[e]+1]++
	}
	for v := range n {
		o[v+1] += o[v]
	}
	at := make([]int64, n)
	copy(at, o)
	put := func(a, b uint32) {
		t[at[a]] = b
		at[a]++
	}
	for e := range from {
		put(from[e], into[e])
		put(into[e], from[e])
	}
	return []farColumn{off, to}
}

// arcsInput has arcs between nodes all over the table.
func arcsInput(bytes int64, _ bool) []farColumn {
	const blocks = 1 << 11
	r := generate.NewRandom(8)
	price, p := farMemory[int64]("price", num.I64, bytes/8)
	for i := range p {
		p[i] = below(r, 1000)
	}
	cost, c := farMemory[int64]("cost", num.I64, blocks, 1024)
	for i := range c {
		c[i] = below(r, 2000)
	}
	return []farColumn{farStarts("tail", r, blocks, int64(len(p)), 1024), farStarts("head", r, blocks, int64(len(p)), 1024), cost, price}
}

// pattern is one of Spatter's: where a row's elements lie, and how far the next row is.
type pattern struct {
	name  string
	at    func(r *generate.Random, n int64) []int64
	delta int64
	most  int64 // rows
}

// patterns are those that the suite's users publish figures for, as its command line names them: UNIFORM:8:s, MS1:8:4:32, LAPLACIAN:2:2:1000,
// and places all over the table.
var patterns = []pattern{
	{"stride 1", uniform(1), 8, 1 << 21},
	{"stride 8", uniform(8), 64, 1 << 21},
	{"stride 64", uniform(64), 512, 1 << 21},
	{"mostly stride 1", listed(0, 1, 2, 3, 36, 37, 38, 39), 40, 1 << 21},
	{"laplacian", listed(0, 1000, 1998, 1999, 2000, 2001, 2002, 3000, 4000), 1, 1 << 21},
	{"random", func(r *generate.Random, n int64) []int64 {
		at := make([]int64, 1<<20)
		for i := range at {
			at[i] = below(r, n-8)
		}
		return at
	}, 1, 4},
}

func uniform(stride int64) func(*generate.Random, int64) []int64 {
	return listed(0, stride, 2*stride, 3*stride, 4*stride, 5*stride, 6*stride, 7*stride)
}

func listed(at ...int64) func(*generate.Random, int64) []int64 {
	return func(*generate.Random, int64) []int64 { return at }
}

// columns gives a table of so many numbers, the pattern and its delta, and how many rows stay inside of the table.
func (p pattern) columns(name string, n int64) (in []farColumn, rows int64) {
	list := p.at(generate.NewRandom(9), n)
	at, a := farMemory[int64]("pattern", num.I64, int64(len(list)))
	copy(a, list)
	last := slices.Max(list)
	n = max(n, last+2) // one row has its places
	table, x := farMemory[float64](name, num.F64, n)
	for i := range x {
		x[i] = float64(i)
	}
	delta, d := farMemory[int64]("delta", num.I64, 1)
	d[0] = p.delta
	return []farColumn{table, at, delta}, max(1, min(p.most, (n-1-last)/p.delta))
}

func (p pattern) gather(bytes int64, _ bool) []farColumn {
	in, rows := p.columns("from", bytes/8)
	turns, _ := farMemory[uint8]("turns", num.U8, rows)
	return append(in, turns)
}

// scatter has a table of a quarter of the bytes, since each call has a new one.
func (p pattern) scatter(bytes int64, _ bool) []farColumn {
	in, rows := p.columns("to", bytes/32)
	what, w := farMemory[float64]("what", num.F64, rows, in[1].dims[0])
	for i := range w {
		w[i] = float64(-i)
	}
	return append(in, what)
}

// spatter are the tasks of all patterns.
func spatter() (list []farTask) {
	all := func(in []farColumn) int64 { return lastRows(in) * in[1].dims[0] }
	for _, p := range patterns {
		list = append(list, farTask{"spread", "gather, " + p.name, p.gather, num.F64, all, all})
	}
	for _, p := range patterns {
		list = append(list, farTask{"strew", "scatter, " + p.name, p.scatter, num.F64, func(in []farColumn) int64 { return in[0].dims[0] }, all})
	}
	return list
}
