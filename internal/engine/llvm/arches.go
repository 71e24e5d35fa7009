//go:build !static && linux && (amd64 || arm64)

package llvm

// arch is what differs between architectures.
type arch struct {
	name   string // LLVM's, as in triples
	prefix string // of the functions that initialise it
	base   Target // when no CPU and no features are given
	abi    string
}

// The baselines are those of Debian: SSE2, NEON, and RV64GC.
var arches = map[string]arch{
	"amd64":   {name: "x86_64", prefix: "X86", base: Target{CPU: "x86-64"}},
	"arm64":   {name: "aarch64", prefix: "AArch64", base: Target{CPU: "generic", Features: "+neon"}},
	"riscv64": {name: "riscv64", prefix: "RISCV", base: Target{CPU: "generic-rv64", Features: "+m,+a,+f,+d,+c"}, abi: "lp64d"},
}

func (a arch) triple() string { return a.name + "-unknown-linux-gnu" }
