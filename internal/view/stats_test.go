package view

import (
	"regexp"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// Each step says what it really ran on, and the whole who stood in for whom.
func TestTiers(t *testing.T) {
	step := func(label, tier string, runs, slices, native int64) godwit.Step {
		return godwit.Step{Label: label, Tier: tier, Runs: runs, Slices: slices, Native: native}
	}
	got := Stats(&godwit.Stats{Engine: "wasm", Plan: godwit.Plan{Steps: []godwit.Step{
		step("a", "wasm", 1, 3, 0), step("b", "native", 1, 3, 3), step("c", "native", 1, 9, 4), step("d", "", 1, 0, 0), step("e", "", 0, 0, 0),
		step("f", "", 1, 0, 0), step("g", "", 1, 0, 0), step("h", "", 1, 0, 0),
	}}, Travel: &godwit.Travel{Places: []string{"d: beside 3 shards of @x", "f: rows are fetched: everything is here", "g: @x is fetched"}, Nodes: []string{"n2"}, Replaced: []godwit.Replacement{{Node: "n1", By: "n2"}}}})
	for _, want := range []string{"a .* WebAssembly\n", "b .* native code\n", "c .* WebAssembly, then native code for 4 of 9 slices\n", "d .* on nodes\n", "e .* not run\n", "f .* nothing to do\n", "g .* nothing to do\n", "h .* nothing to do\n", "n2 stood in for n1\n"} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if got := Stats(&godwit.Stats{Plan: godwit.Plan{Steps: []godwit.Step{step("d", "", 1, 0, 0)}}}); !strings.Contains(got, "nothing to do") {
		t.Error(got)
	}
	if got := Stats(&godwit.Stats{Engine: "interp"}); !strings.Contains(got, ", interpreter, ") {
		t.Error(got)
	}
}

func TestStats(t *testing.T) {
	got := Stats(&godwit.Stats{
		Seconds: 0.0123, BytesRead: 2_500_000, Threads: 2, Engine: "wasm",
		Kernels: []godwit.Kernel{{Hash: "ab", Bytes: 60}, {Hash: "cd", Bytes: 70}},
		Plan:    godwit.Plan{Steps: []godwit.Step{{Label: "sum", Kernel: "ab12", Runs: 1, Seconds: 0.000031}}},
	})
	for _, want := range []string{"sum", "kernel ab12", "31µs", "12.3ms in all", "2.50 MB read", "2 kernels of 130 bytes"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
