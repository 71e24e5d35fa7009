package kernel

import "github.com/godwit-run/godwit/internal/front/size"

// Polys lists the polynomials that a run of k needs values for, each once: Outer,
// Grain and Count, then those of the body in order of appearance.
func (k *Kernel) Polys() []size.Poly {
	p := polys{}
	p.add(k.Outer)
	p.add(k.Grain)
	p.add(k.Count)
	k.Body.Each(func(in *Instr) {
		switch in.Code {
		case SizeOf, Bound, Positive:
			p.add(in.Poly)
		}
	})
	return p
}

type polys []size.Poly

func (p *polys) add(q size.Poly) {
	for _, old := range *p {
		if old.Equal(q) {
			return
		}
	}
	*p = append(*p, q)
}
