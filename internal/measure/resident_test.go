package measure

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// BenchmarkResident is for profiles: sums over memory that kernels can reach,
// on one thread.
func BenchmarkResident(b *testing.B) {
	s := &session{dir: b.TempDir(), report: &Report{}}
	x, err := s.generate(context.Background(), "x", num.F32, 1<<24, 1)
	if err != nil {
		b.Fatal(err)
	}
	held, err := newResidents(engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer held.close()
	src, err := held.load(x)
	if err != nil {
		b.Fatal(err)
	}
	for _, op := range []operation{sumF32, filteredF32, softmaxF32} {
		b.Run(op.name, func(b *testing.B) {
			run, err := held.runner(op.source, compile.Args{"x": compile.Table{Source: src}}, 1, false)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(x.bytes)
			for b.Loop() {
				if _, _, err := run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
