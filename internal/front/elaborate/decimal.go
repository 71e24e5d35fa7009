package elaborate

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// decimalOp is an operator on decimals; false if it is not defined.
func (e *elab) decimalOp(x *syntax.Binary, a, b *graph.Node) (*graph.Node, bool) {
	return nil, false
}

// convertDecimal is `v as t` where one of them is a decimal.
func (e *elab) convertDecimal(x *syntax.Cast, v *graph.Node, t *graph.Type) (*graph.Node, bool) {
	return nil, false
}

// decimalHelp is what to write for an operator on decimals.
func decimalHelp(x *syntax.Binary, l, r string, a, b *graph.Type) string {
	return fmt.Sprintf("%s as f64 %s %s as f64", l, x.Op, r)
}
