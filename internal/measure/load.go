package measure

import (
	"context"
	"os"

	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// array is a generated NPY file.
type array struct {
	region
	kind num.Kind
	n    int64
}

// generate makes an array of n random numbers, and has it on the disk before
// anything is measured.
func (s *session) generate(ctx context.Context, name string, k num.Kind, n int64, seed uint64) (a array, err error) {
	s.progress("generating %s", name)
	path := s.path(name + ".npy")
	if err := generate.NPY(ctx, path, k, []int64{n}, seed); err != nil {
		return a, err
	}
	if err := toDisk(path); err != nil {
		return a, err
	}
	r, err := column(path, "")
	return array{r, k, n}, err
}

// toDisk waits until a file is on the disk, so that writing it does not
// disturb what follows.
func toDisk(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// load reads an array into a slice of Go.
func load[T float32 | float64](a array) ([]T, error) {
	b := make([]byte, a.bytes)
	return view[T](b), a.read(b)
}
