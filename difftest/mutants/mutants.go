// Package mutants attacks what a node trusts when it runs kernels of strangers. It
// spoils kernels that the compiler made, and looks at those that verify accepts all
// the same: none may touch what is not its own, take more than was promised, see what
// another run left behind, or give results that depend on order.
//
// What goes in is a seed and a number; what comes out are counts and findings. Each
// batch runs in a process of its own, for a kernel that escapes ends it.
package mutants

import (
	"os"
	"path/filepath"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Seeds are the encodings of good kernels: those of programs in the files, of n random
// programs from number first on, and one in ten of the hand-made ones of kerneltest.
// A program that cannot be compiled is passed over; other tests look at those.
func Seeds(files []string, first, n int) (all [][]byte, err error) {
	var list []*kernel.Kernel
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		list = append(list, kernelsOf(filepath.Base(f), string(text))...)
	}
	gen := progen.Gen(8)
	for i := range n {
		list = append(list, kernelsOf("random.gw", gen.Example(first+i).Source)...)
	}
	for i, c := range kerneltest.Every() {
		if i%10 == first%10 {
			list = append(list, c.Kernel)
		}
	}
	for range 1 + len(list)/50 { // they are few
		list = append(list, kerneltest.Carrying()...)
	}
	for _, k := range list {
		b, err := kernel.Encode(k)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// kernelsOf are the kernels of all functions of a program, with their partial and
// their suspended forms.
func kernelsOf(name, text string) (list []*kernel.Kernel) {
	var msgs diag.List
	prog := elaborate.Check([]*syntax.File{syntax.Parse(diag.NewSource(name, text), &msgs)}, &msgs)
	if msgs.Err() != nil {
		return nil
	}
	for _, f := range prog.Funcs() {
		g, err := prog.Graph(f.Name)
		if err != nil || graph.Optimize(g, true) != nil {
			continue
		}
		s, err := lower.Lower(g, lower.Options{Partials: true, NonZero: func(string) bool { return true },
			Verify: verify.Check})
		if err != nil {
			continue
		}
		schedule.Launches(s.Steps, func(l *schedule.Launch) { list = append(list, forms(l)...) })
	}
	return list
}

// forms are a launch's kernel, what combines its rows, and what it is as states.
func forms(l *schedule.Launch) []*kernel.Kernel {
	list := []*kernel.Kernel{l.Kernel}
	if l.Partial != nil {
		list = append(list, l.Partial.Kernel)
	}
	for i, r := range l.Kernel.Regions {
		if r.Access != kernel.Read {
			continue
		}
		if b, err := suspend.Make(l.Kernel, suspend.Widths{i: 1}); err == nil {
			return append(list, b.Kernel)
		}
	}
	return list
}
