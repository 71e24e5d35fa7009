package measure

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// function compiles the only function of a program.
func function(source string) (*godwit.Func, error) {
	p, err := godwit.Compile(source)
	if err != nil {
		return nil, err
	}
	return p.Func("")
}

// Call makes a runner of a call; read takes the result apart, out of the
// time.
func Call(f *godwit.Func, args godwit.Args, read func(*godwit.Result) ([]float64, error), opts ...godwit.Option) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		start := time.Now()
		res, err := f.Call(ctx, args, opts...)
		d := time.Since(start)
		if err != nil {
			return d, nil, err
		}
		x, err := read(res)
		return d, x, err
	}
}

// number reads a result that is one number.
func number(res *godwit.Result) ([]float64, error) {
	x, err := res.Float64()
	return []float64{x}, err
}

// numbers reads a result that is an array of f64.
func numbers(res *godwit.Result) ([]float64, error) { return godwit.As[[]float64](res) }

// view is memory as a slice of numbers.
func view[T float32 | float64](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// column is where a column's values lie in a file.
func column(path, name string) (r region, err error) {
	src, err := data.Open(path)
	if err != nil {
		return r, err
	}
	defer src.Close()
	for i, c := range src.Columns() {
		if c.Name != name {
			continue
		}
		raw, ok := src.Raw(i)
		if !ok {
			break
		}
		return region{path: path, offset: raw.Offset, bytes: raw.Length}, nil
	}
	return r, fmt.Errorf("%s has no uncompressed column %q", path, name)
}
