// Package codegen turns kernels and bitcode into machine code. LLVM runs in a
// child process, because its fatal errors end the process and a stranger's
// bitcode can crash it; this package starts the child, asks it, replaces it when
// it crashed or hangs, and keeps finished objects on disk.
package codegen

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// What an error of Compile may wrap.
var (
	ErrMissing = llvm.ErrMissing
	// ErrCrashed: the child died during this job or an earlier attempt at it, or has
	// been dying so often that it is not started again for a while.
	ErrCrashed = errors.New("the compiler's process died")
	ErrTimeout = errors.New("the compiler took too long and was stopped")
	ErrClosed  = errors.New("the compiler was closed")
)

// SourceError is what LLVM, or the translation of kernels, said about a source.
type SourceError struct{ Text string }

func (e *SourceError) Error() string { return e.Text }

// Options are the choices of a Service; the zero value of each but Program has a
// meaning.
type Options struct {
	Program []string      // command line of the child, which calls Serve on its standard input and output
	Dir     string        // where objects are kept; "" keeps none. Code in it is run: only this user may write there
	Limit   int64         // bytes in Dir, 256 MiB; the least recently used go
	CPU     time.Duration // processor time for one compilation, 10 s
	Timeout time.Duration // for one compilation by the clock, a minute: the child has low priority
	Log     *slog.Logger  // none
}

// Info says what the child has.
type Info struct {
	Version string   // of libLLVM: "19.1.7"
	Host    Target   // this machine, in full
	Path    string   // of the library
	Arches  []string // that it can emit
	Build   string   // what it makes of a kernel, see build
}

// Target is a processor to compile for. The zero Target is this machine's.
type Target struct {
	Arch     string // as GOARCH
	CPU      string // LLVM's name; "" is the architecture's baseline
	Features string // LLVM's list: "+avx512f,-sse4a"
	// VectorBytes is the width of the processor's scalable vectors (SVE), 0 where
	// it has none or their width is not known.
	VectorBytes int
}

// check refuses what LLVM would only warn of, or what would not survive the way
// to C. Names of processors and features have no other characters.
func (t Target) check() error {
	for _, s := range []string{t.Arch, t.CPU, t.Features} {
		if i := strings.IndexFunc(s, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+-_,.", r))
		}); i >= 0 {
			return fmt.Errorf("target %q: unexpected character at byte %d; expected names such as LLVM's", s, i)
		}
	}
	if t.VectorBytes < 0 || t.VectorBytes > 256 || t.VectorBytes%16 != 0 {
		return fmt.Errorf("target: vectors of %d bytes, expected a multiple of 16 up to 256", t.VectorBytes)
	}
	return nil
}

// Width is the width in bytes of the vectors that a kernel's text should use.
// 512-bit vectors need the byte, word and doubleword parts of AVX-512 too: kernels
// have elements of all sizes.
func (t Target) Width() int {
	switch {
	case t.Arch == "amd64" && t.has("avx512f", "avx512bw", "avx512dq", "avx512vl"):
		return 64
	case t.Arch == "amd64" && t.has("avx2"):
		return 32
	case t.Arch == "arm64" && t.has("sve"):
		return max(16, min(64, t.VectorBytes))
	}
	return 16
}

// has reports that all these features are on.
func (t Target) has(names ...string) bool {
	for _, n := range names {
		if !strings.Contains(","+t.Features+",", ",+"+n+",") {
			return false
		}
	}
	return true
}

// Form is what Source holds.
type Form uint8

const (
	Kernel  Form = iota + 1 // canonical bytes of a kernel, verified
	IR                      // LLVM's text
	Bitcode                 // LLVM bitcode
)

// Job is one compilation.
type Job struct {
	Form   Form
	Source []byte
	Target Target
	// Optimise runs the passes for this form; without it only instructions are
	// selected.
	Optimise bool
	Assembly bool // give text of the processor's instructions instead of an object
}

// maxSource is far above any kernel or package, and below what a frame holds.
const maxSource = 32 << 20

func (j *Job) check() error {
	if j.Form < Kernel || j.Form > Bitcode {
		return fmt.Errorf("compile: the form is %d, expected %d (kernel), %d (IR) or %d (bitcode)", j.Form, Kernel, IR, Bitcode)
	}
	if len(j.Source) > maxSource {
		return fmt.Errorf("compile: the source has %d bytes, expected at most %d", len(j.Source), maxSource)
	}
	return j.Target.check()
}

// Result is what came of it.
type Result struct {
	Object []byte // a relocatable ELF object, or text with Assembly
	Cached bool   // it was on disk
	Micros int64  // what the compilation took, in the child; 0 if it was on disk
}
