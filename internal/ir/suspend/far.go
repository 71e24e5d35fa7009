package suspend

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// window is the part of the far regions that is here, for rows of one width.
type window struct {
	first, elements kernel.Value
}

// openWindows computes the windows' ends once, for each width of a row and
// for rows themselves.
func (m *maker) openWindows() {
	widths := map[int64]bool{1: true}
	for _, s := range m.sites.all {
		widths[s.width] = true
	}
	for _, n := range slices.Sorted(maps.Keys(widths)) {
		w := window{m.first, m.sizeOf(m.rows.MulConst(n))}
		if n > 1 {
			w.first = m.op(num.Mul, m.first, m.int(n))
		}
		m.windows[n] = w
	}
}

// relative gives the index of an element as an offset into the window.
func (m *maker) relative(at kernel.Value, width int64) kernel.Value {
	return m.op(num.Sub, at, m.windows[width].first)
}

// inside reports an offset that is in the window.
func (m *maker) inside(at kernel.Value, width int64) kernel.Value {
	return m.op(num.And, m.op(num.Ge, at, m.int(0)), m.op(num.Lt, at, m.windows[width].elements))
}

// seq writes instructions and gives the results of the block that it writes
// to, as done has them, who is told whether the state has stopped. What
// follows a far load is executed only if the state did not stop there, or, if
// nobody can tell, in vain.
func (m *maker) seq(ins []*kernel.Instr, done func(stopped kernel.Value) []kernel.Value) []kernel.Value {
	for i, in := range ins {
		var stopped kernel.Value
		switch s, starts := m.starts(in); {
		case starts:
			stopped = m.fetch(s)
		case m.of[in] != nil: // loaded already
			continue
		case m.isFar(in):
			stopped = m.farBranch(in)
		default:
			m.copy(in)
			continue
		}
		rest := ins[i+1:]
		if m.phase.quiet && m.quiet(rest) {
			return m.seq(rest, func(kernel.Value) []kernel.Value { return done(stopped) })
		}
		return m.branch(stopped, m.phase.abort, func() []kernel.Value {
			return m.scoped(func() []kernel.Value { return m.seq(rest, done) })
		})
	}
	return done(m.truth(false))
}

// fetch writes the loads of a site from the window, or from what has been
// remembered, and gives whether the state stopped instead.
func (m *maker) fetch(s *site) (stopped kernel.Value) {
	look := func() []kernel.Value { return m.look(s) }
	var got []kernel.Value
	if s.memo {
		got = m.branch(m.op(num.Gt, m.phase.resume, m.int(int64(s.number))), func() []kernel.Value { return m.recall(s) }, look)
		m.memory[s] = got[:len(s.loads)]
	} else {
		got = look()
	}
	for i, in := range s.loads {
		m.to[in.Out[0]] = got[i]
	}
	return got[len(s.loads)]
}

// recall gives the values that a site loaded before the state stopped.
func (m *maker) recall(s *site) (got []kernel.Value) {
	for i, in := range s.loads {
		r := m.k.Regions[in.Region]
		got = append(got, m.keep(m.read(s.memos[i]), r.Bounded, r.Bound))
	}
	return append(got, m.truth(false))
}

// look loads the values from the window, or stops.
func (m *maker) look(s *site) []kernel.Value {
	at := m.relative(m.to[s.index], s.width)
	return m.branch(m.inside(at, s.width), func() (got []kernel.Value) {
		if m.b.Rounds {
			at = m.own(at, s.width)
		}
		for _, in := range s.loads {
			got = append(got, m.load(m.region[in.Region], in.Kind, at))
		}
		return append(got, m.truth(false))
	}, func() (none []kernel.Value) {
		m.stop(s)
		for _, in := range s.loads {
			none = append(none, m.zero(in.Kind))
		}
		return append(none, m.truth(true))
	})
}

// own gives the place of an element of the row that was brought to the state.
func (m *maker) own(at kernel.Value, width int64) kernel.Value {
	if width == 1 { // at is 0
		return m.o
	}
	within := m.emitter.bound(at, size.Const(width))
	return m.op(num.Add, m.op(num.Mul, m.o, m.int(width)), within)
}

// stop writes down what a state wants and what it has so far.
func (m *maker) stop(s *site) {
	want := m.to[s.row.at]
	if s.row.element > 0 {
		want = m.op(num.Div, want, m.int(s.width))
	}
	m.write(wantColumn, want)
	m.phase.note()
	m.remember(s.number)
}

// remember writes down what has been loaded before a site, and the site.
func (m *maker) remember(number int) {
	if m.siteColumn == 0 {
		return
	}
	m.write(m.siteColumn, m.int(int64(number)))
	for _, s := range m.sites.all {
		for i, v := range m.memory[s] {
			m.write(s.memos[i], v)
		}
	}
}

// farBranch writes an If with far loads inside, and gives whether the state
// stopped there. What was loaded in it remains visible.
func (m *maker) farBranch(in *kernel.Instr) (stopped kernel.Value) {
	kept := m.remembered([]*kernel.Instr{in})
	outer := m.phase
	m.phase.quiet = true
	m.phase.abort = func() []kernel.Value {
		var none []kernel.Value
		for _, v := range in.Out {
			none = append(none, m.zero(m.safe.Kinds[v]))
		}
		return append(append(none, m.keptOf(kept)...), m.truth(true))
	}
	side := func(b *kernel.Block) func() []kernel.Value {
		return func() []kernel.Value {
			return m.scoped(func() []kernel.Value {
				return m.seq(pointers(b), func(stopped kernel.Value) []kernel.Value {
					return append(append(m.all(b.Results), m.keptOf(kept)...), stopped)
				})
			})
		}
	}
	outs := m.branch(m.to[in.Args[0]], side(&in.Blocks[0]), side(&in.Blocks[1]))
	m.phase = outer
	for j, v := range in.Out {
		m.to[v] = outs[j]
	}
	outs = outs[len(in.Out):]
	for _, s := range kept {
		m.memory[s] = outs[:len(s.loads)]
		outs = outs[len(s.loads):]
	}
	return outs[0]
}

// keptOf gives what the sites in a branch have loaded on one of its sides;
// anything will do for the other side's.
func (m *maker) keptOf(kept []*site) (out []kernel.Value) {
	for _, s := range kept {
		if vs, ok := m.memory[s]; ok {
			out = append(out, vs...)
			continue
		}
		for _, in := range s.loads {
			out = append(out, m.zero(in.Kind))
		}
	}
	return out
}
