package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/totals"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// BufferNote is a run of memory that kernels read or write.
type BufferNote struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Length string `json:"length"`
	Input  bool   `json:"input"`
}

// KernelNote is a kernel with what is proved about it.
type KernelNote struct {
	Hash  string   `json:"hash"`
	Bytes int      `json:"bytes"`
	Label string   `json:"label"`
	Sizes []string `json:"sizes"` // s0, s1, … in terms of the program's
	Laws  []string `json:"laws"`  // of its folds
	Walks []string `json:"walks"` // what becomes of loops that follow references
	Outer string   `json:"outer"` // independent outer indices
	Steps string   `json:"steps"` // most instructions per outer index
	// Memory lists how many bytes of each region it may touch.
	Memory []string `json:"memory"`
	Text   string   `json:"text"`
	// Assembly is empty unless somebody compiled Code, the canonical bytes.
	Assembly string `json:"assembly,omitempty"`
	Code     []byte `json:"-"`
}

// StepNote is a step of the schedule; Depth counts the loops around it.
type StepNote struct {
	Depth  int    `json:"depth"`
	Text   string `json:"text"`
	Kernel string `json:"kernel,omitempty"`
}

// amount writes a polynomial, and what it is for these arguments.
func (x *explainer) amount(p size.Poly) string {
	if x.b == nil {
		return p.String()
	}
	if _, fixed := p.Const(); fixed {
		return p.String()
	}
	if n, ok := x.b.sizes.eval(p); ok {
		return fmt.Sprintf("%s = %s", p, diag.Prose(n))
	}
	return p.String()
}

