package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In come the last slots of a leaf, fewer than a row has, out goes one more row of which the lanes without a slot stay as
// they are. A processor with vectors of 32 bytes and more loads under a mask, and touches nothing beside it. Slots one by one take
// a row through memory, where vectors wait for what was stored in parts.

// masks reports that all slots that are left can be one masked row: nothing but ordered folds of one width, of what is
// loaded consecutively and computed without faults.
func (f *rowFold) masks() bool {
	if f.t.Arch != "amd64" || f.t.VectorBytes < 32 || len(f.others) > 0 || len(f.ordered) == 0 {
		return false
	}
	for _, a := range f.ordered {
		if num.Lanes(a.Kind) != f.n {
			return false
		}
	}
	for i := range f.Body.Instrs {
		in := &f.Body.Instrs[i]
		if in.Code != kernel.Load {
			if loops.HasEffect(*in) {
				return false
			}
			continue
		}
		r := &f.k.Regions[in.Region]
		if s := f.Shapes[in.Args[0]]; s != loops.Uniform && (s != loops.Unit || r.Bounded || r.Elem == num.Bool) {
			return false
		}
	}
	return true
}

// masked folds the slots mid..to into the rows.
func (f *rowFold) masked(mid, to string, rows []state) (next []string) {
	index := typ{intKind(f.ordered[0].Kind), f.n} // compared in vectors as wide as the values
	count := f.resize(f.set("sub i64 %s, %s", to, mid), num.I64, index.kind, 1)
	mask := f.two("icmp slt", index, index.iota(1), f.splat(index, count))
	f.sharing(f.n, func() {
		for i := range f.Body.Instrs {
			if in := &f.Body.Instrs[i]; in.Code == kernel.Load && f.Shapes[in.Args[0]] == loops.Unit {
				f.packed[in] = func() string { return f.loadMasked(in, mask) }
			}
		}
		f.vals[f.Body.Params[0]] = operand{text: mid, stride: "1"}
		f.emitter.body(f.Body)
		for j, v := range f.values(f.ordered) {
			a := f.ordered[j]
			next = append(next, f.pick(mask, typ{a.Kind, f.n}, f.takeRow(a, f.n, rows[j].text, v), rows[j].text))
		}
		clear(f.packed)
	})
	return next
}

// loadMasked reads the elements of the lanes in a mask; the others are 0.
func (f *rowFold) loadMasked(in *kernel.Instr, mask string) string {
	t := typ{f.k.Regions[in.Region].Elem, f.n}
	at := f.address(in.Region, f.at(in.Args[0]).text)
	use := f.called(t.String(), "llvm.masked.load", []typ{t}, []string{"ptr " + at, "i32 " + strconv.Itoa(t.kind.Size()), t.bool().String() + " " + mask, t.String() + " zeroinitializer"})
	return f.set("%s, %s", use, f.aliasing(in.Region))
}
