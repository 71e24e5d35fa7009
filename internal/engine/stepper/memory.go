package stepper

import (
	"encoding/binary"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func (m *machine) poly(p size.Poly) int64 {
	n, ok := kernel.EvalPoly(p, m.a.Sizes)
	if !ok {
		m.fail("%s has no value", p)
	}
	return n
}

// prepare checks that the arguments are of the right number and length.
func (m *machine) prepare() {
	k, a := m.k, m.a
	if len(a.Sizes) != len(k.Sizes) || len(a.Scalars) != len(k.Scalars) || len(a.Regions) != len(k.Regions) || len(a.Faults) != k.Sites {
		m.fail("%d sizes, %d scalars, %d regions, %d sites given; the kernel has %d, %d, %d, %d",
			len(a.Sizes), len(a.Scalars), len(a.Regions), len(a.Faults), len(k.Sizes), len(k.Scalars), len(k.Regions), k.Sites)
	}
	for i, s := range k.Scalars {
		if !num.IsCanon(s.Kind, a.Scalars[i]) {
			m.fail("scalar %d is %#x, which is no %s", i, a.Scalars[i], s.Kind)
		}
	}
	m.grain, m.count = m.poly(k.Grain), m.poly(k.Count)
	m.regions = make([][]byte, len(k.Regions))
	m.lens = make([]int64, len(k.Regions))
	for i := range k.Regions {
		m.region(i)
	}
}

func (m *machine) region(i int) {
	r := &m.k.Regions[i]
	n := m.poly(r.Len)
	if n < 0 || n > maxScratch/int64(r.Elem.Size()) && r.Access == kernel.Scratch {
		m.fail("region r%d has length %d", i, n)
	}
	m.lens[i] = n
	if r.Access == kernel.Scratch {
		m.regions[i] = make([]byte, n*int64(r.Elem.Size()))
		return
	}
	m.regions[i] = m.a.Regions[i]
	if have := int64(len(m.regions[i]) / r.Elem.Size()); have < n && m.a.Firsts == nil {
		m.fail("region r%d has %d elements, not %d", i, have, n)
	}
}

// element gives the bytes of one element.
func (m *machine) element(region int, i int64) []byte {
	if i < 0 || i >= m.lens[region] {
		m.fail("element %d of region r%d, which has %d", i, region, m.lens[region])
	}
	width, at := int64(m.k.Regions[region].Elem.Size()), i-m.first(region)
	if at < 0 || (at+1)*width > int64(len(m.regions[region])) {
		m.fail("element %d of region r%d, which is not there", i, region)
	}
	return m.regions[region][at*width : (at+1)*width]
}

// first is the element that the bytes of a region begin with.
func (m *machine) first(region int) int64 {
	if m.a.Firsts == nil || m.k.Regions[region].Access == kernel.Scratch {
		return 0
	}
	return m.a.Firsts[region]
}

func (m *machine) load(region int, i int64) uint64 {
	r := &m.k.Regions[region]
	var b [8]byte
	copy(b[:], m.element(region, i))
	v := num.Canon(r.Elem, binary.LittleEndian.Uint64(b[:]))
	if r.Bounded && !m.keeps(r.Elem, v, r.Bound) {
		m.fail("element %d of region r%d is %d, outside its bound %s", i, region, int64(v), r.Bound)
	}
	return v
}

func (m *machine) store(in *kernel.Instr, i int64, v uint64) {
	r := &m.k.Regions[in.Region]
	if r.Bounded && !m.keeps(r.Elem, v, r.Bound) {
		m.fail("%s: %d is outside the bound %s", kernel.InstrText(in), int64(v), r.Bound)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(m.element(in.Region, i), b[:])
}

// keeps reports 0 ≤ v < bound.
func (m *machine) keeps(k num.Kind, v uint64, bound size.Poly) bool {
	return (!k.IsSigned() || int64(v) >= 0) && v < uint64(max(m.poly(bound), 0))
}

// loadState and storeState move the carried values of a sequential kernel
// from and to where they rest between slices.
func (m *machine) loadState() {
	m.state = make([]uint64, len(m.k.State))
	for i, s := range m.k.State {
		m.state[i] = m.load(s.Region, 0)
	}
}

func (m *machine) storeState() {
	for i, s := range m.k.State {
		m.store(&kernel.Instr{Code: kernel.Store, Region: s.Region, Site: kernel.NoSite, At: kernel.None}, 0, m.state[i])
	}
}
