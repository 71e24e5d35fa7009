package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"unsafe"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a program and a size. Out: its arguments, the same for the same size whenever they are made.

// seed makes all sets of arguments the same.
const seed = 20_261_124

// Arguments makes the arguments for a size.
func (p *Program) Arguments(n int64) (godwit.Args, error) {
	m := &making{sizes: map[string]int64{"N": n}, random: rand.New(rand.NewPCG(seed, uint64(n)))}
	for _, d := range p.derived {
		m.sizes[d.name] = d.of(n)
	}
	args := godwit.Args{}
	for i := range p.params {
		a := &p.params[i]
		v, err := m.argument(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", p.Name, a.name, err)
		}
		args[a.name] = v
	}
	return args, nil
}

// Less is the size N for which the largest argument has so many times fewer elements.
func (p *Program) Less(n, by int64) int64 {
	power := 1
	for _, a := range p.params {
		in := 0
		for _, d := range a.dims {
			if d == "N" {
				in++
			}
		}
		power = max(power, in)
	}
	return int64(math.Round(float64(n) / math.Pow(float64(by), 1/float64(power))))
}

// of is the size for N = n; at least 1.
func (d *derived) of(n int64) int64 {
	switch d.op {
	case "*":
		return n * d.by
	case "/":
		return max(1, n/d.by)
	case "+":
		return n + d.by
	}
	return d.by
}

// making makes arguments.
type making struct {
	sizes  map[string]int64
	random *rand.Rand
}

func (m *making) size(word string) (int64, error) {
	if n, ok := m.sizes[word]; ok {
		return n, nil
	}
	return number(word)
}

func (m *making) argument(a *param) (any, error) {
	switch a.kind {
	case "bool":
		return filled(m, a, func() bool { return m.random.IntN(2) == 1 }, nil)
	case "u8":
		return integers[uint8](m, a)
	case "i16":
		return integers[int16](m, a)
	case "i32":
		return integers[int32](m, a)
	case "u32", "idx":
		return integers[uint32](m, a)
	case "i64":
		return integers[int64](m, a)
	case "u64":
		return integers[uint64](m, a)
	case "f32":
		return floats[float32](m, a)
	case "f64":
		return floats[float64](m, a)
	}
	return nil, fmt.Errorf("there is no kind %s", a.kind)
}

// element is what arrays are made of here.
type element interface {
	bool | uint8 | int16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

type integer interface {
	uint8 | int16 | int32 | uint32 | int64 | uint64
}

// operands are those of a generator, as numbers.
func operands(how []string, n int) ([]float64, error) {
	if len(how) != n+1 {
		return nil, fmt.Errorf("%s has %d operands, not %d", how[0], len(how)-1, n)
	}
	out := make([]float64, n)
	for i := range out {
		var err error
		if out[i], err = strconv.ParseFloat(how[i+1], 64); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func integers[T integer](m *making, a *param) (any, error) {
	if a.dims == nil {
		v, err := number(a.how[0])
		return T(v), err
	}
	switch a.how[0] {
	case "uniform":
		o, err := operands(a.how, 2)
		if err != nil {
			return nil, err
		}
		return filled(m, a, func() T { return T(int64(o[0]) + m.random.Int64N(int64(o[1]-o[0])+1)) }, nil)
	case "sorted":
		return filled(m, a, func() T { return T(m.random.Int64N(1_000_000_000)) }, func(x []T) { slices.Sort(x) })
	case "cycle": // goes through all places before it comes back: Sattolo's
		return filled(m, a, func() T { return 0 }, func(x []T) {
			for i := range x {
				x[i] = T(i)
			}
			for i := len(x) - 1; i > 0; i-- {
				j := m.random.IntN(i)
				x[i], x[j] = x[j], x[i]
			}
		})
	}
	below, err := m.size(a.how[len(a.how)-1])
	if err != nil {
		return nil, err
	}
	switch a.how[0] {
	case "below":
		return filled(m, a, func() T { return T(m.random.Int64N(below)) }, nil)
	case "offsets": // of rows in so many elements, from 0 on
		return filled(m, a, func() T { return T(m.random.Int64N(below + 1)) }, func(x []T) {
			x[0], x[len(x)-1] = 0, T(below)
			slices.Sort(x)
		})
	}
	return nil, fmt.Errorf("there is no generator %s", a.how[0])
}

func floats[T float32 | float64](m *making, a *param) (any, error) {
	if a.dims == nil {
		v, err := strconv.ParseFloat(a.how[0], 64)
		return T(v), err
	}
	switch a.how[0] {
	case "uniform":
		o, err := operands(a.how, 2)
		if err != nil {
			return nil, err
		}
		return filled(m, a, func() T { return T(o[0] + (o[1]-o[0])*m.random.Float64()) }, nil)
	case "diagonal": // a symmetric matrix that is positive definite, since its diagonal outweighs the rest
		return filled(m, a, func() T { return T(m.random.Float64()) }, func(x []T) {
			n := int(m.sizes["N"])
			for i := range n {
				for j := range i {
					x[i*n+j] = x[j*n+i]
				}
				x[i*n+i] = T(n)
			}
		})
	}
	return nil, fmt.Errorf("there is no generator %s", a.how[0])
}

// filled is a slice, or, of several dimensions, a source of rows.
func filled[T element](m *making, a *param, next func() T, finish func(x []T)) (any, error) {
	n, dims := int64(1), []int64(nil)
	for i, d := range a.dims {
		k, err := m.size(d)
		if err != nil {
			return nil, err
		}
		if n *= k; i > 0 {
			dims = append(dims, k)
		}
	}
	x := make([]T, n)
	for i := range x {
		x[i] = next()
	}
	if finish != nil {
		finish(x)
	}
	if dims == nil {
		return x, nil
	}
	k, ok := num.ParseKind(a.kind)
	if !ok {
		return nil, fmt.Errorf("there are no rows of %s", a.kind)
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
	return data.FromBytes(a.name, []data.Column{{Kind: k, Stored: a.kind, Dims: dims}}, m.sizes0(a), [][]byte{b}, nil), nil
}

// sizes0 is the first dimension of an argument.
func (m *making) sizes0(a *param) int64 {
	n, _ := m.size(a.dims[0])
	return n
}
