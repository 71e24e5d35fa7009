package elaborate

import (
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// foreignConstants maps what other languages call constants to theirs here.
var foreignConstants = map[string]string{
	"inf": "f64::INFINITY", "INFINITY": "f64::INFINITY", "Infinity": "f64::INFINITY", "infinity": "f64::INFINITY",
	"nan": "f64::NAN", "NAN": "f64::NAN", "NaN": "f64::NAN", "INT_MAX": "i32::MAX", "INT_MIN": "i32::MIN",
}

// limits are the constants of a type of numbers.
func limits(k num.Kind) map[string]uint64 {
	if k.IsInt() {
		return map[string]uint64{"MAX": num.Canon(k, k.MaxInt()), "MIN": num.Canon(k, uint64(k.MinInt()))}
	}
	most := math.MaxFloat64
	if k == num.F32 {
		most = math.MaxFloat32
	}
	return map[string]uint64{
		"MAX": num.FromFloat(k, most), "MIN": num.FromFloat(k, -most), "NAN": num.FromFloat(k, math.NaN()),
		"INFINITY": num.FromFloat(k, math.Inf(1)), "NEG_INFINITY": num.FromFloat(k, math.Inf(-1)),
	}
}

// numberNamed is the type of numbers that a name stands for.
func (e *elab) numberNamed(name string) (num.Kind, bool) {
	if t := e.fr.types[name]; t != nil && allows("Num", t) {
		return t.Num, true
	}
	k, ok := num.ParseKind(name)
	return k, ok && k != num.Bool
}

// limitOf is a constant of a type, as i64::MAX.
func (e *elab) limitOf(k num.Kind, x *syntax.NameExpr) *graph.Node {
	all := limits(k)
	bits, ok := all[x.Path[1].Text]
	if !ok {
		m := e.errorf(x.Path[1].Span, "N01", "there is no `%s` here", x.Path[1].Text).Note("not a constant of %s", k)
		names := slices.Sorted(maps.Keys(all))
		if best := nearest(x.Path[1].Text, names); best != "" {
			names[0] = best
		}
		m.Help("did you mean `%s`?", names[0])
		return nil
	}
	return e.bits(k, bits, x.Span)
}
