package progen

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// Fill draws the leaves of an argument of any type from a seed. What an
// option does not have is zero.
func Fill(t *graph.Type, sizes map[string]int64, seed uint64) ([]Column, error) {
	at := func(name string) (int64, bool) { n, ok := sizes[name]; return n, ok }
	r := splitmix(seed)
	var out []Column
	leaves := graph.Leaves(t)
	for j, leaf := range leaves {
		c := Column{Kind: leaf.Type.KindOf()}
		n := int64(1)
		for _, p := range leaf.Dims {
			d, ok := p.Eval(at)
			if !ok {
				return nil, fmt.Errorf("the size %s is not known", p)
			}
			c.Dims, n = append(c.Dims, d), n*d
		}
		limit, bounded := uint64(0), leaf.Type.Kind == graph.Index
		if bounded {
			b, ok := leaf.Type.Bound.Eval(at)
			if !ok || b < 1 {
				return nil, fmt.Errorf("there is no index below %s", leaf.Type.Bound)
			}
			limit = uint64(b)
		}
		optional := leaf.Optional
		for i := range n {
			bits := r.scalar(c.Kind)
			if bounded {
				bits = r.next() % limit
			}
			if optional && out[j-1].Bits[i] == 0 {
				bits = 0
			}
			c.Bits = append(c.Bits, bits)
		}
		out = append(out, c)
	}
	return out, nil
}
