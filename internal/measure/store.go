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
// machine, against two copies of the file that are on the disk.
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
	a, err := s.generate("v", num.F64, n, 1)
	if err != nil {
		return err
	}
	return s.holdFew(ctx, Contest{
		Name: fmt.Sprintf("store %d MB, two replicas", 8*n/1_000_000), Against: "two copies, synced", Unit: "GB/s", Bytes: 2 * 8 * n, Limit: unknown,
		Ours:      func(ctx context.Context) (time.Duration, []float64, error) { return f.store(ctx, a.path) },
		Reference: func(context.Context) (time.Duration, []float64, error) { return s.copies(a.path, n) },
	})
}

// store loads a file, and drops it out of the time.
func (f *fleet) store(ctx context.Context, path string) (took time.Duration, rows []float64, err error) {
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
	return took, []float64{float64(l.Rows)}, f.c.Drop(ctx, "v")
}

// copies makes two copies of a file, each on the disk before the next, and removes them out of the time.
func (s *session) copies(path string, rows int64) (time.Duration, []float64, error) {
	to := []string{s.path("copy1"), s.path("copy2")}
	start := time.Now()
	for _, t := range to {
		if err := copied(path, t); err != nil {
			return 0, nil, err
		}
	}
	took := time.Since(start)
	return took, []float64{float64(rows)}, errors.Join(os.Remove(to[0]), os.Remove(to[1]))
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
