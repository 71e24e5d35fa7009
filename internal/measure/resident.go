package measure

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// residents hold arrays in the memory that kernels work in, where a run
// takes them as they are.
type residents struct {
	eng   *engine.Engine
	spans []mem.Span
}

func newResidents(opt engine.Options) (*residents, error) {
	e, err := engine.New(opt)
	return &residents{eng: e}, err
}

func (r *residents) close() { r.eng.Close() }

// load copies an array from its file.
func (r *residents) load(a array) (data.Source, error) {
	skip, more := mem.Stagger(a.bytes) // as memory of results has
	span, b, err := r.eng.Alloc(a.bytes + more)
	if err != nil {
		return nil, err
	}
	b = b[skip:][:a.bytes]
	r.spans = append(r.spans, span)
	if err := a.read(b); err != nil {
		return nil, err
	}
	return data.FromBytes(a.path, []data.Column{{Kind: a.kind, Stored: a.kind.String()}}, a.n, [][]byte{b}, nil), nil
}

// drop frees all arrays.
func (r *residents) drop() {
	for _, s := range r.spans {
		r.eng.Arena().Free(s)
	}
	r.spans = nil
}

// runner runs the only function of a program over resident arrays; it times
// what godwit.Func.Call does. A result that is an array of f32 is compared
// by its checksum. With again each run takes the result's memory of the one before.
func (r *residents) runner(source string, args compile.Args, threads int, again bool) (Runner, error) {
	p, err := compile.Check(diag.NewSource("bench.gw", source))
	if err != nil {
		return nil, err
	}
	f, err := p.Func("")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (time.Duration, []float64, error) {
		start := time.Now()
		b, err := f.Bind(args)
		if err != nil {
			return 0, nil, err
		}
		defer b.Close()
		plan, err := b.Plan()
		if err != nil {
			return 0, nil, err
		}
		res, err := plan.Program.Run(ctx, plan.Inputs, run.Options{Threads: threads, Engine: r.eng})
		d := time.Since(start)
		if err != nil {
			return d, nil, err
		}
		if again {
			defer res.Close() // the next result takes its pages
		}
		c := res.Columns[0]
		if len(c.Dims) > 0 {
			return d, []float64{weighted(view[float32](c.Data))}, nil
		}
		bits, _ := num.Convert(c.Kind, num.F64, c.At(0))
		return d, []float64{num.ToFloat(num.F64, bits)}, nil
	}, nil
}

// weighted is the sum by which the C reference tells whether every element
// is right and in its place.
func weighted(xs []float32) float64 {
	total := 0.0
	for i, x := range xs {
		total += float64(x) * float64(i%61+1)
	}
	return total
}

// read fills b with the array's elements.
func (a array) read(b []byte) error {
	f, err := os.Open(a.path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(io.NewSectionReader(f, a.offset, a.bytes), b)
	return err
}
