package run

import (
	"math"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

var predOps = map[num.Op]data.PredOp{num.Eq: data.Eq, num.Lt: data.Lt, num.Le: data.Le, num.Gt: data.Gt, num.Ge: data.Ge}

// pruning is what a launch's predicates say about inputs.
func (r *runner) pruning(l *schedule.Launch) (list []pruning, err error) {
	for _, pr := range l.Pruning {
		in := r.inputs[pr.Buffer]
		if in == nil {
			continue
		}
		if pr.Scalar != nil {
			if pr.Bits, err = r.scalar(pr.Scalar, pr.Kind); err != nil {
				return nil, err
			}
		}
		if pred, ok := toPred(in.b, in.kind, pr); ok {
			list = append(list, pruning{in, pred})
		}
	}
	return list, nil
}

// toPred turns a schedule's predicate on an input into the source's form; false when
// that has none for it.
func toPred(b *Binding, kind num.Kind, p schedule.Predicate) (data.Pred, bool) {
	op, ok := predOps[p.Op]
	out := data.Pred{Column: b.Column, Op: op}
	switch {
	case !ok || kind == num.Bool || b.Presence || b.Blanks != data.NotBlank:
		return out, false
	case kind == num.F32:
		out.IsFloat, out.Float = true, float64(math.Float32frombits(uint32(p.Bits)))
	case kind == num.F64:
		out.IsFloat, out.Float = true, math.Float64frombits(p.Bits)
	case kind == num.U64 && p.Bits > math.MaxInt64:
		return out, false
	default:
		out.Int = int64(p.Bits)
	}
	return out, true
}
