package llvmir

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Random loops that store to a region and load from it at other places, which may
// be those that turns before or after touch.

// Elements of the regions: a turn below 80 touches places up to 2·80 above a row.
const (
	walkTurns   = 80
	walkRow     = 40 // a place in the region is at most this, before the turn is added
	walkLength  = 3*walkTurns + 2*walkRow
	walkScalars = 3
)

// walk draws such a kernel.
type walk struct {
	t      *rapid.T
	b      *kernel.Builder
	kind   num.Kind
	values []kernel.Value
	rows   []kernel.Value
	first  kernel.Value
}

func (w *walk) pick(n int, label string) int { return rapid.IntRange(0, n-1).Draw(w.t, label) }

// place is a row and a constant, and a multiple of the turn.
func (w *walk) place(i kernel.Value, turns ...int64) kernel.Value {
	v := w.b.Wrap(num.Add, w.rows[w.pick(len(w.rows), "row")], w.b.Int(2+int64(w.pick(5, "off"))))
	switch turns[w.pick(len(turns), "step")] {
	case 1:
		v = w.b.Wrap(num.Add, v, i)
	case 2:
		v = w.b.Wrap(num.Add, w.b.Wrap(num.Mul, i, w.b.Int(2)), v)
	case -1:
		v = w.b.Wrap(num.Sub, w.b.Wrap(num.Add, v, w.b.Int(walkTurns)), i)
	}
	return v
}

func (w *walk) value() kernel.Value {
	if len(w.values) == 0 {
		return w.b.Const(w.kind, 1)
	}
	return w.values[len(w.values)-1-w.pick(min(len(w.values), 3), "value")]
}

func (w *walk) load(region int, at kernel.Value) {
	w.values = append(w.values, w.b.Load(region, at))
}

// operation combines two values.
func (w *walk) operation(i kernel.Value) {
	ops := []num.Op{num.Add, num.Sub, num.Min, num.Max}
	if w.kind == num.Bool {
		ops = []num.Op{num.And, num.Or, num.Xor}
	}
	if w.kind.IsInt() && w.pick(3, "checked") == 2 {
		w.b.Site, w.b.At = w.pick(2, "site"), i
	}
	w.values = append(w.values, w.b.Checked(ops[w.pick(len(ops), "op")], w.value(), w.value()))
	w.b.Site, w.b.At = kernel.NoSite, kernel.None
}

// even goes from one element to the next, beside elements that stay.
func (w *walk) even(i kernel.Value) {
	for range 1 + w.pick(2, "accesses") {
		for range 1 + w.pick(2, "loads") {
			w.load(w.pick(4, "region")/3, w.place(i, 1, 1, 0))
		}
		w.operation(i)
		w.b.Store(0, w.place(i, 1), w.value())
	}
}

// chain loads what it stored some turns before.
func (w *walk) chain(i kernel.Value) {
	at := w.place(i, 1, 1, 2, -1)
	for range 1 + w.pick(2, "loads") {
		w.load(0, w.b.Wrap(num.Add, at, w.b.Int(int64(w.pick(5, "back"))-2)))
		w.operation(i)
	}
	if w.pick(6, "another store") == 0 {
		w.b.Store(0, w.place(i, 1, 2, 0), w.value())
	}
	w.b.Store(0, at, w.value())
}

// any touches places of any kind.
func (w *walk) any(i kernel.Value) {
	for range 1 + w.pick(3, "accesses") {
		w.load(w.pick(2, "region"), w.place(i, 1, 1, 0, 2, -1))
		w.operation(i)
		w.b.Store(0, w.place(i, 1, 1, 1, 0, 2, -1), w.value())
	}
}

func (w *walk) loop() {
	before := w.values
	body := []func(kernel.Value){w.even, w.chain, w.any}[w.pick(3, "style")]
	var carry []kernel.Carry
	var init []kernel.Value
	if w.kind != num.Bool && w.pick(4, "carries") == 0 {
		body = w.carry
		for range 1 + w.pick(2, "carried") {
			carry, init = append(carry, kernel.Carry{Kind: w.kind}), append(init, w.value())
		}
	}
	results := w.b.For(w.first, w.b.SizeOf(kernel.SizeVar(0)), carry, init, func(i kernel.Value, c []kernel.Value) (next []kernel.Value, stop kernel.Value) {
		body(i)
		for _, v := range c {
			next = append(next, w.carried(i, v, append(next, c...)))
		}
		return next, kernel.None
	})
	w.values = append(before[:len(before):len(before)], results...)
}

