package main

import (
	"math"
	"time"
	"unsafe"

	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

// scalar is the f64 at the start of memory.
func scalar(b []byte) vector { return vector{kind: num.F64, data: b[:8]} }

// bandwidth is how many GB/s so many threads read of an operand, at best.
func (b *bench) bandwidth(threads int, x operand) (measure.Number, error) {
	d, err := b.best("touch", threads, work{x: x.data, out: make([]byte, 8), n: int64(len(x.data)) / 8})
	return measure.Number(float64(len(x.data)) / d / 1e9), err
}

// peak is how many 10⁹ operations on f32 a second so many threads do in
// registers, at best: multiplications and additions, fused or apart.
func (b *bench) peak(op string, threads int) (measure.Number, error) {
	out := make([]byte, 8)
	d, err := b.best(op, threads, work{out: out, n: 1 << 22})
	return measure.Number(*(*float64)(unsafe.Pointer(&out[0])) / d / 1e9), err
}

// best is the least time that any form of an operation takes, in seconds; not a
// number without a C compiler.
func (b *bench) best(op string, threads int, w work) (float64, error) {
	least := math.NaN()
	for _, f := range b.peer.of(op) {
		d, err := shortest(6, func() (time.Duration, error) { return b.peer.time(f, threads, w) })
		if err != nil {
			return 0, err
		}
		if !(d.Seconds() >= least) {
			least = d.Seconds()
		}
	}
	return least, nil
}
