package elaborate

import "github.com/godwit-run/godwit/internal/front/syntax"

// visit calls f for a block's, statement's or expression's parts, outermost
// first; f returns false to leave out what is inside.
func visit(x any, f func(any) bool) {
	if !f(x) {
		return
	}
	switch x := x.(type) {
	case *syntax.Block:
		for _, s := range x.Stmts {
			visit(s, f)
		}
		visitExprs(f, x.Value)
	case *syntax.Let:
		visitExprs(f, x.Value)
	case *syntax.Const:
		visitExprs(f, x.Value)
	case *syntax.Assign:
		visitExprs(f, x.Target, x.Value)
	case *syntax.For:
		visitExprs(f, x.Over)
		visit(x.Body, f)
	case *syntax.ExprStmt:
		visitExprs(f, x.X)
	case syntax.Expr:
		visitExpr(x, f)
	}
}

func visitExpr(x syntax.Expr, f func(any) bool) {
	switch x := x.(type) {
	case *syntax.Unary:
		visitExprs(f, x.X)
	case *syntax.Binary:
		visitExprs(f, x.X, x.Y)
	case *syntax.Cast:
		visitExprs(f, x.X)
	case *syntax.Call:
		visitExprs(f, x.Args...)
	case *syntax.MethodCall:
		visitExprs(f, x.Receiver)
		visitExprs(f, x.Args...)
	case *syntax.Field:
		visitExprs(f, x.X)
	case *syntax.Index:
		visitExprs(f, x.X, x.I)
	case *syntax.Closure:
		visitExprs(f, x.Body)
	case *syntax.RangeExpr:
		visitExprs(f, x.Lo, x.Hi)
	case *syntax.TupleExpr:
		visitExprs(f, x.Elems...)
	case *syntax.ParenExpr:
		visitExprs(f, x.X)
	case *syntax.BorrowExpr:
		visitExprs(f, x.X)
	case *syntax.ArrayExpr:
		visitExprs(f, x.Elems...)
	case *syntax.RepeatExpr:
		visitExprs(f, x.Value)
	case *syntax.RecordExpr:
		for _, v := range x.Fields {
			visitExprs(f, v.Value)
		}
	case *syntax.If:
		visitExprs(f, x.Cond)
		visit(x.Then, f)
		visitExprs(f, x.Else)
	case *syntax.Match:
		visitExprs(f, x.X)
		for _, a := range x.Arms {
			visitExprs(f, a.Body)
		}
	}
}

func visitExprs(f func(any) bool, list ...syntax.Expr) {
	for _, x := range list {
		if x != nil {
			visit(x, f)
		}
	}
}

// breaks reports that a statement or block may leave the loop it stands in.
func breaks(x any) bool {
	found := false
	visit(x, func(x any) bool {
		switch x.(type) {
		case *syntax.Break:
			found = true
		case *syntax.For, *syntax.Closure:
			return false
		}
		return !found
	})
	return found
}

// assignedNames collects the variables that a loop's body assigns, those in
// inner loops included.
func assignedNames(b *syntax.Block) map[string]bool {
	names := map[string]bool{}
	visit(b, func(x any) bool {
		if a, ok := x.(*syntax.Assign); ok {
			if n := rootOf(a.Target); n != nil {
				names[n.Path[0].Text] = true
			}
		}
		return true
	})
	return names
}

// calledNames calls f for every function call in a body.
func calledNames(b *syntax.Block, f func(*syntax.NameExpr)) {
	visit(b, func(x any) bool {
		if c, ok := x.(*syntax.Call); ok {
			f(c.Func)
		}
		return true
	})
}
