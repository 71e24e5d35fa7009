package object

import (
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// relocation is one place to be filled in when addresses are known.
type relocation struct {
	offset uint64 // in its section
	kind   uint32
	symbol uint32
	addend int64
}

// form says what a kind of relocation needs and changes.
type form struct {
	bytes uint8 // at its place
	slot  bool  // it refers to the symbol's entry of the global offset table
	call  bool  // it calls or jumps, so a stub may stand for a target that is far
	bare  bool  // its addend must be 0
	// put fills in the bytes at address p for a target: symbol and addend, or slot
	// and addend. nil where objects are only checked, and where nothing is to be done.
	put func(at []byte, p, target uint64) error
}

// machine is what linking depends on the processor for.
type machine struct {
	elf   elf.Machine
	name  func(kind uint32) string
	forms map[uint32]form
	// check looks at how relocations go together; nil for nothing.
	check func(l *layout) error
	// stub writes code at address p that jumps to where the slot points. nil where
	// objects are only checked.
	stub func(at []byte, p, slot uint64)
}

var (
	errRange = errors.New("does not fit in the field")
	errAlign = errors.New("is not aligned as the instruction needs it")
)

func machineOf(arch string) (*machine, error) {
	switch arch {
	case "amd64":
		return &x86, nil
	case "arm64":
		return &aarch64, nil
	case "riscv64":
		return &riscv, nil
	}
	return nil, fmt.Errorf("%w: objects are read for amd64, arm64 and riscv64, not for %s", ErrProcessor, arch)
}

// relocations visits all relocations of sections that are loaded.
func (l *layout) relocations(visit func(in int, r relocation) error) error {
	for i := range l.sections {
		t := &l.sections[i]
		if t.kind != elf.SHT_RELA || l.segmentOf[t.info] == none {
			continue
		}
		for b := t.data; len(b) >= relocationBytes; b = b[relocationBytes:] {
			r := relocation{
				offset: order.Uint64(b),
				kind:   order.Uint32(b[8:]),
				symbol: order.Uint32(b[12:]),
				addend: int64(order.Uint64(b[16:])),
			}
			if err := visit(int(t.info), r); err != nil {
				return err
			}
		}
	}
	return nil
}

// scan checks all relocations and finds which symbols need a slot or a stub.
func (l *layout) scan() error {
	if err := l.checkTables(); err != nil {
		return err
	}
	l.slots, l.stubs = map[uint32]uint64{}, map[uint32]uint64{}
	err := l.relocations(func(in int, r relocation) error {
		f, err := l.checkRelocation(in, r)
		if err != nil {
			return l.failed(in, r, err)
		}
		l.symbols[r.symbol].used = true
		far := f.call && l.symbols[r.symbol].section == elf.SHN_UNDEF
		if far {
			l.stubs[r.symbol] = 0
		}
		if far || f.slot {
			l.slots[r.symbol] = 0
		}
		return nil
	})
	if err != nil || l.machine.check == nil {
		return err
	}
	return l.machine.check(l)
}

// put32 writes a signed number of 32 bits.
func put32(at []byte, v uint64) error {
	if int64(v) != int64(int32(v)) {
		return errRange
	}
	order.PutUint32(at, uint32(v))
	return nil
}

// putU32 writes an unsigned number of 32 bits.
func putU32(at []byte, _, v uint64) error {
	if v>>32 != 0 {
		return errRange
	}
	order.PutUint32(at, uint32(v))
	return nil
}

func put64(at []byte, _, v uint64) error {
	order.PutUint64(at, v)
	return nil
}

func relative64(at []byte, p, v uint64) error { return put64(at, p, v-p) }
func relative32(at []byte, p, v uint64) error { return put32(at, v-p) }

// checkTables looks at the sections that hold relocations. Tables that together
// are longer than the file share bytes, and reading them could take for ever.
func (l *layout) checkTables() error {
	var total uint64
	for i := range l.sections {
		t := &l.sections[i]
		switch t.kind {
		case elf.SHT_REL, 19, 0x40000014: // SHT_RELR, SHT_CREL
			if int(t.info) < len(l.sections) && l.segmentOf[t.info] == none {
				continue
			}
			return fmt.Errorf("section %s: relocations of type %v are not supported, only %v", t.name, t.kind, elf.SHT_RELA)
		case elf.SHT_RELA:
		default:
			continue
		}
		if int(t.info) >= len(l.sections) {
			return fmt.Errorf("section %s: it relocates section %d of %d", t.name, t.info, len(l.sections))
		}
		in := &l.sections[t.info]
		if l.segmentOf[t.info] == none {
			continue
		}
		if t.entry != relocationBytes || t.size%relocationBytes != 0 || t.link != l.table || l.table == 0 {
			return fmt.Errorf("section %s: %d bytes in entries of %d with symbols of section %d, expected entries of %d with symbols of section %d",
				t.name, t.size, t.entry, t.link, relocationBytes, l.table)
		}
		if in.kind == elf.SHT_NOBITS {
			return fmt.Errorf("section %s: it relocates section %s, which has no bytes in the file", t.name, in.name)
		}
		if total += t.size; total > l.bytes {
			return fmt.Errorf("section %s: more bytes of relocations than the file has", t.name)
		}
	}
	return nil
}

func (l *layout) checkRelocation(in int, r relocation) (form, error) {
	f, ok := l.machine.forms[r.kind]
	if !ok {
		return f, fmt.Errorf("this kind is not supported; compile for the small code model with -fPIC")
	}
	s := &l.sections[in]
	if n := uint64(f.bytes); r.offset > s.size || n > s.size-r.offset {
		return f, fmt.Errorf("its %d bytes are outside the section, which has %d", n, s.size)
	}
	if int(r.symbol) >= len(l.symbols) {
		return f, fmt.Errorf("it refers to symbol %d of %d", r.symbol, len(l.symbols))
	}
	if to := &l.symbols[r.symbol]; inSection(to) && l.segmentOf[to.section] == none {
		return f, fmt.Errorf("it refers into section %s, which is not loaded", l.sections[to.section].name)
	}
	if f.bare && r.addend != 0 {
		return f, fmt.Errorf("an entry of the global offset table with an addend is not supported")
	}
	return f, nil
}

// inSection reports whether a symbol stands in a section of the object.
func inSection(s *symbol) bool {
	return s.section != elf.SHN_UNDEF && s.section != elf.SHN_ABS && s.section != elf.SHN_COMMON
}

// failed says where a relocation is and what it refers to.
func (l *layout) failed(in int, r relocation, err error) error {
	to := fmt.Sprint("symbol ", r.symbol)
	if int(r.symbol) < len(l.symbols) {
		to = l.symbolName(r.symbol)
	}
	if r.addend != 0 {
		to += fmt.Sprintf("%+d", r.addend)
	}
	kind := l.machine.name(r.kind)
	if strings.Contains(kind, "+") { // debug/elf has no name for it
		kind = fmt.Sprint(r.kind)
	}
	return fmt.Errorf("section %s: relocation %s at byte %d, to %s: %w", l.sections[in].name, kind, r.offset, to, err)
}

func sorted(m map[uint32]uint64) []uint32 { return slices.Sorted(maps.Keys(m)) }