func product(dims []size.Poly) size.Poly {
	n := size.Const(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}

func (x *explainer) buffers() []BufferNote {
	var list []BufferNote
	s := x.low.schedule
	reads := readBuffers(s)
	for i := range s.Buffers {
		if b := &s.Buffers[i]; reads[i] {
			list = append(list, BufferNote{i, b.Name, b.Kind.String(), x.amount(b.Len), b.Input != nil})
		}
	}
	return list
}

// kernels lists each kernel once.
func (x *explainer) kernels() ([]KernelNote, error) {
	var list []KernelNote
	var first error
	schedule.Launches(x.low.schedule.Steps, func(l *schedule.Launch) {
		n, err := x.kernel(l)
		if err != nil && first == nil {
			first = err
		}
		if !slices.ContainsFunc(list, func(k KernelNote) bool { return k.Hash == n.Hash }) {
			list = append(list, n)
		}
	})
	return list, first
}

func (x *explainer) kernel(l *schedule.Launch) (KernelNote, error) {
	b, err := kernel.Encode(l.Kernel)
	if err != nil {
		return KernelNote{}, err
	}
	safe, err := l.Proof()
	if err != nil {
		return KernelNote{}, bug(nil, err)
	}
	k := l.Kernel
	n := KernelNote{Hash: safe.ID.String(), Bytes: len(b), Label: l.Label, Text: kernel.Text(k), Code: b}
	for i, a := range l.Sizes {
		n.Sizes = append(n.Sizes, fmt.Sprintf("s%d = %s", i, x.sizeArg(&a)))
	}
	n.Walks = safe.Loops(loops.Engine{Nests: true, Fuses: true, Weaves: true}).Followed()
	n.Outer, n.Laws, n.Steps = x.inSizes(l, k.Outer), kernelLaws(safe), safe.Outer.String()
	for i, r := range k.Regions {
		n.Memory = append(n.Memory, fmt.Sprintf("r%d %s %s: %s bytes", i, r.Access, x.regionName(l, i), x.inSizes(l, r.Len.MulConst(int64(r.Elem.Size())))))
	}
	return n, nil
}

func (x *explainer) regionName(l *schedule.Launch, i int) string {
	if b := l.Regions[i]; b >= 0 {
		return fmt.Sprintf("b%d `%s`", b, x.low.schedule.Buffers[b].Name)
	}
	return "for each worker"
}

func (x *explainer) sizeArg(a *schedule.SizeArg) string {
	switch a.Op {
	case schedule.KeyedLeaf:
		return fmt.Sprintf("slots in a leaf for a table of width %s", a.KeyedBy)
	case schedule.KeyedLeaves:
		return fmt.Sprintf("number of leaves of %s slots for a table of width %s", a.Poly, a.KeyedBy)
	}
	return x.amount(a.Poly)
}

// inSizes writes a polynomial over a kernel's sizes in those of the program,
// where it can be.
func (x *explainer) inSizes(l *schedule.Launch, p size.Poly) string {
	q := p.Subst(func(name string) (size.Poly, bool) {
		i, ok := kernel.SizeIndex(name)
		if !ok || i >= len(l.Sizes) || l.Sizes[i].Op != schedule.Plain {
			return size.Poly{}, false
		}
		return l.Sizes[i].Poly, true
	})
	return x.amount(q)
}

// kernelLaws says for each fold in a kernel how its parts may be combined.
func kernelLaws(safe *verify.Safe) []string {
	k := safe.Kernel
	var laws []string
	k.Body.Each(func(in *kernel.Instr) {
		for _, a := range in.Accs {
			if law := lawText(a, in.Tree); !slices.Contains(laws, law) {
				laws = append(laws, law)
			}
		}
	})
	if len(k.State) > 0 {
		laws = append(laws, stateLaw(safe))
	}
	return laws
}

// stateLaw says how what a kernel carries adds up, or why its outer indices run in order.
func stateLaw(safe *verify.Safe) string {
	law, err := totals.Of(safe)
	if err != nil {
		return fmt.Sprintf("carries state: outer indices run in order, because %v", err)
	}
	var ops []string
	for i, s := range safe.Kernel.State {
		if law.Ops[i] == num.BadFold {
			ops = append(ops, fmt.Sprintf("%s that stays", s.Kind))
		} else {
			ops = append(ops, fmt.Sprintf("%s by %s", s.Kind, law.Ops[i]))
		}
	}
	return fmt.Sprintf("carries state, %s: in order, or in stretches on all threads after kernel %s has found what each adds", strings.Join(ops, ", "), law.Totals.ID.Short())
}

func lawText(a kernel.Acc, tree bool) string {
	law := "any order"
	switch {
	case a.Op.IsOrdered(a.Kind) && tree:
		law = "canonical order: pairwise by number"
	case a.Op.IsOrdered(a.Kind):
		law = fmt.Sprintf("canonical order: leaves of %d slots, %d lanes, pairwise tree", num.Leaf, num.Lanes(a.Kind))
	}
	return fmt.Sprintf("%s %s: %s", a.Op, a.Kind, law)
}

// schedule lists the steps, indented by loops and branches.
func (x *explainer) schedule() []StepNote {
	var list []StepNote
	add := func(depth int, kernel, format string, args ...any) {
		list = append(list, StepNote{depth, fmt.Sprintf(format, args...), kernel})
	}
	var walk func(steps []schedule.Step, depth int)
	walk = func(steps []schedule.Step, depth int) {
		for _, step := range steps {
			switch s := step.(type) {
			case *schedule.Launch:
				hash := launchHash(s)
				add(depth, hash, "launch %s: kernel %s on %s%s", s.Label, hash, x.operands(s), x.pruning(s))
			case *schedule.SetSize:
				add(depth, "", "size %s from b%d, at most %s", s.Name, s.Buffer, x.amount(s.Max))
			case *schedule.Loop:
				add(depth, "", "loop i%d from %s to %s, at most %s turns%s", s.Number, x.scalar(s.Lo), x.scalar(s.Hi), x.amount(s.Max), swaps(s))
				walk(s.Body, depth+1)
			case *schedule.SetParts:
				add(depth, "", "sizes %s of %d · %s slots, by the number of threads", s.Parts, schedule.GrainsOfPart, s.Grain)
			case *schedule.Branch:
				add(depth, "", "if b%d", s.Cond)
				walk(s.Then, depth+1)
				add(depth, "", "else")
				walk(s.Else, depth+1)
			}
		}
	}
	walk(x.low.schedule.Steps, 0)
	return list
}

func launchHash(l *schedule.Launch) string {
	b, err := kernel.Encode(l.Kernel)
	if err != nil {
		return "?"
	}
	return kernel.Hash(b).Short()
}

func (x *explainer) operands(l *schedule.Launch) string {
	var parts []string
	for i, b := range l.Regions {
		if b >= 0 {
			parts = append(parts, fmt.Sprintf("%s b%d", l.Kernel.Regions[i].Access, b))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// symbols writes the comparisons that rows are skipped by.
var symbols = map[num.Op]string{num.Eq: "==", num.Lt: "<", num.Le: "<=", num.Gt: ">", num.Ge: ">="}

func (x *explainer) pruning(l *schedule.Launch) string {
	if len(l.Pruning) == 0 {
		return ""
	}
	parts := make([]string, len(l.Pruning))
	for i, p := range l.Pruning {
		b := &x.low.schedule.Buffers[p.Buffer]
		with := column.Text(p.Kind, p.Bits)
		if p.Scalar != nil {
			with = x.scalar(schedule.ScalarSource{Scalar: p.Scalar})
		}
		parts[i] = fmt.Sprintf("%s %s %s", b.Name, symbols[p.Op], with)
	}
	return "; runs of rows that statistics show not to satisfy " + strings.Join(parts, " && ") + " are not read"
}

func swaps(s *schedule.Loop) string {
	text := ""
	for _, pair := range s.Swap {
		text += fmt.Sprintf(", swapping b%d and b%d", pair[0], pair[1])
	}
	if s.Stop >= 0 {
		text += fmt.Sprintf(", until b%d", s.Stop)
	}
	return text
}

func (x *explainer) scalar(s schedule.ScalarSource) string {
	if s.Scalar == nil {
		return x.amount(s.Poly)
	}
	switch s.Scalar.From {
	case schedule.FromBuffer:
		return fmt.Sprintf("b%d", s.Scalar.Buffer)
	case schedule.FromLoop:
		return fmt.Sprintf("i%d", s.Scalar.Loop)
	}
	return "`" + x.f.info(s.Scalar.Param).Name + "`"
}
