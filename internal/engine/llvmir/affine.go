package llvmir

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// sumText writes a sum, in turn i.
func (e *emitter) sumText(a loops.Sum, i string) string {
	sum := typ{num.I64, 1}.constant(uint64(a.C))
	add := func(x string, times int64) {
		switch {
		case times == 0:
			return
		case times == -1:
			sum = e.set("sub i64 %s, %s", sum, x)
			return
		case times != 1:
			x = e.set("mul i64 %s, %d", x, times)
		}
		if sum == "0" {
			sum = x
			return
		}
		sum = e.set("add i64 %s, %s", sum, x)
	}
	for _, v := range slices.Sorted(maps.Keys(a.Terms)) {
		add(e.scalar(v), a.Terms[v])
	}
	add(i, a.Step)
	return sum
}
