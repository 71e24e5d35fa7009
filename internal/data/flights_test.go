package data

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// BenchmarkParquetFile decodes two columns of the file named by
// GODWIT_BENCH_PARQUET on two goroutines.
func BenchmarkParquetFile(b *testing.B) {
	path := os.Getenv("GODWIT_BENCH_PARQUET")
	if path == "" {
		b.Skip("GODWIT_BENCH_PARQUET is not set")
	}
	src, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var wants []Want
	for _, n := range []string{"delay", "distance"} {
		i, err := Lookup(src, n)
		if err != nil {
			b.Fatal(err)
		}
		wants = append(wants, Want{Column: i, Kind: num.I16})
	}
	dst := make([][]byte, len(wants))
	for i := range dst {
		dst[i] = make([]byte, src.Rows()*2)
	}
	for b.Loop() {
		var wg sync.WaitGroup
		for t := range 2 {
			wg.Go(func() {
				for i := t; i < len(src.Chunks()); i += 2 {
					c := src.Chunks()[i]
					d := []Dest{{Values: dst[0][c.Lo*2 : c.Hi*2]}, {Values: dst[1][c.Lo*2 : c.Hi*2]}}
					if _, err := src.Fill(context.Background(), i, wants, d); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
}
