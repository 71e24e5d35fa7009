package docs

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// stringsOf lists the string literals in a composite literal, in order.
func stringsOf(e ast.Expr) (list []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				list = append(list, s)
			}
		}
		return true
	})
	return list
}

// layers reads the test that enforces them: the layers from the bottom up
// and, as the last one, the packages that only tests use.
func layers(t *testing.T) (list [][]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../tidy/layers_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var testOnly []string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		switch c, _ := v.Values[0].(*ast.CompositeLit); v.Names[0].Name {
		case "layers":
			for _, e := range c.Elts {
				list = append(list, stringsOf(e))
			}
		case "testOnly":
			testOnly = stringsOf(c)
		}
		return true
	})
	return append(list, testOnly)
}

// synopsis is the first sentence of a package's comment.
func synopsis(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc != nil {
			text := new(doc.Package).Synopsis(file.Doc.Text())
			_, text, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "Package "), "Command "), " ")
			return text
		}
	}
	t.Errorf("package %s has no comment", dir)
	return ""
}

// TestLayers holds the table of packages to the test that enforces it.
func TestLayers(t *testing.T) {
	var b strings.Builder
	b.WriteString("| layer | package | what it is |\n|---|---|---|\n")
	list := layers(t)
	if len(list) < 6 {
		t.Fatalf("only %d layers found", len(list))
	}
	for i, l := range list {
		number := strconv.Itoa(i + 1)
		if i == len(list)-1 {
			number = "tests"
		}
		for _, dir := range l {
			name := dir
			if name == "" {
				name = "godwit (the root)"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", number, name, synopsis(t, dir))
		}
	}
	section(t, "architecture.md", "layers", b.String())
}
