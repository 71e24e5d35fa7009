package run

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/data"
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

func TestZZBest(t *testing.T) {
	if os.Getenv("GODWIT_NPY") == "" {
		t.Skip()
	}
	const n = 1 << 25
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	bind := func() Binding {
		_, mem, _ := e.Alloc(n * 8)
		for i := range n * 8 {
			mem[i] = byte(i * 7 >> 3 & 0x3f)
		}
		return Column(data.FromBytes("memory", []data.Column{{Kind: num.F64}}, n, [][]byte{mem}, nil), 0)
	}
	in := columns(n, bind(), bind())
	for _, per := range []int64{leaf, 16 * leaf} {
		p := &plan{}
		x, y := p.input(num.F64, varN, 0, 0), p.input(num.F64, varN, 1, 0)
		parts, total := p.buffer(num.F64, grains(varN, per)), p.buffer(num.F64, one)
		p.launch(dotKernel(num.F64, per), slots(varN, per), x, y, parts)
		p.launch(treeKernel(num.F64), slots(varN, per)[1:], parts, total)
		p.result(total)
		for _, th := range []int{1, 2} {
			best := time.Hour
			for range 30 {
				s := time.Now()
				mustRun(t, p, in, Options{Engine: e, Threads: th})
				best = min(best, time.Since(s))
			}
			fmt.Printf("dot per %d T%d best %.1f GB/s\n", per, th, n*16/best.Seconds()/1e9)
		}
	}
	src := open(t, os.Getenv("GODWIT_NPY"))
	in = columns(int(src.Rows()), Column(src, 0))
	for _, th := range []int{1, 2} {
		best := time.Hour
		for range 15 {
			s := time.Now()
			mustRun(t, sumPlan(num.F32, leaf), in, Options{Engine: e, Threads: th})
			best = min(best, time.Since(s))
		}
		fmt.Printf("sum T%d best %.1f GB/s\n", th, float64(src.Rows()*4)/best.Seconds()/1e9)
	}
}

func cpu() time.Duration {
	var ru syscall.Rusage
	_ = syscall.Getrusage(0, &ru)
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

func TestZZCPU(t *testing.T) {
	if os.Getenv("GODWIT_NPY") == "" {
		t.Skip()
	}
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	src := open(t, os.Getenv("GODWIT_NPY"))
	in := columns(int(src.Rows()), Column(src, 0))
	for _, kb := range []int64{0, 64, 128, 256, 1024} {
		for _, th := range []int{1, 2} {
			best := time.Hour
			for range 15 {
				s := cpu()
				mustRun(t, sumPlan(num.F32, leaf), in, Options{Engine: e, Threads: th, WindowRows: kb << 8})
				best = min(best, cpu()-s)
			}
			fmt.Printf("sum T%d %d KB best CPU %.1f GB/s\n", th, kb, float64(src.Rows()*4)/best.Seconds()/1e9)
		}
	}
}
