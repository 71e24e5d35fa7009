package codegen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/llvm"
	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// recipe changes whenever passes, levels or attributes change. It is part of the
// key of objects.
const recipe = 1

// Passes by form. Kernels come with their lanes spelled out and their invariant
// code moved, so a few scalar passes do: they take 0.5 ms, default<O2> 5 to 9.
const (
	kernelPasses  = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)"
	bitcodePasses = "default<O2>"
)

// level is the code generator's. Level 1 saves a tenth of the time and leaves out
// the scheduling after registers are chosen; 0 spills every value.
const level llvm.Level = 2

// Serve is the child: it loads libLLVM and answers jobs until in ends. It gives this
// process a low priority, no core dumps and a limit of memory.
func Serve(in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // Linux keeps priorities by thread
	if err := restrain(); err != nil {
		return err
	}
	c := compiler{machines: map[llvm.Target]*llvm.Machine{}}
	defer c.close()
	for {
		b, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := readRequest(b)
		if err != nil {
			return err
		}
		start := time.Now()
		a := c.answer(r)
		a.id, a.micros = r.id, time.Since(start).Microseconds()
		if err := writeFrame(out, a.append); err != nil {
			return err
		}
	}
}

// memory is what a compilation may take beyond what the idle process has mapped.
const memory = 4 << 30

// restrain leaves the processors to runs, and the disk without a core of LLVM.
func restrain() error {
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, 5); err != nil {
		return fmt.Errorf("lower the priority of the compiler: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("switch off core dumps of the compiler: %w", err)
	}
	var pages uint64
	if b, err := os.ReadFile("/proc/self/statm"); err != nil {
		return err
	} else if _, err := fmt.Sscan(string(b), &pages); err != nil {
		return err
	}
	most := pages*uint64(os.Getpagesize()) + memory
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &old); err != nil {
		return err
	}
	most = min(most, old.Max)
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit the memory of the compiler to %d bytes: %w", most, err)
	}
	return nil
}

// compiler keeps machines, which are dear to make.
type compiler struct {
	machines map[llvm.Target]*llvm.Machine
}

// maxMachines bounds them; a node compiles for itself, explain for a few others.
const maxMachines = 8

func (c *compiler) answer(r *request) *answer {
	library, err := llvm.Load()
	if err != nil {
		return &answer{status: missing, body: []byte(err.Error())}
	}
	switch r.kind {
	case askInfo:
		h := library.Host()
		body, err := json.Marshal(Info{Version: library.Version, Path: library.Path, Arches: library.Arches(), Host: Target(h), Build: build()})
		if err != nil {
			return &answer{status: missing, body: []byte(err.Error())}
		}
		return &answer{status: done, body: body}
	case askCompile:
		object, err := c.compile(library, &r.job)
		if err != nil {
			return &answer{status: refused, body: []byte(err.Error())}
		}
		return &answer{status: done, body: object}
	}
	return &answer{status: refused, body: fmt.Appendf(nil, "request of kind %d, expected %d or %d", r.kind, askInfo, askCompile)}
}

func (c *compiler) compile(library *llvm.Library, j *Job) ([]byte, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	o := llvm.Options{Form: llvm.Text, Assembly: j.Assembly}
	source, passes := j.Source, kernelPasses
	switch j.Form {
	case Kernel:
		text, err := emit(j)
		if err != nil {
			return nil, err
		}
		source = []byte(text)
	case Bitcode:
		o.Form, passes = llvm.Bitcode, bitcodePasses
	}
	if j.Optimise {
		o.Passes = passes
	}
	m, err := c.machine(library, llvm.Target(j.Target))
	if err != nil {
		return nil, err
	}
	return m.Compile(source, o)
}

// emit translates a kernel. A panic is a bug of the translation, and costs no more
// than native code for this kernel.
func emit(j *Job) (text string, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("bug in the translation of a kernel to LLVM: %v", bug)
		}
	}()
	k, err := kernel.Decode(j.Source)
	if err != nil {
		return "", err
	}
	return llvmir.Emit(k, llvmir.Target{Arch: j.Target.Arch, VectorBytes: j.Target.Width(), Fma: j.Target.has("fma")})
}

func (c *compiler) machine(library *llvm.Library, t llvm.Target) (*llvm.Machine, error) {
	if m := c.machines[t]; m != nil {
		return m, nil
	}
	if len(c.machines) == maxMachines {
		c.close()
	}
	m, err := library.Machine(t, level)
	if err == nil {
		c.machines[t] = m
	}
	return m, err
}

func (c *compiler) close() {
	for t, m := range c.machines {
		m.Close()
		delete(c.machines, t)
	}
}
