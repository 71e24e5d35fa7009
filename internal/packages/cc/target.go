package cc

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Target is a kind of processor to compile for.
type Target struct {
	Arch     string   // as GOARCH
	Features []string // beyond the baseline, LLVM's names, ascending
}

// arch is what clang has to be told about an architecture.
type arch struct {
	name   string // in triples of Linux
	goarch string
	flags  []string
	libc   string // Debian's package with the C library's headers, to compile for it elsewhere
}

var arches = []arch{
	{"x86_64", "amd64", nil, "libc6-dev-amd64-cross"},
	// Atomic operations would call libgcc otherwise.
	{"aarch64", "arm64", []string{"-mno-outline-atomics"}, "libc6-dev-arm64-cross"},
	// Relaxing is for static linkers, which can move code after it was placed.
	{"riscv64", "riscv64", []string{"-mno-relax"}, "libc6-dev-riscv64-cross"},
}

const known = "x86_64,aarch64,riscv64"

// ParseTarget reads an architecture by its name in triples or as GOARCH, with the
// features that it must have: "aarch64", "x86_64+avx2+fma".
func ParseTarget(text string) (Target, error) {
	parts := strings.Split(text, "+")
	for _, a := range arches {
		if parts[0] == a.name || parts[0] == a.goarch {
			return Target{Arch: a.goarch}.With(parts[1:]), nil
		}
	}
	return Target{}, &Error{fmt.Sprintf("there is no target %q", text), "the targets are " + known + ", each also with features: x86_64+avx2+fma"}
}

// With adds features.
func (t Target) With(features []string) Target {
	all := slices.Concat(t.Features, features)
	slices.Sort(all)
	t.Features = slices.Compact(all)
	return t
}

func (t Target) same(u Target) bool { return t.Arch == u.Arch && slices.Equal(t.Features, u.Features) }

// String is what ParseTarget reads.
func (t Target) String() string {
	return strings.Join(append([]string{t.arch().name}, t.Features...), "+")
}

func (t Target) arch() arch {
	i := slices.IndexFunc(arches, func(a arch) bool { return a.goarch == t.Arch })
	if i < 0 {
		return arch{name: t.Arch, goarch: t.Arch}
	}
	return arches[i]
}

func (t Target) triple() string { return t.arch().name + "-linux-gnu" }

// flags are those of every run of clang for the target. Code is placed anywhere and
// linked by package object, hence no thread-local storage of the stack protector,
// no unwind tables that nobody reads, no notes about who compiled it.
func (t Target) flags() []string {
	f := append([]string{
		"--target=" + t.triple(), "-O2", "-fPIC", "-fvisibility=default", "-fno-stack-protector",
		"-fno-asynchronous-unwind-tables", "-fno-exceptions", "-fno-ident", "-fno-addrsig",
	}, t.arch().flags...)
	for _, feature := range t.Features {
		f = append(f, "-Xclang", "-target-feature", "-Xclang", "+"+feature)
	}
	return f
}

// headers says where the C library's headers for the target are. Without them
// clang's own must do: stdint.h, stddef.h, stdatomic.h, immintrin.h and the like.
func (t Target) headers() (flags []string, libc bool) {
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	cross := "/usr/" + t.triple() + "/include"
	switch {
	case exists("/usr/include/" + t.triple() + "/bits/libc-header-start.h"):
		return nil, true
	case exists(cross + "/bits/libc-header-start.h"):
		return []string{"-nostdlibinc", "-isystem", cross}, true
	}
	return []string{"-nostdlibinc", "-ffreestanding"}, false
}

// libc is Debian's package with the C library's headers.
func (t Target) libc() string {
	if t.Arch == runtime.GOARCH {
		return "libc6-dev"
	}
	return t.arch().libc
}
