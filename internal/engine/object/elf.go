package object

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

// debug/elf gives the constants, but its reader is not made for hostile files,
// as its documentation says. This one never copies, and believes no length.

// Sizes of the records of a 64-bit file, and their fields' order, are those of the
// System V ABI, chapter 4.
const (
	headerBytes     = 64
	sectionBytes    = 64
	symbolBytes     = 24
	relocationBytes = 24
)

var order = binary.LittleEndian

// section is one entry of the section table. Its data lies in the file; that of
// a section without bytes in the file is nil.
type section struct {
	name        string
	kind        elf.SectionType
	flags       elf.SectionFlag
	size, align uint64
	entry       uint64 // bytes of a record, of a table
	link, info  uint32
	nameAt      uint32 // where the name stands in the table of names
	data        []byte
}

type symbol struct {
	name    string
	bind    elf.SymBind
	kind    elf.SymType
	section elf.SectionIndex
	value   uint64 // offset in the section; of a common symbol, its alignment
	size    uint64
	used    bool // something that is loaded refers to it
}

// exported reports whether others find the symbol by name.
func (s *symbol) exported() bool {
	return s.section != elf.SHN_UNDEF && (s.bind == elf.STB_GLOBAL || s.bind == elf.STB_WEAK)
}

// file is an object whose tables are read and lie inside the bytes. What its
// sections and symbols mean is not looked at yet.
type file struct {
	sections []section
	symbols  []symbol
	table    uint32 // section of the symbols, 0 if there are none
	bytes    uint64
}

func read(b []byte, m *machine) (*file, error) {
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("the file has %d bytes, the limit is %d", len(b), MaxBytes)
	}
	if err := readHeader(b, m); err != nil {
		return nil, err
	}
	f := &file{bytes: uint64(len(b))}
	if err := f.readSections(b); err != nil {
		return nil, err
	}
	for i := range f.sections {
		if f.sections[i].kind != elf.SHT_SYMTAB {
			continue
		}
		if f.table != 0 {
			return nil, fmt.Errorf("sections %d and %d are both symbol tables, and an object has one", f.table, i)
		}
		f.table = uint32(i)
	}
	if f.table == 0 {
		return f, nil
	}
	return f, f.readSymbols(&f.sections[f.table])
}

