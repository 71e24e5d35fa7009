package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// emulator runs programs for arm64 on other processors.
const emulator = "qemu-aarch64-static"

// TestARM64Node compares answers bit by bit: those of this machine alone, and
// those of a cluster of which one node has another instruction set.
func TestARM64Node(t *testing.T) {
	qemu, err := exec.LookPath(emulator)
	if err != nil {
		t.Skipf("SKIPPED: no node of another instruction set was tried: %s is not installed (Debian: qemu-user-static)", emulator)
	}
	dir := t.TempDir()
	program := buildARM64(t, dir)
	b := newByHand(t, dir, "n1=127.0.0.1", "n2=127.0.0.1", "arm=127.0.0.1")
	b.node(t, "n1")
	b.node(t, "n2")
	b.node(t, "arm", qemu, program)
	b.await(t, 3)
	if arch := b.status(t)["arm"].Report.Arch; arch != "arm64" {
		t.Fatalf("node arm says that it is %q", arch)
	}

	write(t, filepath.Join(dir, "sum.gw"), "fn sum(v: &[f32; N]) -> f32 { v.sum() }\n")
	b.godwit(t, "generate", "x.npy", "2000000")
	b.godwit(t, "generate", "points.npy", "200000x2")
	for set, file := range map[string]string{"x": "x.npy", "points": "points.npy",
		"hypernym": example(t, "wordnet/hypernym.npy"), "flights": example(t, "flights/flights-200k.arrow")} {
		b.godwit(t, "load", file, "--as", set, "--shards", "3")
	}
	cases := []struct {
		name, program, parameter, local, set string
		rest                                 []string
		kind                                 string // of the parcels that must reach the node
	}{
		{"sum", "sum.gw", "v", "x.npy", "x", nil, "fan"},
		{"mean_delay", example(t, "flights/mean_delay.gw"), "f", example(t, "flights/flights-200k.arrow"), "flights", nil, "fan"},
		{"kmeans", example(t, "kmeans/kmeans.gw"), "x", "points.npy", "points", []string{"c0=[[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]"}, "fan"},
		// The climb begins in the last shard, the emulated node's, and ends in the first.
		{"ancestor", example(t, "wordnet/ancestor.gw"), "parent", example(t, "wordnet/hypernym.npy"), "hypernym",
			[]string{"start=80000", "steps=13"}, "walk"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := b.status(t)["arm"].Report.Core
			far := b.result(t, append([]string{c.program, c.parameter + "=@" + c.set, "--strategy", "ship"}, c.rest...))
			near := b.result(t, append([]string{c.program, c.parameter + "=" + c.local}, c.rest...))
			if far != near {
				t.Errorf("the cluster's result differs:\nlocal   %s\ncluster %s", near, far)
			}
			after := b.status(t)["arm"].Report.Core
			if after.In[c.kind] <= before.In[c.kind] || after.Codes <= before.Codes {
				t.Errorf("the arm64 node took no part: %s parcels %d, then %d; kernels compiled %d, then %d",
					c.kind, before.In[c.kind], after.In[c.kind], before.Codes, after.Codes)
			}
		})
	}
}

// buildARM64 compiles godwit for arm64.
func buildARM64(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "godwit-arm64")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=arm64")
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build for arm64: %v\n%s", err, out)
	}
	t.Logf("built for arm64 in %.1f s", time.Since(start).Seconds())
	return path
}

func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// result is the result of godwit run --json as it is printed: with all digits
// that its bits need.
func (b *byHand) result(t *testing.T, args []string) string {
	t.Helper()
	out := b.godwit(t, append([]string{"run", "--json", "--deadline", "60s"}, args...)...)
	var said struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Result) == 0 {
		t.Fatalf("godwit run %v printed no result (%v): %s", args, err, out)
	}
	return string(said.Result)
}
