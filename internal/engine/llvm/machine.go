//go:build !static && linux && (amd64 || arm64)

package llvm

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// Machine generates code for one target. Making one costs about as much as a small
// compilation, so keep it. It is safe for concurrent use, but works one at a time.
type Machine struct {
	l          *Library
	target     Target
	arch       arch
	ref        ref
	layout     ref
	layoutText string
}

// Host is this machine's processor in full. On arm64, LLVM finds features in
// /proc/cpuinfo, which an emulator does not fake; what prctl says is true there too.
func (l *Library) Host() Target {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := Target{
		Arch:        runtime.GOARCH,
		CPU:         l.take(l.c.GetHostCPUName()),
		Features:    l.take(l.c.GetHostCPUFeatures()),
		VectorBytes: ScalableBytes(),
	}
	if t.Arch == "arm64" && t.Features == "" {
		t.Features = arches[t.Arch].base.Features
		if t.VectorBytes > 0 {
			t.Features += ",+sve"
		}
	}
	return t
}

// Machine makes a machine. CPU and features come from Host or from a person: LLVM
// only warns on standard error of those that it does not know.
func (l *Library) Machine(t Target, level Level) (*Machine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := arches[t.Arch]
	if !ok {
		return nil, fmt.Errorf("LLVM target: the architecture is %q, expected one of %s", t.Arch, strings.Join(slices.Sorted(maps.Keys(arches)), ", "))
	}
	if err := l.initialise(t.Arch); err != nil {
		return nil, err
	}
	if t.CPU == "" {
		t.CPU = a.base.CPU
		t.Features = strings.Trim(a.base.Features+","+t.Features, ",")
	}
	var target ref
	var message *byte
	if l.c.GetTargetFromTriple(a.triple(), &target, &message) != 0 {
		return nil, fmt.Errorf("LLVM target %s: %s", a.triple(), l.take(message))
	}
	options := l.c.CreateTargetMachineOptions()
	defer l.c.DisposeTargetMachineOptions(options)
	l.c.TargetMachineOptionsSetCPU(options, t.CPU)
	l.c.TargetMachineOptionsSetFeatures(options, t.Features)
	l.c.TargetMachineOptionsSetABI(options, a.abi)
	l.c.TargetMachineOptionsSetCodeGenOptLevel(options, uint32(level))
	l.c.TargetMachineOptionsSetRelocMode(options, relocationPIC)
	l.c.TargetMachineOptionsSetCodeModel(options, codeModelSmall)
	m := &Machine{l: l, target: t, arch: a}
	if m.ref = l.c.CreateTargetMachineWithOptions(target, a.triple(), options); m.ref == 0 {
		return nil, fmt.Errorf("LLVM makes no machine for %s, CPU %s, features %s", a.triple(), t.CPU, t.Features)
	}
	m.layout = l.c.CreateTargetDataLayout(m.ref)
	m.layoutText = l.take(l.c.CopyStringRepOfTargetData(m.layout))
	return m, nil
}

// Close gives the machine back.
func (m *Machine) Close() {
	m.l.mu.Lock()
	defer m.l.mu.Unlock()
	if m.ref != 0 {
		m.l.c.DisposeTargetData(m.layout)
		m.l.c.DisposeTargetMachine(m.ref)
		m.ref = 0
	}
}

// take copies a string of C's and disposes of it.
func (l *Library) take(p *byte) string {
	if p == nil {
		return ""
	}
	defer l.c.DisposeMessage(p)
	return text(p)
}

// text copies a string that ends with a zero byte.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
