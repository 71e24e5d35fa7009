package run

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/godwit-run/godwit/engine"
	"github.com/godwit-run/godwit/num"
)

func TestZZWindows(t *testing.T) {
	path := os.Getenv("GODWIT_NPY")
	if path == "" {
		t.Skip()
	}
	src := open(t, path)
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	in := columns(int(src.Rows()), Column(src, 0))
	p := sumPlan(num.F32, leaf)
	best := map[string]float64{}
	for range 12 {
		for _, th := range []int{1, 2} {
			for _, kb := range []int64{64, 128, 256, 512, 1024} {
				start := time.Now()
				mustRun(t, p, in, Options{Engine: e, Threads: th, WindowRows: kb << 8})
				d := float64(src.Rows()*4) / time.Since(start).Seconds() / 1e9
				k := fmt.Sprintf("T%d %4dK", th, kb)
				best[k] = max(best[k], d)
			}
		}
	}
	for _, th := range []int{1, 2} {
		for _, kb := range []int64{64, 128, 256, 512, 1024} {
			k := fmt.Sprintf("T%d %4dK", th, kb)
			fmt.Println(k, best[k])
		}
	}
}
