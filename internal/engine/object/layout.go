package object

import (
	"debug/elf"
	"fmt"
	"math/bits"
	"os"
)

// segment is a part of an image with one protection.
type segment uint8

const (
	none      segment = iota // not loaded
	code                     // read, execute
	constants                // read; also what only the linker writes
	variables                // read, write
	segments
)

const (
	slotBytes = 8  // of an entry of the global offset table
	stubBytes = 16 // of a jump through such an entry, on any processor
)

// layout says where in an image everything of an object goes. Positions are in
// bytes from the image's start.
type layout struct {
	*file
	machine *machine

	segmentOf []segment // by section
	place     []uint64  // by section
	commons   map[uint32]uint64
	slots     map[uint32]uint64 // of the global offset table, by symbol
	stubs     map[uint32]uint64 // by symbol
	starts    [segments + 1]uint64
}

// examine reads an object and decides where its parts go. All that can be wrong
// with an object before its addresses are known is found here.
func examine(b []byte, m *machine) (*layout, error) {
	f, err := read(b, m)
	if err != nil {
		return nil, err
	}
	l := &layout{file: f, machine: m, segmentOf: make([]segment, len(f.sections)), place: make([]uint64, len(f.sections))}
	for i := range f.sections {
		s := &f.sections[i]
		if l.segmentOf[i], err = s.segment(); err != nil {
			return nil, fmt.Errorf("section %s: %w", s.name, err)
		}
	}
	if err := l.checkSymbols(); err != nil {
		return nil, err
	}
	if err := l.scan(); err != nil {
		return nil, err
	}
	return l, l.arrange()
}

// symbolName is the name for messages.
func (l *layout) symbolName(i uint32) string {
	s := &l.symbols[i]
	switch {
	case s.name != "":
		return s.name
	case s.kind == elf.STT_SECTION && int(s.section) < len(l.sections):
		return l.sections[s.section].name
	}
	return fmt.Sprint(i)
}

// arrange gives every section, common symbol, slot and stub its place: first
// code, then constants, then variables, each from a page on.
func (l *layout) arrange() error {
	page := uint64(os.Getpagesize())
	var end uint64
	take := func(size, align uint64) uint64 {
		at := up(end, align)
		end = at + size
		return at
	}
	for g := code; g < segments; g++ {
		l.starts[g] = take(0, page)
		for i := range l.sections {
			if s := &l.sections[i]; l.segmentOf[i] == g {
				l.place[i] = take(s.size, s.align)
			}
			if end > MaxBytes {
				return l.tooLarge()
			}
		}
		switch g {
		case code:
			for _, i := range sorted(l.stubs) {
				l.stubs[i] = take(stubBytes, stubBytes)
			}
		case constants:
			for _, i := range sorted(l.slots) {
				l.slots[i] = take(slotBytes, slotBytes)
			}
		case variables:
			for _, i := range sorted(l.commons) {
				l.commons[i] = take(l.symbols[i].size, l.symbols[i].value)
				if end > MaxBytes {
					return l.tooLarge()
				}
			}
		}
	}
	l.starts[segments] = take(0, page)
	if l.starts[segments] > MaxBytes {
		return l.tooLarge()
	}
	return nil
}

func (l *layout) tooLarge() error {
	return fmt.Errorf("its sections need more than %d bytes of memory, the limit of an image", MaxBytes)
}

// up rounds up to a multiple of a power of two.
func up(n, align uint64) uint64 {
	return (n + align - 1) >> bits.TrailingZeros64(align) << bits.TrailingZeros64(align)
}
