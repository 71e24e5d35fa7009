// Package llvm calls libLLVM 19, which is looked for when it is first needed and
// may be absent. It is a thin layer: modules go in as text or bitcode, objects or
// assembly come out.
//
// LLVM ends the process on what it calls fatal errors, and damaged bitcode can
// crash it. So this package is for a process that may die; package codegen has it.
package llvm

import (
	"errors"
	"fmt"
	"os"
)

// Major is the version of libLLVM that this package speaks to. The C interface
// changes between major versions.
const Major = 19

// Env names the environment variable with the file of the library, or "off".
const Env = "GODWIT_LLVM"

// ErrMissing is why there is no LLVM: not installed, switched off, or left out of
// the binary.
var ErrMissing = errors.New("libLLVM 19 is not available")

// Off says why LLVM cannot be had whatever is installed; nil if it may be there.
// It loads nothing.
func Off() error {
	if !built {
		return fmt.Errorf("%w: this binary was built without it (build without the tag static, for linux on amd64 or arm64)", ErrMissing)
	}
	if os.Getenv(Env) == "off" {
		return fmt.Errorf("%w: %s=off", ErrMissing, Env)
	}
	return nil
}

// Error is what LLVM said about a module that it refused.
type Error struct {
	Stage string // "read", "check", "optimise", "emit"
	Text  string
}

func (e *Error) Error() string { return fmt.Sprintf("LLVM cannot %s the module: %s", e.Stage, e.Text) }

// Target is a processor.
type Target struct {
	Arch     string // as GOARCH: "amd64", "arm64", "riscv64"
	CPU      string // LLVM's name; "" is the architecture's baseline
	Features string // LLVM's list: "+avx512f,-sse4a"
	// VectorBytes is the width of scalable vectors, where the processor has them
	// and it is known: 16, 32, … 256. 0 is unknown.
	VectorBytes int
}

// Level is how much the code generator tries: 0 (nothing) to 3. It is apart from
// the passes over the module.
type Level uint32

// Form is how a module is written.
type Form uint8

const (
	Text Form = iota + 1
	Bitcode
)

// Options are the choices for one module.
type Options struct {
	Form     Form
	Passes   string // pipeline in the syntax of opt -passes; "" runs none
	Assembly bool   // give assembly text instead of an object
}
