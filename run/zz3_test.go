package run

import (
	"testing"

	"github.com/godwit-run/godwit/num"
)

func BenchmarkZZOutside(b *testing.B) {
	for _, k := range []num.Kind{num.U8, num.U16, num.U32, num.I64} {
		b.Run(k.String(), func(b *testing.B) {
			buf := make([]byte, 1<<18)
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				if outside(buf, k, 100) >= 0 {
					b.Fatal()
				}
			}
		})
	}
}
