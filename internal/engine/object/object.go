// Package object links relocatable ELF objects into this process and calls what
// they define. Code pages are never writable and executable at once.
//
// An object is one file of a compiler: position-independent code of the small
// code model, as clang and gcc make with -fPIC. It becomes an image: one mapping
// with code (read, execute), constants (read) and variables (read, write), each
// from a page boundary. What the object needs from outside is found by name, once,
// while it is linked; there is no lazy binding.
package object

import (
	"debug/elf"
	"errors"
	"fmt"
	"runtime"
)

// Limits on what is accepted, checked before anything of that size is allocated.
const (
	MaxBytes = 64 << 20 // of an object, and of an image

	maxSections = 1 << 14
	maxSymbols  = 1 << 18
	maxName     = 4096 // bytes of a symbol's or section's name
	maxAlign    = 4096 // the least page size: an image starts at a page
)

// ErrStatic says that this binary was built with the tag static, and so has no way
// to call native code.
var ErrStatic = errors.New("this binary was built without native code (build tag static); build it without the tag to link objects")

// ErrProcessor says that objects cannot be linked on this processor, or that an
// object is for another one.
var ErrProcessor = errors.New("wrong processor")

// Resolve finds what an object refers to but does not define.
type Resolve func(symbol string) (address uintptr, ok bool)

// Image is a linked object. Its memory is freed by Close, after which nothing
// of it may run.
type Image struct {
	memory  []byte
	symbols map[string]uintptr
}

// Link places an object for this processor in memory and applies all its
// relocations. The bytes may come from anywhere: whatever is not understood, lies
// about its lengths, or refers to a symbol that resolve does not know, is an error
// that names the section and the relocation. Thread-local storage, constructors
// and indirect functions are refused.
//
// A weak symbol that resolve does not know has the address 0. The error wraps
// ErrStatic or ErrProcessor where no object could be linked, or not this one.
func Link(b []byte, resolve Resolve) (*Image, error) {
	if static {
		return nil, fmt.Errorf("object: %w", ErrStatic)
	}
	m, err := machineOf(runtime.GOARCH)
	if err == nil && m.stub == nil {
		err = fmt.Errorf("%w: objects are linked on amd64 and arm64, and this is %s", ErrProcessor, runtime.GOARCH)
	}
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	l, err := examine(b, m)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	i, err := l.link(resolve)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	return i, nil
}

// Check reads an object for any of the processors that Godwit knows ("amd64",
// "arm64", "riscv64") as Link does, without linking it: sections, symbols, and that
// all relocations are of kinds that exist there and stay inside their sections.
// It gives the symbols that the object defines and needs, in the order of its
// symbol table. Weak symbols without a definition are not among those it needs.
func Check(b []byte, arch string) (defines, needs []string, err error) {
	m, err := machineOf(arch)
	if err != nil {
		return nil, nil, fmt.Errorf("object: %w", err)
	}
	l, err := examine(b, m)
	if err != nil {
		return nil, nil, fmt.Errorf("object: %w", err)
	}
	for i := range l.symbols {
		switch s := &l.symbols[i]; {
		case s.exported():
			defines = append(defines, s.name)
		case s.section == elf.SHN_UNDEF && s.bind == elf.STB_GLOBAL && s.used:
			needs = append(needs, s.name)
		}
	}
	return defines, needs, nil
}

// Symbol is the address of a symbol that the object defines.
func (i *Image) Symbol(name string) (uintptr, bool) {
	a, ok := i.symbols[name]
	return a, ok
}

// Bytes is the memory that the image takes.
func (i *Image) Bytes() int64 { return int64(len(i.memory)) }

// Close unmaps the image. A second Close does nothing.
func (i *Image) Close() error {
	memory := i.memory
	i.memory, i.symbols = nil, nil
	return release(memory)
}
