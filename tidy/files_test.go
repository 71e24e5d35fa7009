package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines is the length above which a file is more than one concept.
const maxLines = 600

var vague = []string{"util", "utils", "common", "helper", "helpers", "manager", "misc"}

// sources visits every Go file of the module.
func sources(t *testing.T, visit func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	seen := 0
	sources(t, func(path string, text []byte) {
		seen++
		if n := strings.Count(string(text), "\n"); n > maxLines && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines", path, n)
		}
		for _, part := range strings.Split(strings.TrimSuffix(path, ".go"), "/") {
			if slices.Contains(vague, part) {
				t.Errorf("%s: the name %q says nothing", path, part)
			}
		}
	})
	if seen < 50 {
		t.Fatalf("only %d files seen", seen)
	}
}

// Only the command writes to the terminal.
func TestNoStrayPrints(t *testing.T) {
	sources(t, func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../cmd/") || strings.HasPrefix(path, "../bench/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			t.Error(err)
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch f := c.Fun.(type) {
			case *ast.Ident:
				if f.Name == "println" || f.Name == "print" {
					t.Errorf("%s calls %s", path, f.Name)
				}
			case *ast.SelectorExpr:
				if x, ok := f.X.(*ast.Ident); ok && x.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Print") {
					t.Errorf("%s calls fmt.%s", path, f.Sel.Name)
				}
			}
			return true
		})
	})
}
