package interp

// each runs body for the slots that the arrays have, in order, and keeps
// account of the slot that faults are reported with.
func (m *machine) each(n int64, mask []bool, body func(i int64)) {
	outermost := m.slot < 0
	for i := range n {
		if mask != nil && !mask[i] {
			m.tick(1)
			continue
		}
		if outermost {
			m.slot = i
		}
		body(i)
	}
	if outermost {
		m.slot = -1
	}
}

// visit runs a body (i, e) for each set slot of an array.
func (m *machine) visit(a *array, b *block, then func(i int64)) {
	m.each(a.n, a.mask, func(i int64) {
		m.call(b, val{bits: uint64(i)}, a.at(i))
		then(i)
	})
}

func (m *machine) result0(b *block) val { return m.regs[b.results[0]] }

func (m *machine) mapping(in *inst) *array {
	n := m.size(in.Type.Size)
	args := make([]*array, len(in.args))
	for k := range args {
		args[k] = m.arg(in, k).array
		if args[k].n != n {
			m.stop("map of %d slots takes an array of %d", n, args[k].n)
		}
	}
	r := m.array(m.shape(in.Type.Elem()), n)
	if len(args) == 1 {
		r.mask = args[0].mask
	}
	b := in.blocks[0]
	m.each(n, r.mask, func(i int64) {
		m.regs[b.params[0]] = val{bits: uint64(i)}
		for k, a := range args {
			m.regs[b.params[1+k]] = a.at(i)
		}
		m.exec(b)
		r.elem.store(r.mem.cols, i, m.result0(b))
	})
	return r
}

func (m *machine) filter(in *inst) *array {
	a := m.arg(in, 0).array
	r := a.first(a.n)
	r.mask = make([]bool, a.n)
	b := in.blocks[0]
	m.visit(a, b, func(i int64) { r.mask[i] = m.result0(b).bits != 0 })
	return r
}

func (m *machine) compact(in *inst) *array {
	a := m.arg(in, 0).array
	var slots []int64
	m.tick(a.n)
	for i := range a.n {
		if a.has(i) {
			slots = append(slots, i)
		}
	}
	m.sizes[in.Defines] = int64(len(slots))
	return a.pick(slots)
}

func (m *machine) limit(in *inst) *array {
	a, n := m.arg(in, 0).array, int64(m.arg(in, 1).bits)
	n = min(max(n, 0), a.n)
	m.sizes[in.Defines] = n
	return a.first(n)
}

// empty reports that an array has no set slot.
func (a *array) empty() bool {
	for i := range a.n {
		if a.has(i) {
			return false
		}
	}
	return true
}
