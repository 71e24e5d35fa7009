package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sources parses the files that the binary is made of: all but tests, and packages for them.
func sources(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	besides := []string{"../bench", "../chaos", "../difftest", "../internal/engine/codegen/codegentest", "../internal/front/progen", "../examples", "../tidy", "../docs", "../internal/ir/kernel/kerneltest", "../internal/cluster/simulate"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(besides, filepath.ToSlash(path)):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(path, f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEnvironment finds every variable that the source reads in environment.md, and no others.
func TestEnvironment(t *testing.T) {
	constants, asked := map[string]string{}, map[string]string{} // by package and name
	sources(t, func(path string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						if text, ok := literal(n.Values[i]); ok {
							constants[f.Name.Name+"."+name.Name] = text
						}
					}
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 && (s.Sel.Name == "Getenv" || s.Sel.Name == "LookupEnv") {
					asked[variable(f.Name.Name, n.Args[0])] = path
				}
			}
			return true
		})
	})
	var read []string
	for name, path := range asked {
		if value, ok := constants[name]; ok {
			name = value
		}
		if name == "" || strings.Contains(name, ".") {
			t.Errorf("%s reads a variable whose name this test cannot tell: %q", path, name)
		}
		if !slices.Contains(read, name) {
			read = append(read, name)
		}
	}
	b, err := os.ReadFile("environment.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllSubmatch(b, -1) {
		listed = append(listed, string(m[1]))
	}
	slices.Sort(read)
	slices.Sort(listed)
	if !slices.Equal(read, listed) {
		t.Errorf("the source reads %v, environment.md has %v", read, listed)
	}
}

// variable is the name of a variable, or of the constant that has it.
func variable(pkg string, arg ast.Expr) string {
	switch a := arg.(type) {
	case *ast.Ident:
		return pkg + "." + a.Name
	case *ast.SelectorExpr:
		if x, ok := a.X.(*ast.Ident); ok {
			return x.Name + "." + a.Sel.Name
		}
	}
	text, _ := literal(arg)
	return text
}

// literal is the text of a string, also one that is put together.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, ok := literal(e.X)
		y, too := literal(e.Y)
		return x + y, ok && too && e.Op == token.ADD
	}
	return "", false
}
