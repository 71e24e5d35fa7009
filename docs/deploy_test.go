package docs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v2"
)

// builtIn is the directory of the binary, if a test has needed it.
var builtIn string

// built builds the binary once for all tests and gives the directory that
// it lies in.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "godwit-docs")
	if err != nil {
		return "", err
	}
	builtIn = dir
	build := exec.Command("go", "build", "-o", dir+"/godwit", "./cmd/godwit")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// binary is the directory of the binary.
func binary(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// flagsOf are the flags that a command lists in its help.
func flagsOf(t *testing.T, command string) map[string]bool {
	t.Helper()
	out, err := exec.Command(filepath.Join(binary(t), "godwit"), command, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("godwit %s --help: %v\n%s", command, err, out)
	}
	list := map[string]bool{}
	for _, f := range regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[\w-]+)`).FindAllSubmatch(out, -1) {
		list[string(f[1])] = true
	}
	return list
}

// container is what the test reads of one in the manifests.
type container struct {
	Name    string
	Command []string
}

type manifest struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct{ Containers []container }
		}
	}
}

// TestKubernetes holds the flags in the manifests to those that there are.
func TestKubernetes(t *testing.T) {
	b, err := os.ReadFile("../deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kinds, nodes := map[string]int{}, 0
	d := yaml.NewDecoder(bytes.NewReader(b))
	for {
		var m manifest
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			if kinds["Service"] != 2 || kinds["StatefulSet"] != 2 || nodes != 1 {
				t.Errorf("found %v and %d containers of godwit", kinds, nodes)
			}
			return
		case err != nil:
			t.Fatal(err)
		}
		kinds[m.Kind]++
		for _, c := range m.Spec.Template.Spec.Containers {
			if c.Name == "godwit" {
				nodes++
				commandLine(t, c.Command)
			}
		}
	}
}

// commandLine checks godwit, a command, and flags in the form --name=value.
func commandLine(t *testing.T, words []string) {
	t.Helper()
	if len(words) < 3 || words[0] != "godwit" {
		t.Fatalf("expected godwit, a command and flags, found %q", words)
	}
	known := flagsOf(t, words[1])
	for _, w := range words[2:] {
		if name, _, ok := strings.Cut(w, "="); !ok || !known[name] {
			t.Errorf("godwit %s has no flag %s", words[1], w)
		}
	}
}

// uses finds commands in scripts and pages: from the binary's name to the end
// of the command, lines that go on with a backslash joined.
var uses = regexp.MustCompile(`(?m)(?:godwit|"\$GODWIT"|"\$godwit") (up|node|cluster|load|drop|status|run)\b([^\n|#]*)`)

// TestFlags holds the flags in the scripts and the page about clusters to
// those that there are.
func TestFlags(t *testing.T) {
	for _, page := range []string{"../deploy/slurm.sh", "../demo.sh", "clusters.md", "../README.md"} {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("\\\n", " ", `"${node[@]}"`, "godwit node").Replace(string(b))
		flags := 0
		for _, use := range uses.FindAllStringSubmatch(text, -1) {
			known := flagsOf(t, use[1])
			for _, f := range regexp.MustCompile(`(^|[ \[])(--[a-z-]+)`).FindAllStringSubmatch(use[2], -1) {
				flags++
				if !known[f[2]] {
					t.Errorf("%s: godwit %s has no flag %s", page, use[1], f[2])
				}
			}
		}
		if flags == 0 {
			t.Errorf("%s: no flags found", page)
		}
	}
}

// TestShell has bash read the scripts without running them.
func TestShell(t *testing.T) {
	for _, script := range []string{"../demo.sh", "../fuzz.sh", "../test.sh", "../deploy/slurm.sh"} {
		if out, err := exec.Command("bash", "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}