func readHeader(b []byte, m *machine) error {
	if len(b) < headerBytes {
		return fmt.Errorf("the file has %d bytes, an ELF header alone has %d", len(b), headerBytes)
	}
	if string(b[:4]) != elf.ELFMAG {
		return fmt.Errorf("the file begins with % x, an ELF object with % x", b[:4], elf.ELFMAG)
	}
	if elf.Class(b[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(b[elf.EI_DATA]) != elf.ELFDATA2LSB || elf.Version(b[elf.EI_VERSION]) != elf.EV_CURRENT {
		return fmt.Errorf("the file is not 64-bit little-endian ELF of version 1: class %d, data %d, version %d",
			b[elf.EI_CLASS], b[elf.EI_DATA], b[elf.EI_VERSION])
	}
	if t := elf.Type(order.Uint16(b[16:])); t != elf.ET_REL {
		return fmt.Errorf("the file is of type %v, a relocatable object is of type %v: compile with -c and do not link", t, elf.ET_REL)
	}
	if found := elf.Machine(order.Uint16(b[18:])); found != m.elf {
		return fmt.Errorf("%w: the object is for %v, and %v is needed", ErrProcessor, found, m.elf)
	}
	return nil
}

// readSections reads the section table and the names in it.
func (f *file) readSections(b []byte) error {
	at, each := order.Uint64(b[40:]), order.Uint16(b[58:])
	n, names := int(order.Uint16(b[60:])), int(order.Uint16(b[62:]))
	if each != sectionBytes {
		return fmt.Errorf("an entry of the section table has %d bytes in this file, expected %d", each, sectionBytes)
	}
	if n == 0 || n > maxSections {
		return fmt.Errorf("the file has %d sections, expected 1 to %d", n, maxSections)
	}
	table, ok := span(b, at, uint64(n)*sectionBytes)
	if !ok {
		return fmt.Errorf("the section table (%d entries at byte %d) ends behind the file's %d bytes", n, at, len(b))
	}
	if names >= n {
		return fmt.Errorf("the names of sections are said to be in section %d of %d", names, n)
	}
	f.sections = make([]section, n)
	for i := range f.sections {
		if err := f.sections[i].decode(table[i*sectionBytes:], b); err != nil {
			return fmt.Errorf("section %d: %w", i, err)
		}
	}
	text := string(f.sections[names].data)
	for i := range f.sections {
		s := &f.sections[i]
		if s.name, ok = nameAt(text, s.nameAt); !ok {
			return fmt.Errorf("section %d: its name, at %d, is not inside the table of names", i, s.nameAt)
		}
	}
	return nil
}

func (s *section) decode(e, b []byte) error {
	*s = section{
		nameAt: order.Uint32(e),
		kind:   elf.SectionType(order.Uint32(e[4:])),
		flags:  elf.SectionFlag(order.Uint64(e[8:])),
		size:   order.Uint64(e[32:]),
		link:   order.Uint32(e[40:]),
		info:   order.Uint32(e[44:]),
		align:  max(1, order.Uint64(e[48:])),
		entry:  order.Uint64(e[56:]),
	}
	if s.kind == elf.SHT_NULL || s.kind == elf.SHT_NOBITS {
		return nil
	}
	at, ok := order.Uint64(e[24:]), false
	if s.data, ok = span(b, at, s.size); !ok {
		return fmt.Errorf("its %d bytes at byte %d end behind the file's %d", s.size, at, len(b))
	}
	return nil
}

func (f *file) readSymbols(t *section) error {
	if t.entry != symbolBytes || t.size%symbolBytes != 0 {
		return fmt.Errorf("section %s: %d bytes in entries of %d, expected entries of %d", t.name, t.size, t.entry, symbolBytes)
	}
	n := int(t.size / symbolBytes)
	if n > maxSymbols {
		return fmt.Errorf("section %s: %d symbols, the limit is %d", t.name, n, maxSymbols)
	}
	if int(t.link) >= len(f.sections) {
		return fmt.Errorf("section %s: its names are said to be in section %d of %d", t.name, t.link, len(f.sections))
	}
	names := string(f.sections[t.link].data)
	f.symbols = make([]symbol, n)
	for i := range f.symbols {
		e := t.data[i*symbolBytes:]
		name, ok := nameAt(names, order.Uint32(e))
		if !ok {
			return fmt.Errorf("symbol %d: its name, at %d, is not inside the table of names", i, order.Uint32(e))
		}
		f.symbols[i] = symbol{
			name:    name,
			bind:    elf.ST_BIND(e[4]),
			kind:    elf.ST_TYPE(e[4]),
			section: elf.SectionIndex(order.Uint16(e[6:])),
			value:   order.Uint64(e[8:]),
			size:    order.Uint64(e[16:]),
		}
	}
	return nil
}

// span is b[at:at+n], if that lies inside b.
func span(b []byte, at, n uint64) ([]byte, bool) {
	if at > uint64(len(b)) || n > uint64(len(b))-at {
		return nil, false
	}
	return b[at : at+n : at+n], true
}

// nameAt is the name that begins at an offset of a table of names and ends with
// a zero byte. Names may share bytes, so a name is a piece of the table: copies of
// them could be many times as long as the file.
func nameAt(table string, at uint32) (string, bool) {
	if at == 0 {
		return "", true
	}
	if uint64(at) >= uint64(len(table)) {
		return "", false
	}
	rest := table[at:min(len(table), int(at)+maxName)]
	n := strings.IndexByte(rest, 0)
	if n < 0 {
		return "", false
	}
	return rest[:n], true
}
