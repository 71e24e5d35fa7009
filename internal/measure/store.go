package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// store measures how fast a file becomes a data set with two replicas on the disks of two nodes of this
// machine: against two copies of the file that are on the disk, and against the file sent to two receivers
// that put it there.
func store(ctx context.Context, s *session) error {
	n := int64(100_000_000)
	if s.opt.Quick {
		n = 8_000_000
	}
	f, err := s.startFleet(ctx, 2, "--memory=false")
	if err != nil {
		return err
	}
	defer f.close()
	a, err := s.generate(ctx, "v", num.F64, n, 1)
	if err != nil {
		return err
	}
	to, err := f.sender()
	if err != nil {
		return err
	}
	defer to.close()
	paths := []string{s.path("copy1"), s.path("copy2")}
	c := Contest{
		Name: fmt.Sprintf("store %d MB, two replicas", 8*n/1_000_000), Unit: "GB/s", Bytes: 2 * 8 * n, Limit: unknown,
		Ours: func(ctx context.Context) (time.Duration, []float64, error) { return f.store(ctx, a.path, n) },
	}
	c.Against = "two copies, synced"
	c.Reference = func(context.Context) (time.Duration, []float64, error) { return copies(a.path, paths) }
	if err := s.holdFew(ctx, c); err != nil {
		return err
	}
	c.Against = "sent to two over mTLS, synced"
	c.Reference = func(ctx context.Context) (time.Duration, []float64, error) { return to.sent(ctx, a.path, paths) }
	return s.holdFew(ctx, c)
}

// store loads a file, and drops it out of the time.
func (f *fleet) store(ctx context.Context, path string, rows int64) (took time.Duration, _ []float64, err error) {
	src, err := data.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer src.Close()
	start := time.Now()
	l, err := f.c.Load(ctx, src, "v", cluster.LoadOptions{Shards: 4, Replicas: 2})
	if err != nil {
		return 0, nil, err
	}
	took = time.Since(start)
	if l.Rows != rows {
		return 0, nil, fmt.Errorf("%d rows were stored of %d", l.Rows, rows)
	}
	return took, nil, f.c.Drop(ctx, "v")
}

// copies makes copies of a file, each on the disk before the next, and removes them out of the time.
func copies(from string, to []string) (time.Duration, []float64, error) {
	start := time.Now()
	for _, t := range to {
		if err := copied(from, t); err != nil {
			return 0, nil, err
		}
	}
	took := time.Since(start)
	var errs []error
	for _, t := range to {
		errs = append(errs, os.Remove(t))
	}
	return took, nil, errors.Join(errs...)
}

func copied(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
