package interp

// fold is the sequential fold over the set slots.
func (m *machine) fold(in *inst) val {
	a, acc := m.arg(in, 0).array, m.arg(in, 1)
	m.each(a.n, a.mask, func(i int64) {
		acc = m.call(in.blocks[0], val{bits: uint64(i)}, acc, a.at(i))
	})
	return acc
}

func (m *machine) scan(in *inst) *array {
	a, acc := m.arg(in, 0).array, m.arg(in, 1)
	r := m.array(m.shape(in.Type.Elem()), a.n)
	m.each(a.n, nil, func(i int64) {
		acc = m.call(in.blocks[0], val{bits: uint64(i)}, acc, a.at(i))
		r.elem.store(r.mem.cols, i, acc)
	})
	return r
}

// scatter works on a copy, because values are never changed.
func (m *machine) scatter(in *inst) *array {
	d, from := m.arg(in, 0).array, m.arg(in, 1).array
	r := m.array(d.elem, d.n)
	for l, col := range d.cols() {
		copy(r.mem.cols[l], col)
	}
	first := in.blocks[0]
	m.visit(from, first, func(int64) {
		key, v := int64(m.regs[first.results[0]].bits), m.regs[first.results[1]]
		if key < 0 || key >= r.n {
			if !m.faulted {
				m.stop("the key %d is outside of %d elements", key, r.n)
			}
			return
		}
		// The old element may share the columns that are about to change.
		old := r.pick([]int64{key}).at(0)
		r.elem.store(r.mem.cols, key, m.call(in.blocks[1], old, v))
	})
	return r
}

// loop runs its turns in order. Faults in it are reported with the turn,
// unless an operation around it has a slot or turn.
func (m *machine) loop(in *inst) val {
	b := in.blocks[0]
	lo, hi := int64(m.arg(in, 0).bits), int64(m.arg(in, 1).bits)
	hi = m.lastTurn(in, lo, hi)
	carried := make([]val, len(in.args)-2)
	for k := range carried {
		carried[k] = m.arg(in, 2+k)
	}
	outermost := m.slot < 0
	for i := lo; i < hi; i++ {
		if outermost {
			m.slot = i - lo
		}
		m.regs[b.params[0]] = val{bits: uint64(i)}
		for k, c := range carried {
			m.regs[b.params[1+k]] = c
		}
		m.exec(b)
		for k := range carried {
			carried[k] = m.regs[b.results[k]]
		}
		if in.Stop && m.regs[b.results[len(carried)]].bits != 0 {
			break
		}
	}
	if outermost {
		m.slot = -1
	}
	return val{parts: carried}
}

// lastTurn holds the front end to its promise about the number of turns. A
// limit that comes from a faulting computation is cut to it, so that the run
// ends.
func (m *machine) lastTurn(in *inst, lo, hi int64) int64 {
	most := in.Max
	if most == 0 {
		if n, ok := in.MaxPoly.Const(); ok && n == 0 {
			return hi // no promise
		}
		most = m.poly(in.MaxPoly)
	}
	most = max(most, 0)
	if turns := uint64(hi) - uint64(lo); hi <= lo || turns <= uint64(most) {
		return hi
	}
	if !m.faulted {
		m.stop("the loop from %d to %d has more than the %d turns that were promised", lo, hi, most)
	}
	return lo + most
}
