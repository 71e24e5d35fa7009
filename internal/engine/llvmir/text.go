package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// text is LLVM's textual form of a function being written, basic block by
// basic block.
type text struct {
	lines []string
	names int
	block string // label of the block that is open
	uses  []string
}

func (t *text) line(format string, args ...any) {
	t.lines = append(t.lines, "  "+fmt.Sprintf(format, args...))
}

func (t *text) fresh() string {
	t.names++
	return "%v" + strconv.Itoa(t.names)
}

// set writes an instruction with a result and gives the result's name.
func (t *text) set(format string, args ...any) string {
	v := t.fresh()
	t.lines = append(t.lines, "  "+v+" = "+fmt.Sprintf(format, args...))
	return v
}

func (t *text) label() string {
	t.names++
	return "b" + strconv.Itoa(t.names)
}

func (t *text) open(label string) {
	t.lines = append(t.lines, label+":")
	t.block = label
}

func (t *text) br(label string) { t.line("br label %%%s", label) }

func (t *text) brIf(cond, yes, no string) { t.line("br i1 %s, label %%%s, label %%%s", cond, yes, no) }

// rarely is brIf for a condition that is hardly ever true.
func (t *text) rarely(cond, yes, no string) {
	t.line("br i1 %s, label %%%s, label %%%s, !prof !0", cond, yes, no)
}

// call calls an intrinsic that is named after the types that vary. args are
// operands with their types.
func (t *text) call(result typ, name string, vary []typ, args ...string) string {
	return t.set("%s", t.called(result.String(), name, vary, args))
}

func (t *text) called(result, name string, vary []typ, args []string) string {
	for _, v := range vary {
		name += "." + v.mangled()
	}
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = typeOfOperand(a)
	}
	use := fmt.Sprintf("declare %s @%s(%s)", result, name, strings.Join(types, ", "))
	if !slices.Contains(t.uses, use) {
		t.uses = append(t.uses, use)
	}
	return fmt.Sprintf("call %s @%s(%s)", result, name, strings.Join(args, ", "))
}

// typeOfOperand cuts the value off "type value"; the types of vectors have
// spaces themselves.
func typeOfOperand(a string) string {
	if strings.HasPrefix(a, "<") {
		return a[:strings.Index(a, ">")+1]
	}
	kind, _, _ := strings.Cut(a, " ")
	return kind
}

// state is a value that a loop carries.
type state struct {
	typ  typ
	text string
}

// with gives the states other values.
func with(s []state, values []string) []state {
	r := slices.Clone(s)
	for i := range r {
		r[i].text = values[i]
	}
	return r
}

func texts(s []state) []string {
	r := make([]string, len(s))
	for i, x := range s {
		r[i] = x.text
	}
	return r
}

// merge writes the phis of values that come from two blocks.
func (t *text) merge(s []state, from1 string, from2 string, values2 []string) []string {
	var r []string
	for i, x := range s {
		r = append(r, t.set("phi %s [ %s, %%%s ], [ %s, %%%s ]", x.typ, x.text, from1, values2[i], from2))
	}
	return r
}

// loop runs the body for i = from, from+step, … while i < to, and gives the
// values carried last. It is guarded and tested at its end, the form in which
// LLVM moves loads out. to must be a number of steps from from, if above it.
// body gives the next values and, if the loop may end early, a condition.
func (t *text) loop(from, to string, step int64, init []state, body func(i string, c []string) (next []string, stop string)) []string {
	head, done := t.label(), t.label()
	before := t.block
	t.brIf(t.set("icmp slt i64 %s, %s", from, to), head, done)
	t.open(head)
	phis := len(t.lines)
	i, names := t.fresh(), t.reserve(len(init))
	t.lines = append(t.lines, "")
	next, stop := body(i, names)
	latch := t.block
	step1 := t.set("add nuw nsw i64 %s, %d", i, step)
	if strings.HasPrefix(from, "%") || strings.HasPrefix(from, "-") { // may be negative
		t.lines[len(t.lines)-1] = fmt.Sprintf("  %s = add nsw i64 %s, %d", step1, i, step)
	}
	more := t.set("icmp slt i64 %s, %s", step1, to)
	if stop != "" {
		more = t.set("and i1 %s, %s", more, t.set("xor i1 %s, true", stop))
	}
	t.brIf(more, head, done)
	counter := state{typ{num.I64, 1}, from}
	t.phis(phis, append([]string{i}, names...), append([]state{counter}, init...), before, append([]string{step1}, next...), latch)
	t.open(done)
	return t.merge(init, before, latch, next)
}

// reserve leaves room for n phis at the start of a block, and names them.
func (t *text) reserve(n int) []string {
	names := make([]string, n)
	for j := range names {
		names[j] = t.fresh()
		t.lines = append(t.lines, "")
	}
	return names
}

// phis fills the room from line at on.
func (t *text) phis(at int, names []string, init []state, before string, next []string, latch string) {
	for j, s := range init {
		t.lines[at+j] = fmt.Sprintf("  %s = phi %s [ %s, %%%s ], [ %s, %%%s ]", names[j], s.typ, s.text, before, next[j], latch)
	}
}

// when runs body if cond holds and gives its values, otherwise s.
func (t *text) when(cond string, s []state, body func() []string) []string {
	yes, done := t.label(), t.label()
	before := t.block
	t.brIf(cond, yes, done)
	t.open(yes)
	r := body()
	end := t.block
	t.br(done)
	t.open(done)
	return t.merge(s, before, end, r)
}

// oneOf runs one of two ways to the same values.
func (t *text) oneOf(cond string, s []state, yes, no func() []string) []string {
	a, b, done := t.label(), t.label(), t.label()
	t.brIf(cond, a, b)
	t.open(a)
	first := yes()
	from1 := t.block
	t.br(done)
	t.open(b)
	second := no()
	from2 := t.block
	t.br(done)
	t.open(done)
	return t.merge(with(s, first), from1, from2, second)
}

// repeat runs body as long as cond holds of what is carried, and gives that.
func (t *text) repeat(init []state, cond func(c []string) string, body func(c []string) []string) []string {
	head, done := t.label(), t.label()
	before := t.block
	t.brIf(cond(texts(init)), head, done)
	t.open(head)
	phis := len(t.lines)
	names := t.reserve(len(init))
	next := body(names)
	more := cond(next)
	latch := t.block
	t.brIf(more, head, done)
	t.phis(phis, names, init, before, next, latch)
	t.open(done)
	return t.merge(init, before, latch, next)
}
