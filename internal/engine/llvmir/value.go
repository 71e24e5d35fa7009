package llvmir

import (
	"fmt"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// operand is how a value of the kernel stands in the text.
type operand struct {
	text   string // a scalar, or if wide a vector
	wide   bool
	stride string // of a unit or strided operand; text is lane 0
}

func (o operand) shape() loops.Shape {
	switch {
	case o.wide:
		return loops.Varying
	case o.stride == "":
		return loops.Uniform
	case o.stride == "1":
		return loops.Unit
	}
	return loops.Strided
}

func (e *emitter) at(v kernel.Value) operand {
	if d := e.Def[v]; d != nil && d.Code == kernel.Const {
		return operand{text: typ{d.Kind, 1}.constant(d.Bits)}
	}
	return e.vals[v]
}

// bind makes a scalar the meaning of v.
func (e *emitter) bind(v kernel.Value, text string) { e.vals[v] = operand{text: text} }

// give makes a text of n lanes the meaning of v.
func (e *emitter) give(v kernel.Value, text string, n int) {
	e.vals[v] = operand{text: text, wide: n > 1}
}

// scalar is a value that is the same in all lanes, or its lane 0.
func (e *emitter) scalar(v kernel.Value) string { return e.at(v).text }

// vector is a value as a vector of n lanes; n is 1 or the number at hand.
func (e *emitter) vector(v kernel.Value, n int) string {
	return e.widen(e.at(v), typ{e.Kind(v), n})
}

func (e *emitter) widen(o operand, t typ) string {
	switch {
	case t.n == 1 || o.wide:
		return o.text
	case o.stride == "":
		return e.splat(t, o.text)
	}
	if s, err := strconv.ParseInt(o.stride, 10, 64); err == nil {
		return e.two("add", t, e.splat(t, o.text), t.iota(s))
	}
	return e.two("add", t, e.splat(t, o.text), e.two("mul", t, e.splat(t, o.stride), t.iota(1)))
}

// splat repeats a scalar in all lanes.
func (e *emitter) splat(t typ, text string) string {
	if t.n == 1 {
		return text
	}
	if text[0] != '%' {
		return fmt.Sprintf("splat (%s %s)", t.scalar(), text)
	}
	first := e.set("insertelement %s poison, %s %s, i64 0", t, t.scalar(), text)
	return e.set("shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", t, first, t, t.n)
}

// lane is one lane of a value, as a scalar.
func (e *emitter) lane(o operand, t typ, j int) string {
	switch {
	case o.wide:
		return e.set("extractelement %s %s, i64 %d", t, o.text, j)
	case o.stride == "" || j == 0:
		return o.text
	}
	if s, err := strconv.ParseInt(o.stride, 10, 64); err == nil {
		return e.set("add i64 %s, %d", o.text, s*int64(j))
	}
	return e.set("add i64 %s, %s", o.text, e.set("mul i64 %s, %d", o.stride, j))
}

// width is the number of lanes in which an instruction on these operands is
// to be computed.
func (e *emitter) width(args ...kernel.Value) int {
	for _, a := range args {
		if e.at(a).shape() != loops.Uniform {
			return e.lanes
		}
	}
	return 1
}
