package difftest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// TestSumsByKey: sums that leave 64 bits on their way and come back are those of the interpreter, sums that stay outside are its fault,
// whether numbers have a sign or not, and however many groups there are.
func TestSumsByKey(t *testing.T) {
	f := &fleet{}
	defer f.close()
	most, least := uint64(math.MaxInt64), uint64(1)<<63
	for name, signs := range map[string][]uint64{
		"around zero":  {1, ^uint64(0), 2, ^uint64(1), 0},
		"far and back": {most, most, most, least, least, least, 3, ^uint64(3)},
		"too much":     {most, 1, most},
		"too little":   {least, ^uint64(0), least},
	} {
		for _, kind := range []string{"i64", "u64"} {
			for _, groups := range []int{1, 3, 300} {
				t.Run(fmt.Sprint(name, kind, groups), func(t *testing.T) {
					n := 70_000
					x := progen.Column{Kind: num.I64, Bits: make([]uint64, n)}
					if kind == "u64" {
						x.Kind = num.U64
					}
					for i := range x.Bits {
						x.Bits[i] = signs[i/groups%len(signs)]
					}
					text := fmt.Sprintf("fn f(x: &[%s; N]) -> [%[1]s; %d] { x.enumerate().group_by::<%[2]d>(|(i, _)| (i %% %[2]d)).sum(|(_, v)| v) }", kind, groups)
					c, err := Prepare(&progen.Program{Source: text, Sizes: map[string]int64{"N": int64(n)}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
					if err != nil {
						t.Fatal(err)
					}
					agrees(t, f, c, text)
				})
			}
		}
	}
}

// TestRowsWithNumbers: rows that are stored with the numbers of their groups are not copied: the columns that nobody asks for are not read.
func TestRowsWithNumbers(t *testing.T) {
	const text = `record Row { a: i64, b: i64, c: f64, d: f64 }
fn f(x: &[Row; N]) -> [(i64, f64, f64)] { x.group_by(|r| (r.a, r.b)).agg(|g| (g.key().0, g.median(|r| r.c), g.sum(|r| r.c))) }`
	n := 5000
	p := &progen.Program{Source: text, Sizes: map[string]int64{"N": int64(n)}, Params: []progen.Param{{Name: "x"}}}
	for c, kind := range []num.Kind{num.I64, num.I64, num.F64, num.F64} {
		col := progen.Column{Kind: kind, Bits: make([]uint64, n)}
		for i := range col.Bits {
			if col.Bits[i] = uint64(i * (c + 3) % 11); kind == num.F64 {
				col.Bits[i] = math.Float64bits(float64(i%101) / 8)
			}
		}
		p.Params[0].Columns = append(p.Params[0].Columns, col)
	}
	c, err := Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{}
	defer f.close()
	agrees(t, f, c, text)
	schedule.Launches(c.Plan.Steps, func(l *schedule.Launch) {
		for _, b := range l.Regions {
			if b >= 0 && c.Plan.Buffers[b].Input != nil && strings.HasSuffix(c.Plan.Buffers[b].Name, ".d") {
				t.Errorf("%s has a column that nobody asks for", l.Label)
			}
		}
	})
}
