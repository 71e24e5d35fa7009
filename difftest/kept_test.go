package difftest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// TestKept runs programs that once failed. The first line of each says the
// sizes and the seed of its arguments, the second what was wrong.
func TestKept(t *testing.T) {
	paths, err := filepath.Glob("testdata/kept/*.gw")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no kept programs (%v)", err)
	}
	f := &fleet{}
	defer f.close()
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, err := Prepare(kept(t, path))
			if err != nil {
				t.Fatal(err)
			}
			agrees(t, f, c, path)
		})
	}
}

// agrees runs a program in all settings, and holds each outcome to the interpreter's.
func agrees(t *testing.T, f *fleet, c *Case, what string) {
	t.Helper()
	want, err := c.Oracle(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings() {
		got, err := c.Engine(context.Background(), f.engine(t, s.tier), s.threads, s.window)
		if err == nil {
			err = Same(want, got)
		}
		if err != nil {
			t.Errorf("%s: %v; %s", s, err, what)
		}
	}
}

// kept reads a program and draws its arguments from the seed.
func kept(t *testing.T, path string) *progen.Program {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n, m int64
	var seed uint64
	head, _, _ := strings.Cut(string(text), "\n")
	if _, err := fmt.Sscanf(head, "// sizes N=%d M=%d seed=%d", &n, &m, &seed); err != nil {
		t.Fatalf("%s: the first line must give sizes and seed: %v", path, err)
	}
	p := &progen.Program{Source: string(text), Sizes: map[string]int64{"N": n, "M": m}}
	var msgs diag.List
	prog := elaborate.Check([]*syntax.File{syntax.Parse(diag.NewSource(path, p.Source), &msgs)}, &msgs)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	g, err := prog.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	for i, param := range g.Body.Params {
		columns, err := progen.Fill(param.Type, p.Sizes, seed+uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		p.Params = append(p.Params, progen.Param{Name: g.ParamInfo[i].Name, Columns: columns})
	}
	return p
}
