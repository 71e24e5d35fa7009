package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a fold that groups do not have, in the closure of agg. Out: what gives the same.

// foldInstead is that; "" where there is nothing short.
func (e *elab) foldInstead(x *syntax.MethodCall, recv *graph.Node) string {
	if g := e.of(recv).group; g == nil || g.one == nil {
		return ""
	}
	switch x.Name.Text {
	case "fold":
		return e.foldedSum(x)
	case "mode":
		return e.modeOfGroups(x)
	}
	return ""
}

// foldedSum is a fold that begins with 0 and adds, as a sum.
func (e *elab) foldedSum(x *syntax.MethodCall) string {
	if len(x.Args) != 2 {
		return ""
	}
	zero := e.text(x.Args[0].Where())
	cl, ok := x.Args[1].(*syntax.Closure)
	if !ok || len(cl.Params) != 2 || zero != "0" && zero != "0.0" {
		return ""
	}
	add, ok := unwrapped(cl.Body).(*syntax.Binary)
	if !ok || add.Op != syntax.Plus || e.text(add.X.Where()) != e.text(cl.Params[0].Pattern.Where()) {
		return ""
	}
	return e.instead(x.Span, e.operand(x.Receiver)+".sum(|"+e.text(cl.Params[1].Pattern.Where())+"| "+e.text(add.Y.Where())+")")
}

// modeOfGroups counts each value of each group, and takes the most frequent.
func (e *elab) modeOfGroups(x *syntax.MethodCall) string {
	agg, _ := e.foldWithin(diag.Span{Start: x.Span.End, End: x.Span.End})
	cl, ok := lastClosure(x)
	if agg == nil || !ok {
		return ""
	}
	by, ok := agg.Receiver.(*syntax.MethodCall)
	if !ok || by.Name.Text != "group_by" || len(by.TypeArgs) > 0 {
		return ""
	}
	key, ok := lastClosure(by)
	if !ok || e.text(key.Params[0].Pattern.Where()) != e.text(cl.Params[0].Pattern.Where()) {
		return ""
	}
	p := e.text(key.Params[0].Pattern.Where())
	return "count each value of each group, and take the most frequent:\n" + e.instead(agg.Span, e.operand(by.Receiver)+
		".group_by(|"+p+"| ("+e.text(key.Body.Where())+", "+e.text(cl.Body.Where())+")).agg(|g| (g.key(), g.count())).group_by(|(k, _)| k.0).top_k::<1>(|(_, n)| n)")
}
