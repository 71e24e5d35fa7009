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
		for _, q := range [][3]int64{{512, 512, 512}, {16, 512, 480}, {512, 512, 48}, {16, 4096, 480}, {512, 4096, 48}, {16, 2048, 480}, {512, 2048, 48}, {16, 2000, 480}, {512, 2000, 48}, {512, 1000, 480}, {512, 4000, 480}} {
			s := q[0]
			l := n.load(t, caseOf(k, []int64{s, s / 16, q[1], q[2]}, s/16))
			best := time.Hour
			for range 6 + 20*(1024/s) {
				if d := timed(1, func() { l.run(0, s/16) }); d < best {
					best = d
				}
			}
			fmt.Printf("%s %d: %v %.1f GFLOP/s\n", name, q, best, 2*float64(q[0]*q[1]*q[2])/float64(best))
		}
	}
}

func TestDump(t *testing.T) {
	if os.Getenv("DUMP") == "" {
		t.Skip()
	}
	back := newBackend(t, 64)
	text, err := Emit(fusedProduct(t), back.t)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(os.Getenv("DUMP"), []byte(text), 0o644)
}
