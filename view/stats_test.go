package view

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

func TestStats(t *testing.T) {
	got := Stats(&godwit.Stats{
		Seconds: 0.0123, BytesRead: 2_500_000, Threads: 2, Engine: "wasm",
		Kernels: []godwit.Kernel{{Hash: "ab", Bytes: 60}, {Hash: "cd", Bytes: 70}},
		Plan:    godwit.Plan{Steps: []godwit.Step{{Label: "sum", Kernel: "ab12", Seconds: 0.000031}}},
	})
	for _, want := range []string{"sum", "kernel ab12", "31µs", "12.3ms in all", "2.50 MB read", "2 kernels of 130 bytes"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
