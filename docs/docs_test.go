// Package docs holds the documentation to the code: programs in it compile,
// output in it is what comes out, tables in it are complete.
package docs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

var update = flag.Bool("update", false, "write what is generated into the files")

// pages are the files with programs and commands in them.
var pages = []string{"../README.md", "tour.md", "tutorial.md", "language.md", "architecture.md", "clusters.md", "deciding.md", "sql.md", "../CONTRIBUTING.md"}

// fence is one fenced block of a page.
type fence struct {
	page string
	line int // of its opening fence
	info string
	text string
}

func (f fence) String() string { return fmt.Sprintf("%s:%d", f.page, f.line) }

func fences(t *testing.T, page string) (list []fence) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	open := -1
	for i, line := range strings.Split(string(b), "\n") {
		switch rest, isFence := strings.CutPrefix(line, "```"); {
		case isFence && open < 0:
			open = i
			list = append(list, fence{page: page, line: i + 1, info: rest})
		case isFence:
			open = -1
		case open >= 0:
			list[len(list)-1].text += line + "\n"
		}
	}
	if open >= 0 {
		t.Errorf("%s:%d: the block has no end", page, open+1)
	}
	return list
}

// check gives the messages about a program.
func check(text string) *diag.List {
	msgs := new(diag.List)
	f := syntax.Parse(diag.NewSource("doc.gw", text), msgs)
	if !msgs.Failed() {
		elaborate.Check([]*syntax.File{f}, msgs)
	}
	return msgs
}

// TestPrograms checks every block marked rust: it is a whole program, which
// passes, or fails where it is marked rust,fails.
func TestPrograms(t *testing.T) {
	seen := 0
	for _, page := range pages {
		for _, f := range fences(t, page) {
			if f.info != "rust" && f.info != "rust,fails" {
				continue
			}
			seen++
			msgs := check(f.text)
			switch err := msgs.Err(); {
			case f.info == "rust" && err != nil:
				t.Errorf("%s does not compile:\n%v", f, err)
			case f.info == "rust,fails" && err == nil:
				t.Errorf("%s compiles", f)
			}
		}
	}
	if seen < 18 {
		t.Errorf("only %d programs found", seen)
	}
}

// methods parses the tables of the elaborator: maps from names to methods.
func methods(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("../internal/front/elaborate/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			c, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			m, ok := c.Type.(*ast.MapType)
			if !ok {
				return true
			}
			if v, ok := m.Value.(*ast.Ident); !ok || v.Name != "method" {
				return true
			}
			for _, e := range c.Elts {
				key := e.(*ast.KeyValueExpr).Key.(*ast.BasicLit)
				name, err := strconv.Unquote(key.Value)
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			return true
		})
	}
	return names
}

// TestMethods finds every operation in the reference, in code type.
func TestMethods(t *testing.T) {
	b, err := os.ReadFile("language.md")
	if err != nil {
		t.Fatal(err)
	}
	names := methods(t)
	if len(names) < 40 {
		t.Fatalf("only %d operations found", len(names))
	}
	for _, name := range names {
		if !regexp.MustCompile("`[^`\n]*\\b" + name + "\\b[^`\n]*`").Match(b) {
			t.Errorf("language.md does not mention `%s`", name)
		}
	}
}

// TestConsole runs the commands in blocks marked console and compares what
// they print. A line `…` stands for any lines. A program whose first line
// is `// name.gw` is there under that name.
func TestConsole(t *testing.T) {
	bin := binary(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range pages {
		dir := t.TempDir()
		if err := os.Symlink(root+"/examples", dir+"/examples"); err != nil {
			t.Fatal(err)
		}
		for _, f := range fences(t, page) {
			if name, ok := named(f); ok {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(f.text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if f.info == "console" {
				commands += console(t, f, bin, dir)
			}
		}
	}
	if commands < 5 {
		t.Errorf("only %d commands found", commands)
	}
}

func named(f fence) (string, bool) {
	first, _, _ := strings.Cut(f.text, "\n")
	name, ok := strings.CutPrefix(first, "// ")
	return name, ok && regexp.MustCompile(`^\w+\.(gw|csv)$`).MatchString(name)
}

func console(t *testing.T, f fence, bin, dir string) (commands int) {
	t.Helper()
	for _, part := range strings.Split("\n"+f.text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, _ := cmd.CombinedOutput() // what goes wrong is printed, and may be meant to
		commands++
		if !matches(lines(string(out)), lines(want)) {
			t.Errorf("%s: %s prints\n%s\nnot\n%s", f, command, out, want)
		}
	}
	return commands
}

func lines(s string) []string {
	list := strings.Split(strings.TrimRight(s, "\n "), "\n")
	for i := range list {
		list[i] = strings.TrimRight(list[i], " ")
	}
	return list
}

// matches compares line by line; `…` matches any number.
func matches(got, want []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case strings.TrimSpace(want[0]) == "…":
		for i := 0; i <= len(got); i++ {
			if matches(got[i:], want[1:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && got[0] == want[0] && matches(got[1:], want[1:])
}

// TestGo runs the Go programs, which say in a comment what they print.
func TestGo(t *testing.T) {
	for _, page := range pages {
		for _, f := range fences(t, page) {
			if f.info != "go" || !strings.Contains(f.text, "func main()") {
				continue
			}
			path := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "run", path)
			cmd.Dir = ".." // the module
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", f, err, out)
			}
			_, want, _ := strings.Cut(f.text, "// Output: ")
			want, _, _ = strings.Cut(want, "\n")
			if got := strings.TrimSpace(string(out)); got != want {
				t.Errorf("%s prints %q, not %q", f, got, want)
			}
		}
	}
}

// section replaces what stands between two marks of a page, or with -update
// off compares it.
func section(t *testing.T, page, mark, text string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->"
	before, rest, ok := strings.Cut(string(b), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no section %s", page, mark)
	}
	if old == text {
		return
	}
	if !*update {
		t.Errorf("%s: the section %s is not up to date; run go test ./docs -update", page, mark)
		return
	}
	if err := os.WriteFile(page, []byte(before+begin+text+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
