package tidy

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/godwit-run/godwit"

// layers lists the packages from the bottom up. A package imports only from
// layers below its own. RATIONALE.md says why a package stands where it does.
var layers = [][]string{
	{"digest"},
	{"diag", "num", "size", "llvm", "object", "pack", "cpuclock", "regular", "whole"},
	{"prove", "syntax", "kernel", "mem", "trust", "identity", "column", "cc", "worker"},
	{"data", "schedule", "verify", "wasm", "llvmir", "stepper", "graph", "catalog", "transport/gate"},
	{"types", "value", "codegen", "parcel", "transport", "control"},
	{"engine", "generate", "suspend", "node", "caller", "repair", "store", "transport/memnet", "transport/stream", "control/remote"},
	{"interp", "elaborate", "lower", "run"},
	{"compile", "daemon", "cluster"},
	{"site"},
	{""}, // the public API
	{"view", "measure", "fleet"},
	{"cmd/godwit"},
}

// testOnly may be imported by tests, from any layer, and import any.
var testOnly = []string{"progen", "codegen/codegentest", "docs/pagetest", "kernel/kerneltest", "tidy", "examples", "chaos", "difftest", "difftest/mutants", "docs", "simulate"}

// trusted is what a machine runs that takes kernels from strangers; parser,
// checker and graph must stay out of it.
var trusted = []string{"engine", "run", "node", "daemon"}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// short is a package's path inside the module.
func short(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func layerOf(name string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, name) })
}

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := short(p.ImportPath)
		if slices.Contains(testOnly, name) {
			continue
		}
		own := layerOf(name)
		if own < 0 {
			t.Errorf("package %s stands in no layer", name)
		}
		for _, i := range p.Imports {
			other, ours := short(i)
			if ours && layerOf(other) >= own {
				t.Errorf("%s imports %s, which is not below it", name, other)
			}
		}
	}
}

func TestTrustedStaysSmall(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := short(p.ImportPath)
		if !slices.Contains(trusted, name) {
			continue
		}
		for _, d := range p.Deps {
			other, _ := short(d)
			if slices.Contains([]string{"syntax", "types", "elaborate", "graph", "lower", "compile"}, other) {
				t.Errorf("%s reaches %s", name, other)
			}
		}
	}
}
