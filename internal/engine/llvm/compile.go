//go:build !static && linux && (amd64 || arm64)

package llvm

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// diagnostic is called back by LLVM, inside of a call from compile.
func (l *Library) diagnostic(info, _ ref) {
	if l.c.GetDiagInfoSeverity(info) == severityError {
		l.said = append(l.said, l.take(l.c.GetDiagInfoDescription(info)))
	}
}

// Compile makes an object, or assembly, of a module. The error is an *Error with
// what LLVM said. A module with a target triple must be for the machine's
// architecture; one without is given the machine's.
func (m *Machine) Compile(source []byte, o Options) ([]byte, error) {
	l := m.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.ref == 0 {
		return nil, fmt.Errorf("the LLVM machine is closed")
	}
	l.said = nil
	context := l.c.ContextCreate()
	defer l.c.ContextDispose(context)
	l.c.ContextSetDiagnosticHandler(context, l.report, 0)
	module, err := l.read(context, source, o.Form)
	if err != nil {
		return nil, err
	}
	defer l.c.DisposeModule(module)
	if err := m.adopt(context, module); err != nil {
		return nil, err
	}
	if err := m.optimise(module, o.Passes); err != nil {
		return nil, err
	}
	return m.emit(module, o.Assembly)
}

// read parses a module and checks it.
func (l *Library) read(context ref, source []byte, form Form) (ref, error) {
	var module ref
	var message *byte
	var failed int32
	source = slices.Clip(source)
	if len(source) == 0 {
		return 0, &Error{"read", "it is empty"}
	}
	bitcode := strings.HasPrefix(string(source[:min(4, len(source))]), "BC\xc0\xde")
	buffer := l.c.CreateMemoryBufferWithMemoryRangeCopy(source, uintptr(len(source)), "module")
	switch {
	case form == Text && !bitcode:
		failed = l.c.ParseIRInContext(context, buffer, &module, &message)
	case form == Bitcode && bitcode:
		failed = l.c.ParseBitcodeInContext2(context, buffer, &module)
		l.c.DisposeMemoryBuffer(buffer)
	default:
		l.c.DisposeMemoryBuffer(buffer)
		return 0, &Error{"read", "it is neither LLVM text nor bitcode as was announced"}
	}
	if err := l.failure("read", failed, message); err != nil {
		return 0, err
	}
	message = nil
	failed = l.c.VerifyModule(module, returnStatus, &message)
	if err := l.failure("check", failed, message); err != nil {
		l.c.DisposeModule(module)
		return 0, err
	}
	return module, nil
}

// adopt makes the module one for this machine.
func (m *Machine) adopt(context, module ref) error {
	c := &m.l.c
	if triple := text(c.GetTarget(module)); triple != "" {
		parts := strings.Split(triple, "-")
		if parts[0] != m.arch.name || !slices.Contains(parts, "linux") {
			return &Error{"use", fmt.Sprintf("it is for %s, expected %s", triple, m.arch.triple())}
		}
	}
	if layout := text(c.GetDataLayoutStr(module)); layout != "" && layout != m.layoutText {
		return &Error{"use", fmt.Sprintf("its data layout is %s, expected %s; compile it with clang %d", layout, m.layoutText, Major)}
	}
	c.SetTarget(module, m.arch.triple())
	c.SetModuleDataLayout(module, m.layout)
	for f := c.GetFirstFunction(module); f != 0; f = c.GetNextFunction(f) {
		if c.IsDeclaration(f) == 0 {
			m.attribute(context, f)
		}
	}
	return nil
}

func (m *Machine) optimise(module ref, passes string) error {
	if passes == "" {
		return nil
	}
	c := &m.l.c
	options := c.CreatePassBuilderOptions()
	defer c.DisposePassBuilderOptions(options)
	c.PassBuilderOptionsSetSLPVectorization(options, 1) // as clang has it
	failed := c.RunPasses(module, passes, m.ref, options)
	if failed != 0 {
		message := c.GetErrorMessage(failed)
		defer c.DisposeErrorMessage(message)
		return &Error{"optimise", text(message)}
	}
	return m.l.failure("optimise", 0, nil)
}

func (m *Machine) emit(module ref, assembly bool) ([]byte, error) {
	c := &m.l.c
	kind := uint32(objectFile)
	if assembly {
		kind = assemblyFile
	}
	var message *byte
	var buffer ref
	failed := c.TargetMachineEmitToMemoryBuffer(m.ref, module, kind, &message, &buffer)
	if buffer != 0 {
		defer c.DisposeMemoryBuffer(buffer)
	}
	if err := m.l.failure("emit", failed, message); err != nil {
		return nil, err
	}
	return slices.Clone(unsafe.Slice(c.GetBufferStart(buffer), c.GetBufferSize(buffer))), nil
}

// failure collects what a step complained about, in its message or through the
// handler; some steps report errors and still claim success.
func (l *Library) failure(stage string, failed int32, message *byte) error {
	said := l.said
	l.said = nil
	if own := l.take(message); failed != 0 && own != "" {
		said = append(said, own)
	}
	if failed == 0 && len(said) == 0 {
		return nil
	}
	if len(said) == 0 {
		said = []string{"it gave no reason"}
	}
	return &Error{stage, strings.TrimSpace(strings.Join(said, "\n"))}
}
