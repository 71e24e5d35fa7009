package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// What runs programs for arm64 on other processors, and what they find there.
const (
	emulator       = "qemu-aarch64-static"
	emulatedLoader = "/lib/ld-linux-aarch64.so.1"
	emulatedLLVM   = "/usr/lib/aarch64-linux-gnu/libLLVM.so.19.1"
)

// emulatedLimit is how long LLVM may take for a kernel, emulated on a busy machine.
const emulatedLimit = 2 * time.Minute

// emulated are the words that start godwit for arm64, and its children, on this machine.
func emulated(t *testing.T, dir string) []string {
	t.Helper()
	qemu, err := exec.LookPath(emulator)
	if err != nil {
		t.Skipf("SKIPPED: no node of another instruction set was tried: %s is not installed (Debian: qemu-user-static)", emulator)
	}
	if _, err := os.Stat(emulatedLoader); err != nil {
		t.Skipf("SKIPPED: no node of another instruction set was tried: %s is not installed (Debian: libc6:arm64, after dpkg --add-architecture arm64)", emulatedLoader)
	}
	return []string{"env", emulatorVariable + "=" + qemu, qemu, buildARM64(t, dir)}
}

func needEmulatedLLVM(t *testing.T) {
	t.Helper()
	if os.Getenv(llvm.Env) == "off" {
		t.Skipf("SKIPPED: nothing was compiled on a node for arm64: %s=off", llvm.Env)
	}
	if _, err := os.Stat(emulatedLLVM); err != nil {
		t.Skipf("SKIPPED: nothing was compiled on a node for arm64: %s is not installed (Debian: libllvm19:arm64, after dpkg --add-architecture arm64)", emulatedLLVM)
	}
}

// TestARM64Node compares answers bit by bit: those of this machine alone, and
// those of a cluster of which one node has another instruction set, first in
// WebAssembly, then as LLVM's code.
func TestARM64Node(t *testing.T) {
	dir := t.TempDir()
	program := emulated(t, dir)
	b := newByHand(t, dir, "n1=127.0.0.1", "n2=127.0.0.1", "arm=127.0.0.1")
	b.node(t, "n1", nil)
	b.node(t, "n2", nil)
	b.await(t, 2) // so that the emulated node is the third, and has the last shards
	b.node(t, "arm", program)
	b.await(t, 3)
	if arch := b.status(t)["arm"].Report.Arch; arch != "arm64" {
		t.Fatalf("node arm says that it is %q", arch)
	}

	write(t, filepath.Join(dir, "sum.gw"), "fn sum(v: &[f32; N]) -> f32 { v.sum() }\n")
	write(t, filepath.Join(dir, "waves.gw"), "fn waves(v: &[f32; N]) -> f32 { v.map(|e| (e.sin() * 3.0).exp() / (e + 4.0)).sum() }\n")
	b.godwit(t, "generate", "x.npy", "2000000")
	b.godwit(t, "generate", "points.npy", "200000x2")
	for set, file := range map[string]string{"x": "x.npy", "points": "points.npy",
		"hypernym": example(t, "wordnet/hypernym.npy"), "flights": example(t, "flights/flights-200k.arrow")} {
		b.godwit(t, "load", file, "--as", set, "--shards", "3")
	}
	for _, c := range []comparison{
		{"sum", "sum.gw", "v", "x.npy", "x", nil, "fan"},
		{"waves", "waves.gw", "v", "x.npy", "x", nil, "fan"},
		{"mean_delay", example(t, "flights/mean_delay.gw"), "f", example(t, "flights/flights-200k.arrow"), "flights", nil, "fan"},
		{"kmeans", example(t, "kmeans/kmeans.gw"), "x", "points.npy", "points", []string{"c0=[[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]"}, "fan"},
		// The climb begins in the last shard, the emulated node's, and ends in the first.
		{"ancestor", example(t, "wordnet/ancestor.gw"), "parent", example(t, "wordnet/hypernym.npy"), "hypernym",
			[]string{"start=80000", "steps=13"}, "walk"},
	} {
		t.Run(c.name, func(t *testing.T) { c.compare(t, b) })
	}
}

// comparison is a program over a data set, and over the file of it.
type comparison struct {
	name, program, parameter, local, set string
	rest                                 []string
	kind                                 string // of the parcels that must reach the node
}

func (c *comparison) compare(t *testing.T, b *byHand) {
	before := b.status(t)["arm"].Report
	far := append([]string{c.program, c.parameter + "=@" + c.set, "--strategy", "ship"}, c.rest...)
	near := b.result(t, append([]string{c.program, c.parameter + "=" + c.local, "--engine", "wasm"}, c.rest...))
	check := func(tier string) {
		t.Helper()
		if got := b.result(t, far); got != near {
			t.Errorf("the cluster's result differs, %s:\nlocal   %s\ncluster %s", tier, near, got)
		}
	}
	check("at first")
	after := b.status(t)["arm"].Report
	if after.Core.In[c.kind] <= before.Core.In[c.kind] || after.Core.Codes <= before.Core.Codes {
		t.Errorf("the arm64 node took no part: %s parcels %d, then %d; kernels compiled %d, then %d",
			c.kind, before.Core.In[c.kind], after.Core.In[c.kind], before.Core.Codes, after.Core.Codes)
	}
	if c.kind != "fan" {
		return // states run too short for native code
	}
	needEmulatedLLVM(t)
	known := map[string]bool{}
	for _, k := range before.Kernels {
		known[k.Hash] = true
	}
	for end := time.Now().Add(emulatedLimit); ; time.Sleep(time.Second) { // the compiler has a low priority, and runs take its processor
		check("on the way to native code")
		tiers := map[string]int{}
		for _, k := range b.status(t)["arm"].Report.Kernels {
			if !known[k.Hash] {
				tiers[k.Tier]++
			}
		}
		if tiers["native"] > 0 {
			t.Logf("the node's new kernels run as %v", tiers)
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no kernel of the arm64 node has become native within %v: they run as %v", emulatedLimit, tiers)
		}
	}
	check("native")
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
