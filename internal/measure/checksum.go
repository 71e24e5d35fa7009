package measure

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// checksum measures what the checksums of a shard's blocks cost: a sum over a file in the
// page cache, as a node runs it, beside the same without checksums. In the first pass all
// blocks are compared, in later ones none.
func checksum(ctx context.Context, s *session) error {
	n := int64(1 << 28)
	if s.opt.Quick {
		n = 1 << 24
	}
	f := checkedFile{path: s.path("shard.arrow"), n: n}
	s.progress("writing %d MiB", n*4>>20)
	if err := f.write(); err != nil {
		return err
	}
	if err := s.checksums(ctx, f, "WebAssembly", engine.Options{}); err != nil {
		return err
	}
	service, err := s.codegen(ctx)
	if service == nil {
		return err
	}
	defer service.Close()
	return s.checksums(ctx, f, "native", engine.Options{Tier: engine.Native, Codegen: service})
}

// checksums compares passes over one file, as code of one kind.
func (s *session) checksums(ctx context.Context, f checkedFile, code string, opt engine.Options) error {
	held, err := newResidents(opt)
	if err != nil {
		return err
	}
	defer held.close()
	later, err := f.open(true)
	if err != nil {
		return err
	}
	defer later.Close()
	plain, err := f.open(false)
	if err != nil {
		return err
	}
	defer plain.Close()
	for _, t := range s.threads() {
		over := func(src data.Source) Runner {
			r, err := held.runner(sumF32.source, compile.Args{"x": compile.Table{Source: src}}, t, false)
			if err != nil {
				return func(context.Context) (time.Duration, []float64, error) { return 0, nil, err }
			}
			return r
		}
		anew := func(checked bool, clock func(Runner) Runner) Runner { // opens the file, out of the time
			return func(ctx context.Context) (time.Duration, []float64, error) {
				src, err := f.open(checked)
				if err != nil {
					return 0, nil, err
				}
				defer src.Close()
				return clock(over(src))(ctx)
			}
		}
		for _, c := range []Contest{
			{Name: "first pass", Ours: anew(true, wall), Reference: anew(false, wall)},
			{Name: "later passes", Ours: over(later), Reference: over(plain)},
			{Name: "first pass, processor time", Ours: anew(true, processor), Reference: anew(false, processor)},
			{Name: "later passes, processor time", Ours: processor(over(later)), Reference: processor(over(plain))},
		} {
			c.Name = fmt.Sprintf("sum f32, %s, %s, %s", code, c.Name, count(t))
			c.Against, c.Unit, c.Bytes, c.Limit = "no checksums", "GB/s", 4*f.n, unknown
			if err := s.hold(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// wall leaves a runner's time as it is.
func wall(r Runner) Runner { return r }

// processor has a runner give the processor time of the process instead, which other
// processes at work disturb less.
func processor(r Runner) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		before := processorTime()
		_, x, err := r(ctx)
		return processorTime() - before, x, err
	}
}

func processorTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // fails only for another first argument
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// checkedFile is a file with its checksums.
type checkedFile struct {
	path string
	n    int64
	sums data.Sums
}

// write makes the file and its sums.
func (f *checkedFile) write() error {
	values := make([]byte, 4*f.n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range f.n {
		binary.LittleEndian.PutUint32(values[4*i:], math.Float32bits(r.Float32()))
	}
	file, err := os.Create(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	sums := new(data.Summing)
	out := &data.Output{Rows: f.n, Columns: []data.OutColumn{{Name: "x", Kind: num.F32, Values: values}}}
	if err := data.WriteArrow(f.path, io.MultiWriter(file, sums), out); err != nil {
		return err
	}
	f.sums = sums.Sums()
	return nil
}

// open opens it, with nothing compared yet.
func (f *checkedFile) open(checked bool) (data.Source, error) {
	if !checked {
		return data.Open(f.path)
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	c, err := data.NewChecked(f.path, file, f.sums, nil)
	if err != nil {
		file.Close()
		return nil, err
	}
	return data.OpenChecked(f.path, file, c)
}
