package stepper

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func (m *machine) nested(in *kernel.Instr) []uint64 {
	switch in.Code {
	case kernel.For:
		return m.loop(in)
	case kernel.Fold:
		return m.fold(in)
	}
	if m.get(in.Args[0]) == 1 {
		return m.block(&in.Blocks[0])
	}
	return m.block(&in.Blocks[1])
}

func (m *machine) loop(in *kernel.Instr) []uint64 {
	lo, hi := m.int(in.Args[0]), m.int(in.Args[1])
	carried := m.take(len(in.Args) - 2)
	for j, v := range in.Args[2:] {
		carried[j] = m.get(v)
	}
	m.checkCarry(in, carried)
	mark := len(m.room)
	for i := lo; i < hi; i++ {
		m.room = m.room[:mark]
		m.step(kernel.TurnSteps(in))
		m.set(in.Blocks[0].Params[0], uint64(i))
		for j, v := range carried {
			m.set(in.Blocks[0].Params[1+j], v)
		}
		results := m.block(&in.Blocks[0])
		copy(carried, results)
		m.checkCarry(in, carried)
		if in.Stop && results[len(in.Carry)] == 1 {
			break
		}
	}
	return carried
}

func (m *machine) checkCarry(in *kernel.Instr, carried []uint64) {
	for j, c := range in.Carry {
		if c.Bounded && !m.keeps(c.Kind, carried[j], c.Bound) {
			m.fail("%s: carried value %d is %d, outside its bound %s", kernel.InstrText(in), j, int64(carried[j]), c.Bound)
		}
	}
}

func (m *machine) fold(in *kernel.Instr) []uint64 {
	lo, hi := m.int(in.Args[0]), m.int(in.Args[1])
	folders, mark := m.foldersOf(in, lo), len(m.room)
	for i := lo; i < hi; i++ {
		m.room = m.room[:mark]
		m.step(kernel.TurnSteps(in))
		m.set(in.Blocks[0].Params[0], uint64(i))
		for j, v := range m.block(&in.Blocks[0]) {
			if in.Accs[j].Op == kernel.FoldMulAdd {
				f := m.def[in.Blocks[0].Results[j]].Args
				folders[j].AddProduct(i, m.get(f[0]), m.get(f[1]))
				continue
			}
			folders[j].Add(i, v)
		}
	}
	var results []uint64
	for _, f := range folders {
		results = append(results, f.Result()...)
	}
	return results
}

// foldersOf are those of a fold, which begins anew; none is within itself.
func (m *machine) foldersOf(in *kernel.Instr, lo int64) []*num.Folder {
	folders, made := m.folders[in]
	if made {
		for _, f := range folders {
			f.Reset(lo)
		}
		return folders
	}
	for _, a := range in.Accs {
		folders = append(folders, num.NewFolder(a.Op, a.Kind, in.Tree, lo))
	}
	m.folders[in] = folders
	return folders
}
