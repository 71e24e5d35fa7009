package suspend

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// shape is what a kernel does for one id: pre, then the turns of loop, then
// post. An id is an outer index, or a slot where the body does nothing but
// visit the slots of its grain.
type shape struct {
	k      *kernel.Kernel
	safe   *verify.Safe
	far    Widths
	ids    size.Poly
	id     kernel.Value
	slots  bool // ids are slots
	pre    []*kernel.Instr
	loop   *kernel.Instr // nil: no loop has far loads
	post   []*kernel.Instr
	turns  []size.Poly // bounds on the turns of loop, any of them holds
	def    map[kernel.Value]*kernel.Instr
	uses   map[kernel.Value]int
	always map[*kernel.Instr]bool // executed once for each id
	lines  map[kernel.Value]line
}

// refusal carries an error out of the recursion.
type refusal struct{ error }

func refuse(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }

// newShape throws a refusal where a kernel has no such shape.
func newShape(k *kernel.Kernel, safe *verify.Safe, far Widths) *shape {
	s := &shape{k: k, safe: safe, far: far, def: map[kernel.Value]*kernel.Instr{}, uses: map[kernel.Value]int{}, always: map[*kernel.Instr]bool{}, lines: map[kernel.Value]line{}}
	s.regions()
	s.census(&k.Body)
	top, work := s.top()
	for i, in := range top {
		s.always[in] = true
		if in.Code != kernel.For || !s.isFar(in) {
			continue
		}
		if s.loop != nil {
			refuse("two loops follow indices one after the other, and a walk can wait for rows in one of them: make them one loop, or two steps")
		}
		s.loop, s.pre, s.post = in, top[:i], top[i+1:]
		s.turns = turnsOf(work, top, i)
	}
	if s.loop == nil {
		s.pre = top
	}
	return s
}

func (s *shape) regions() {
	if len(s.k.State) > 0 {
		refuse("what one row gives is carried on to the next, so none can wait for itself")
	}
	for _, r := range s.k.Regions {
		if r.Access == kernel.ReadWrite || r.Access == kernel.Scratch {
			refuse("an array is changed while rows are read, and what goes along with a walk is numbers, not arrays")
		}
	}
	if len(s.far) == 0 {
		refuse("all that is read is here")
	}
	for i, w := range s.far {
		if i < 0 || i >= len(s.k.Regions) || s.k.Regions[i].Access != kernel.Read {
			refuse("region r%d is not one that the kernel reads", i)
		}
		if w < 1 || w > 1<<32 {
			refuse("region r%d has rows of %d elements, expected 1 to 2^32", i, w)
		}
	}
}

// census notes what defines each value and how often it is used.
func (s *shape) census(b *kernel.Block) {
	for _, v := range b.Results {
		s.uses[v]++
	}
	b.Each(func(in *kernel.Instr) {
		for _, v := range in.Out {
			s.def[v] = in
		}
		for _, v := range in.Args {
			s.uses[v]++
		}
		s.uses[in.At]++
		for _, b := range in.Blocks {
			for _, v := range b.Results {
				s.uses[v]++
			}
		}
	})
}

// pointers gives a block's instructions, each with its identity.
func pointers(b *kernel.Block) []*kernel.Instr {
	ins := make([]*kernel.Instr, len(b.Instrs))
	for i := range b.Instrs {
		ins[i] = &b.Instrs[i]
	}
	return ins
}

// top lists what is done for one id, and the work of the block that it ends
// with.
func (s *shape) top() ([]*kernel.Instr, *verify.Work) {
	body := pointers(&s.k.Body)
	params := s.k.Body.Params
	s.id, s.ids = params[0], s.k.Outer
	if len(body) == 0 {
		return nil, &s.safe.Outer
	}
	last := body[len(body)-1]
	if last.Code != kernel.For || last.Args[0] != params[1] || last.Args[1] != params[2] || len(last.Carry) > 0 || last.Stop {
		return body, &s.safe.Outer
	}
	for _, in := range body[:len(body)-1] {
		if s.isFar(in) || kernel.HasEffect(in) {
			return body, &s.safe.Outer
		}
	}
	if s.uses[params[0]] > 0 || s.uses[params[1]] > 1 || s.uses[params[2]] > 1 {
		return body, &s.safe.Outer
	}
	s.id, s.ids, s.slots = last.Blocks[0].Params[0], s.k.Count, true
	parts := s.safe.Outer.Parts
	return append(body[:len(body)-1:len(body)-1], pointers(&last.Blocks[0])...), &parts[len(parts)-1].Choices[0]
}

// turnsOf finds what verify knows of the turns of top[i]: the parts of a work
// are those of the instructions with blocks, in order, up to the end of top.
func turnsOf(work *verify.Work, top []*kernel.Instr, i int) []size.Poly {
	part := len(work.Parts)
	for _, in := range top[i:] {
		if len(in.Blocks) > 0 {
			part--
		}
	}
	return work.Parts[part].Trips
}

// most is the greatest number of turns for all sizes, -1 if there is none.
func (s *shape) most() int64 {
	if s.loop == nil {
		return 1
	}
	most := int64(-1)
	for _, p := range s.turns {
		if n, ok := p.Const(); ok && (most < 0 || n < most) {
			most = max(n, 0)
		}
	}
	return most
}

// isFar reports a load that may lie elsewhere, or one inside.
func (s *shape) isFar(in *kernel.Instr) (far bool) {
	in.Each(func(in *kernel.Instr) { far = far || in.Code == kernel.Load && s.far[in.Region] > 0 })
	return far
}

// line is scale·base + offset in wrapping arithmetic; base is None for a
// constant.
type line struct {
	base          kernel.Value
	scale, offset int64
}

// linear describes v by the value that it is computed from.
func (s *shape) linear(v kernel.Value) line {
	if l, ok := s.lines[v]; ok {
		return l
	}
	l := s.newLine(v)
	s.lines[v] = l
	return l
}

func (s *shape) newLine(v kernel.Value) line {
	whole := line{v, 1, 0}
	in := s.def[v]
	switch {
	case in == nil:
		return whole
	case in.Code == kernel.Const && in.Kind == num.I64:
		return line{kernel.None, 0, int64(in.Bits)}
	case in.Code != kernel.Arith || in.Kind != num.I64 || len(in.Args) != 2:
		return whole
	}
	a, b := s.linear(in.Args[0]), s.linear(in.Args[1])
	if a.base == kernel.None && in.Op != num.Sub {
		a, b = b, a
	}
	if b.base != kernel.None {
		return whole
	}
	switch in.Op {
	case num.Add:
		return line{a.base, a.scale, a.offset + b.offset}
	case num.Sub:
		return line{a.base, a.scale, a.offset - b.offset}
	case num.Mul:
		return line{a.base, a.scale * b.offset, a.offset * b.offset}
	}
	return whole
}

// affine gives v as scale·id + offset.
func (s *shape) affine(v kernel.Value) (scale, offset int64, ok bool) {
	l := s.linear(v)
	return l.scale, l.offset, l.base == kernel.None || l.base == s.id
}
