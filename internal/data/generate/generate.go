// Package generate writes large seeded inputs for benchmarks and tests, as
// streams in little memory; a permutation is in memory once.
package generate

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Random is a seeded stream of numbers (splitmix64): the same seed gives the
// same file everywhere.
type Random struct{ state uint64 }

// NewRandom starts a stream.
func NewRandom(seed uint64) *Random { return &Random{seed} }

// Next is the next 64 random bits.
func (r *Random) Next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Float is uniform in [0, 1).
func (r *Random) Float() float64 { return float64(r.Next()>>11) / (1 << 53) }

// NPY writes an array of the given kind and shape. Floats are uniform in
// [-1, 1), integers in [0, 2^20) as far as the kind allows.
func NPY(ctx context.Context, path string, k num.Kind, shape []int64, seed uint64) error {
	descr, ok := descrs[k]
	if !ok {
		return fmt.Errorf("generate: no NPY type for %s", k)
	}
	return atomically(ctx, path, func(w *bufio.Writer) error {
		dims := make([]string, len(shape))
		total := int64(1)
		for i, d := range shape {
			dims[i] = fmt.Sprint(d)
			total *= d
		}
		writeHeader(w, descr, strings.Join(dims, ", ")+",")
		return writeValues(w, k, total, NewRandom(seed))
	})
}

var descrs = map[num.Kind]string{num.F32: "<f4", num.F64: "<f8", num.I8: "|i1", num.I16: "<i2", num.I32: "<i4",
	num.I64: "<i8", num.U8: "|u1", num.U16: "<u2", num.U32: "<u4", num.U64: "<u8", num.Bool: "|b1"}

func writeHeader(w *bufio.Writer, descr, shape string) {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	head += strings.Repeat(" ", 63-(len(head)+10)%64) + "\n"
	_, _ = w.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(w, binary.LittleEndian, uint16(len(head)))
	_, _ = w.WriteString(head) // a failed write shows at the flush
}

func writeValues(w *bufio.Writer, k num.Kind, n int64, r *Random) error {
	var b [8]byte
	for range n {
		binary.LittleEndian.PutUint64(b[:], draw(k, r))
		if _, err := w.Write(b[:k.Size()]); err != nil {
			return err
		}
	}
	return nil
}

func draw(k num.Kind, r *Random) uint64 {
	switch {
	case k == num.F32:
		return uint64(math.Float32bits(float32(2*r.Float() - 1)))
	case k == num.F64:
		return math.Float64bits(2*r.Float() - 1)
	case k == num.Bool:
		return r.Next() & 1
	}
	return r.Next() & min(1<<20-1, k.MaxInt())
}

// Permutation writes an NPY of n u32 that form one cycle: following
// i = next[i] from anywhere visits everything (Sattolo's shuffle). It takes 4n bytes of memory.
// More than 2^32 indices, and more than fit into memory, are an error.
func Permutation(ctx context.Context, path string, n int64, seed uint64) error {
	if n > 1<<32 {
		return fmt.Errorf("generate %s: a cycle has at most 4294967296 indices of four bytes, not %d", path, n)
	}
	if have := mem.Available(); 4*n > have {
		return fmt.Errorf("generate %s: a cycle of %d indices is made in memory, in %d MiB of it; the machine has %d MiB left", path, n, 4*n>>20, have>>20)
	}
	next := make([]uint32, n)
	for i := range next {
		next[i] = uint32(i)
	}
	r := NewRandom(seed)
	for i := len(next) - 1; i > 0; i-- {
		if i%(1<<20) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := int(r.Next() % uint64(i))
		next[i], next[j] = next[j], next[i]
	}
	return atomically(ctx, path, func(w *bufio.Writer) error {
		writeHeader(w, "<u4", fmt.Sprintf("%d,", n))
		var some []byte
		for block := range slices.Chunk(next, 1<<16) {
			some = some[:0]
			for _, i := range block {
				some = binary.LittleEndian.AppendUint32(some, i)
			}
			if _, err := w.Write(some); err != nil {
				return err
			}
		}
		return nil
	})
}

// until writes as long as its context lasts.
type until struct {
	ctx context.Context
	io.Writer
}

func (u until) Write(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.Writer.Write(b)
}

// atomically writes a file under a temporary name and renames it when it is
// whole. It stops when ctx ends.
func atomically(ctx context.Context, path string, fill func(*bufio.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".generate-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(until{ctx, f}, 1<<20)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("generate %s: %w", path, err)
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
