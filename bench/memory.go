package main

import (
	"fmt"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// memory is what kernels work in. The reference works there too, on the same
// bytes.
type memory struct {
	eng   *engine.Engine
	llvm  *codegen.Service // nil without native code
	spans []mem.Span
}

// newMemory reserves the memory, with an engine that makes native code if so
// wanted. None is kept on disk, so that every benchmark waits for it.
func newMemory(native bool) (*memory, error) {
	m := &memory{}
	if native {
		m.llvm = codegen.New(codegen.Options{Program: child()})
	}
	var err error
	m.eng, err = engine.New(engine.Options{Codegen: m.llvm})
	return m, err
}

func (m *memory) close() {
	_ = m.eng.Close()
	if m.llvm != nil {
		_ = m.llvm.Close()
	}
}

// alloc gives zeroed memory with its offset in the arena.
func (m *memory) alloc(n int64) (off int64, b []byte, err error) {
	s, b, err := m.eng.Alloc(n)
	if err != nil {
		return 0, nil, err
	}
	m.spans = append(m.spans, s)
	return s.Off, b, nil
}

// mark and release free all that was allocated in between.
func (m *memory) mark() int { return len(m.spans) }

func (m *memory) release(mark int) {
	for _, s := range m.spans[mark:] {
		m.eng.Arena().Free(s)
	}
	m.spans = m.spans[:mark]
}

// vector is numbers of one kind in memory.
type vector struct {
	kind num.Kind
	data []byte
	done func() // gives the memory back, if it is not nil
}

func (v vector) len() int { return len(v.data) / int(v.kind.Size()) }

// reader gives the element at an index.
func (v vector) reader() (func(i int) float64, error) {
	switch v.kind {
	case num.F32:
		x := view[float32](v.data)
		return func(i int) float64 { return float64(x[i]) }, nil
	case num.F64:
		x := view[float64](v.data)
		return func(i int) float64 { return x[i] }, nil
	case num.I64:
		x := view[int64](v.data)
		return func(i int) float64 { return float64(x[i]) }, nil
	}
	return nil, fmt.Errorf("expected f32, f64 or i64 to compare, found %s", v.kind)
}

func view[T float32 | float64 | int64](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// operand is an argument that lies in the arena.
type operand struct {
	vector
	off  int64
	rows int64
	dims []int64
}

// source is the operand as a program takes it.
func (o operand) source() data.Source {
	return data.FromBytes("bench", []data.Column{{Kind: o.kind, Stored: o.kind.String(), Dims: o.dims}}, o.rows, [][]byte{o.data}, nil)
}

// first is the first rows of the operand.
func (o operand) first(rows int64) operand {
	o.data = o.data[:rows*(int64(len(o.data))/o.rows)]
	o.rows = rows
	return o
}

// random makes an operand of numbers that are uniform in [-1, 1).
func (m *memory) random(kind num.Kind, seed uint64, rows int64, dims ...int64) (operand, error) {
	n := rows
	for _, d := range dims {
		n *= d
	}
	off, b, err := m.alloc(n * int64(kind.Size()))
	if err != nil {
		return operand{}, err
	}
	o := operand{vector: vector{kind: kind, data: b}, off: off, rows: rows, dims: dims}
	r := generate.NewRandom(seed)
	switch kind {
	case num.F32:
		for i, x := 0, view[float32](b); i < len(x); i++ {
			x[i] = float32(2*r.Float() - 1)
		}
	case num.F64:
		for i, x := 0, view[float64](b); i < len(x); i++ {
			x[i] = 2*r.Float() - 1
		}
	default:
		return o, fmt.Errorf("expected f32 or f64 to fill, found %s", kind)
	}
	return o, nil
}
