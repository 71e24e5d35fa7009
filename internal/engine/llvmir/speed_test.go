package llvmir

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestSpeed(t *testing.T) {
	if os.Getenv("SPEED") == "" {
		t.Skip()
	}
	back := newBackend(t, 64)
	for _, name := range []string{"fused", "apart"} {
		k := fusedProduct(t)
		if name == "apart" {
			k = parse(t, "matmul")
		}
		n, err := back.compile(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []int64{512, 2048} {
			l := n.load(t, caseOf(k, []int64{s, s / 16, s, s}, s/16))
			best := time.Hour
			for range 6 + 20*(1024/s) {
				if d := timed(1, func() { l.run(0, s/16) }); d < best {
					best = d
				}
			}
			fmt.Printf("%s %d: %v %.1f GFLOP/s\n", name, s, best, 2*float64(s*s*s)/float64(best))
		}
	}
}