// carry only loads, or nearly so.
func (w *walk) carry(i kernel.Value) {
	for range 1 + w.pick(2, "loads") {
		w.load(w.pick(2, "region"), w.place(i, 1, 1, 1, 0, 2))
	}
	if w.pick(2, "computes") == 0 {
		w.operation(i)
	}
}

// carried is what the next turn gets: mostly the greater of two or the like, now
// and then what depends on the order of the turns.
func (w *walk) carried(i, v kernel.Value, others []kernel.Value) kernel.Value {
	x := w.value()
	switch w.pick(10, "twist") {
	case 0:
		x = others[w.pick(len(others), "other")]
	case 1:
		w.b.Store(0, w.place(i, 1), v)
	case 2:
		v = w.b.Wrap(num.Sub, x, v)
	case 3:
		if w.kind.IsInt() {
			w.b.Site, w.b.At = 0, i
		}
	}
	ops := []num.Op{num.Min, num.Max, num.Add}
	r := w.b.Checked(ops[w.pick(len(ops), "carried by")], v, x)
	w.b.Site, w.b.At = kernel.NoSite, kernel.None
	return r
}

func drawWalk(t *rapid.T) *kerneltest.Case {
	kind := rapid.SampledFrom(kerneltest.Kinds()).Draw(t, "kind")
	k := &kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: walkTurns}}, Outer: size.Const(1), Grain: size.Const(1), Count: size.Const(1), Sites: 2,
		Regions: []kernel.Region{
			{Elem: kind, Len: size.Const(walkLength), Access: kernel.ReadWrite},
			{Elem: kind, Len: size.Const(walkLength)},
		},
	}
	c := &kerneltest.Case{Name: "walk", Kernel: k, Outer: 1, Sizes: []int64{rapid.Int64Range(0, walkTurns).Draw(t, "turns")}}
	for range walkScalars {
		k.Scalars = append(k.Scalars, kernel.Scalar{Kind: num.I64, Lo: 1, Hi: walkRow - 10})
		c.Scalars = append(c.Scalars, uint64(rapid.SampledFrom([]int64{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, walkRow - 10}).Draw(t, "row")))
	}
	w := &walk{t: t, kind: kind}
	w.b, _, _, _ = kernel.NewBuilder(k)
	w.b.Site, w.b.At = kernel.NoSite, kernel.None
	for i := range k.Scalars {
		w.rows = append(w.rows, w.b.ScalarArg(i))
	}
	w.first = w.b.Int(int64(w.pick(3, "from")))
	if w.pick(3, "from a row") == 0 {
		w.first = w.rows[0]
	}
	for range 1 + w.pick(2, "loops") {
		w.loop()
	}
	for i, v := range w.values { // what was carried out
		w.b.Store(0, w.b.Int(walkLength-1-int64(i)), v)
	}
	kernel.Renumber(k)
	rng := rand.New(rand.NewPCG(1, uint64(w.pick(1000, "elements"))))
	for range k.Regions {
		var b []byte
		for range walkLength {
			v := num.FromFloat(kind, float64(rng.IntN(7)))
			if rng.IntN(60) == 0 {
				v = kerneltest.Edges(kind)[rng.IntN(len(kerneltest.Edges(kind)))]
			}
			for range kind.Size() {
				b, v = append(b, byte(v)), v>>8
			}
		}
		c.Regions = append(c.Regions, b)
	}
	return c
}

func TestRandomWalks(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		rapid.Check(t, func(r *rapid.T) {
			c := drawWalk(r)
			b.lanes = rapid.SampledFrom([]int{2, 4, maxLanes}).Draw(r, "lanes")
			if err := b.agree(t, c); err != nil {
				r.Fatalf("%v\n%s", err, kernel.Text(c.Kernel))
			}
		})
	})
}
