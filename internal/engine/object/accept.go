package object

import (
	"debug/elf"
	"fmt"
	"strings"
)

// This file says which sections and symbols an object may have.

// segment decides where a section goes, or that it must not be there at all.
func (s *section) segment() (segment, error) {
	switch {
	case s.flags&elf.SHF_TLS != 0:
		return none, fmt.Errorf("thread-local storage is not supported; use plain variables")
	case constructors(s):
		return none, fmt.Errorf("constructors and destructors are not supported; call a function of your own")
	case s.flags&elf.SHF_ALLOC == 0:
		return none, nil
	case s.kind == elf.SHT_NOTE, s.name == ".eh_frame":
		return none, nil // nothing unwinds through an image
	case s.kind != elf.SHT_PROGBITS && s.kind != elf.SHT_NOBITS:
		return none, fmt.Errorf("its type %v is not known, but it is to be loaded", s.kind)
	case s.flags&^known != 0:
		return none, fmt.Errorf("its flags %v are not supported", s.flags&^known)
	case s.align&(s.align-1) != 0 || s.align > maxAlign:
		return none, fmt.Errorf("an alignment of %d, expected a power of two up to %d", s.align, maxAlign)
	case s.size > MaxBytes:
		return none, fmt.Errorf("%d bytes, the limit of an image is %d", s.size, MaxBytes)
	}
	write, execute := s.flags&elf.SHF_WRITE != 0, s.flags&elf.SHF_EXECINSTR != 0
	switch {
	case write && execute:
		return none, fmt.Errorf("it is writable and executable at once")
	case execute && s.kind == elf.SHT_NOBITS:
		return none, fmt.Errorf("it is code, but has no bytes in the file")
	case execute:
		return code, nil
	case !write, s.name == ".data.rel.ro", strings.HasPrefix(s.name, ".data.rel.ro."):
		return constants, nil
	}
	return variables, nil
}

// known are the flags that a section to be loaded may have.
const known = elf.SHF_ALLOC | elf.SHF_WRITE | elf.SHF_EXECINSTR | elf.SHF_MERGE | elf.SHF_STRINGS |
	elf.SHF_INFO_LINK | elf.SHF_LINK_ORDER | elf.SHF_GROUP | 0x200000 // SHF_GNU_RETAIN

func constructors(s *section) bool {
	switch s.kind {
	case elf.SHT_INIT_ARRAY, elf.SHT_FINI_ARRAY, elf.SHT_PREINIT_ARRAY:
		return true
	}
	for _, name := range []string{".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".init", ".fini"} {
		if s.name == name || strings.HasPrefix(s.name, name+".") {
			return true
		}
	}
	return false
}

// checkSymbols looks at what each symbol is and where it stands.
func (l *layout) checkSymbols() error {
	l.commons = map[uint32]uint64{}
	defined := map[string]bool{}
	for i := range l.symbols {
		s := &l.symbols[i]
		if err := l.checkSymbol(uint32(i), s); err != nil {
			return fmt.Errorf("symbol %s: %w", l.symbolName(uint32(i)), err)
		}
		if !s.exported() {
			continue
		}
		if defined[s.name] {
			return fmt.Errorf("symbol %s: it is defined twice", s.name)
		}
		defined[s.name] = true
	}
	return nil
}

func (l *layout) checkSymbol(i uint32, s *symbol) error {
	switch s.kind {
	case elf.STT_TLS:
		return fmt.Errorf("it is thread-local, which is not supported; use a plain variable")
	case elf.STT_GNU_IFUNC:
		return fmt.Errorf("it is an indirect function, which is not supported; choose by a plain function pointer")
	}
	if s.bind != elf.STB_LOCAL && s.bind != elf.STB_GLOBAL && s.bind != elf.STB_WEAK {
		return fmt.Errorf("its binding %v is not known", s.bind)
	}
	if s.name == "" && s.bind != elf.STB_LOCAL {
		return fmt.Errorf("it is global and has no name")
	}
	switch {
	case s.section == elf.SHN_UNDEF && s.bind == elf.STB_LOCAL && i != 0:
		return fmt.Errorf("it is local and not defined")
	case s.section == elf.SHN_UNDEF, s.section == elf.SHN_ABS:
		return nil
	case s.section == elf.SHN_COMMON:
		if s.value == 0 || s.value&(s.value-1) != 0 || s.value > maxAlign || s.size > MaxBytes {
			return fmt.Errorf("%d bytes aligned to %d, expected up to %d aligned to a power of two up to %d", s.size, s.value, MaxBytes, maxAlign)
		}
		l.commons[i] = 0
		return nil
	case int(s.section) >= len(l.sections):
		return fmt.Errorf("it is said to be in section %d of %d", int(s.section), len(l.sections))
	}
	in := &l.sections[s.section]
	if s.value > in.size || s.size > in.size-s.value {
		return fmt.Errorf("its bytes %d to %d+%d are outside section %s, which has %d", s.value, s.value, s.size, in.name, in.size)
	}
	return nil
}
