package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// Expressions that are compiled when they are first used are compiled here: a wrong one must not wait for its user.
func TestPatternsCompile(t *testing.T) {
	found := 0
	sources(t, func(path string, text []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isPattern(call.Fun) {
				found++
				compiles(t, path, call.Args[0])
			}
			return true
		})
	})
	if found < 50 {
		t.Errorf("%d expressions were found", found)
	}
}

func isPattern(f ast.Expr) bool {
	s, ok := f.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Of" {
		return false
	}
	of, ok := s.X.(*ast.Ident)
	return ok && of.Name == "pattern"
}

func compiles(t *testing.T, path string, arg ast.Expr) {
	t.Helper()
	text, ok := arg.(*ast.BasicLit)
	if !ok {
		t.Errorf("%s: an expression is no literal", path)
		return
	}
	expr, err := strconv.Unquote(text.Value)
	if err == nil {
		_, err = regexp.Compile(expr)
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
}
