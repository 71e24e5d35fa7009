package daemon

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// keeper has leaves of four slots, of which each keeps its number once, and says that it has
// kept COUNT.
const keeper = `
kernel
size s0 0..1000000
size s1 0..1000000
region write i64 4*s0
region write i64 s0
sites 0
outer s0
grain 4
count s1
body o lo hi
  four = const i64 4
  at = mul i64 o four
  store r0 at o
  three = const i64 3
  last = add i64 at three
  store r0 last o
  n = const i64 COUNT
  store r1 o n
  end`

func keepTask(most int64) *parcel.Task {
	return &parcel.Task{Sizes: []int64{100, 400}, Lo: 10, Hi: 60, Keep: &parcel.Keep{Counts: 1, Most: most},
		Operands: []parcel.Operand{{How: parcel.Out, First: 40, Count: 200}, {How: parcel.Out, First: 10, Count: 50}}}
}

func computed(t *testing.T, d *Daemon, count string, task *parcel.Task) (*parcel.Answer, error) {
	t.Helper()
	k, err := kernel.ParseText(strings.ReplaceAll(keeper, "COUNT", count))
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.eng.Kernel(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return d.compute(t.Context(), &node.Compute{ID: c.Hash, Task: task})
}

// TestKept: an answer has what the first outer indices keep, of one at least, and no more bytes
// than are taken.
func TestKept(t *testing.T) {
	d, _ := rigged(t)
	d.metrics = newMetrics(d)
	for _, c := range []struct{ most, end int64 }{{0, 11}, {8, 11}, {80, 20}, {87, 20}, {50 * 8, 60}, {1 << 40, 60}} {
		a, err := computed(t, d, "1", keepTask(c.most))
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for o := int64(10); o < c.end; o++ {
			want = append(want, uint64(o))
		}
		n := c.end - 10
		if !bytes.Equal(a.Columns[0], words(want...)) || !bytes.Equal(a.Columns[1], words(uint64(n))) ||
			a.Extents[0] != (parcel.Extent{First: 40, Count: n}) || a.Extents[1] != (parcel.Extent{First: 10, Count: n}) {
			t.Errorf("up to %d bytes: %d bytes and %x came back, of %v; expected outer indices 10 to %d", c.most, len(a.Columns[0]), a.Columns[1], a.Extents, c.end)
		}
	}
}

// TestHostileKeeps: what a kernel says that it has kept is not believed, and neither is what the
// task says of its operands.
func TestHostileKeeps(t *testing.T) {
	d, _ := rigged(t)
	d.metrics = newMetrics(d)
	for name, c := range map[string]struct {
		count string
		edit  func(*parcel.Task)
	}{
		"more than there are":     {"5", func(*parcel.Task) {}},
		"less than nothing":       {"-1", func(*parcel.Task) {}},
		"2^62":                    {"4611686018427387904", func(*parcel.Task) {}},
		"elements for counts":     {"1", func(t *parcel.Task) { t.Keep.Counts = 0 }},
		"nothing to do":           {"1", func(t *parcel.Task) { t.Lo = t.Hi }},
		"outer indices too many":  {"1", func(t *parcel.Task) { t.Hi = 1 << 40 }},
		"what is both in and out": {"1", func(t *parcel.Task) { t.Operands[0] = parcel.Operand{How: parcel.InOut, Bytes: make([]byte, 3200)} }},
		"a size too few":          {"1", func(t *parcel.Task) { t.Sizes = t.Sizes[:1] }},
	} {
		task := keepTask(1 << 20)
		c.edit(task)
		if a, err := computed(t, d, c.count, task); err == nil {
			t.Errorf("%s: %v came back", name, a.Extents)
		} else if w := (*node.WorkError)(nil); errors.As(err, &w) && w.Reason != parcel.Refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
