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
// layers below its own.
var layers = [][]string{
	{"internal/data/digest", "internal/pattern"},
	{"internal/front/diag", "internal/ir/num", "internal/front/size", "internal/engine/llvm", "internal/engine/object", "internal/packages/pack", "internal/engine/cpuclock", "internal/data/regular", "internal/data/whole", "internal/data/meaning"},
	{"internal/ir/prove", "internal/front/syntax", "internal/ir/kernel", "internal/engine/mem", "internal/packages/trust", "internal/cluster/identity", "internal/data/column", "internal/packages/cc", "internal/packages/worker", "internal/plan/machine", "internal/plan/watch", "internal/cluster/transport/spin", "internal/cluster/loan"},
	{"internal/ir/loops"},
	{"internal/data", "internal/ir/verify", "internal/engine/wasm", "internal/engine/llvmir", "internal/engine/stepper", "internal/ir/graph", "internal/cluster/catalog", "internal/cluster/transport/gate", "internal/cluster/transport/ring", "internal/cluster/transport/ucx"},
	{"internal/ir/schedule"},
	{"internal/front/types", "internal/front/prelude", "internal/data/value", "internal/ir/totals", "internal/engine/codegen", "internal/cluster/parcel", "internal/cluster/transport", "internal/cluster/control", "internal/plan/cost", "internal/plan/seen"},
	{"internal/engine", "internal/data/generate", "internal/ir/suspend", "internal/cluster/node", "internal/cluster/caller", "internal/cluster/repair", "internal/cluster/store", "internal/cluster/transport/memnet", "internal/cluster/transport/stream", "internal/cluster/control/remote", "internal/plan"},
	{"internal/front/interp", "internal/front/elaborate", "internal/ir/lower", "internal/run", "internal/cluster/drive"},
	{"internal/front/compile", "internal/cluster/daemon", "internal/cluster"},
	{"internal/cluster/site", "internal/plan/calibrate", "internal/front/session"},
	{""}, // the public API
	{"internal/measure/forecast", "internal/measure/crossing"},
	{"internal/view", "internal/measure", "internal/cluster/fleet", "cmd/godwit/firstgc", "cmd/godwit/latemetrics"},
	{"cmd/godwit"},
}

// testOnly may be imported by tests, from any layer, and import any.
var testOnly = []string{"internal/front/progen", "internal/engine/codegen/codegentest", "docs/pagetest", "internal/ir/kernel/kerneltest", "tidy", "examples", "chaos", "difftest", "difftest/mutants", "docs", "internal/cluster/simulate"}

// trusted is what a machine runs that takes kernels from strangers; parser,
// checker and graph must stay out of it.
var trusted = []string{"internal/engine", "internal/run", "internal/cluster/node", "internal/cluster/daemon"}

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
			if at := layerOf(other); ours && (at < 0 || at >= own) {
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
			front := strings.HasPrefix(other, "internal/front/") && !slices.Contains([]string{"internal/front/size", "internal/front/diag"}, other)
			if front || other == "internal/ir/graph" || other == "internal/ir/lower" {
				t.Errorf("%s reaches %s", name, other)
			}
		}
	}
}

// A library promises what is public: the root package alone.
func TestPublic(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := short(p.ImportPath)
		inside := strings.HasPrefix(name, "internal/") || strings.Contains(name, "/internal/")
		if !inside && name != "" && !strings.HasPrefix(name, "cmd/") && !slices.Contains(testOnly, name) {
			t.Errorf("package %s is public", name)
		}
	}
}
