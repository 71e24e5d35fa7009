package object

import (
	"debug/elf"
	"encoding/binary"
	"runtime"
)

// A sketch is an object written by hand, right or wrong.
type sketch struct {
	header   func(b []byte) // changes the header
	machine  elf.Machine
	sections []sketchSection // after the null section; then come .symtab and .strtab
	symbols  []sketchSymbol  // after the null symbol
	cut      int             // bytes to leave out at the end
}

type sketchSection struct {
	name        string
	kind        elf.SectionType
	flags       elf.SectionFlag
	data        []byte
	size, align uint64 // size 0: that of the data
	entry       uint64
	link, info  uint32
}

type sketchSymbol struct {
	name        string
	info        byte
	section     elf.SectionIndex
	value, size uint64
}

const (
	sketchText = iota + 1 // sections of a plain sketch
	sketchData
	sketchRela
	sketchTable
)

// plain is an object with a function that adds 1, and a variable that points to
// the function.
func plain() *sketch {
	s := &sketch{machine: elf.EM_X86_64}
	text, kind := []byte{0x48, 0x8d, 0x47, 0x01, 0xc3, 0xcc, 0xcc, 0xcc}, uint32(elf.R_X86_64_64)
	if runtime.GOARCH == "arm64" {
		s.machine, kind = elf.EM_AARCH64, uint32(elf.R_AARCH64_ABS64)
		text = []byte{0x00, 0x04, 0x00, 0x91, 0xc0, 0x03, 0x5f, 0xd6}
	}
	s.sections = []sketchSection{
		{name: ".text", kind: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, data: text, align: 16},
		{name: ".data", kind: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, data: make([]byte, 16), align: 8},
		{name: ".rela.data", kind: elf.SHT_RELA, data: rela(8, kind, 1, 0), align: 8, entry: relocationBytes, link: sketchTable, info: sketchData},
	}
	s.symbols = []sketchSymbol{
		{name: "more", info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), section: sketchText, size: 8},
		{name: "pointer", info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT), section: sketchData, value: 8, size: 8},
	}
	return s
}

func rela(offset uint64, kind, symbol uint32, addend int64) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, offset)
	b = binary.LittleEndian.AppendUint64(b, uint64(symbol)<<32|uint64(kind))
	return binary.LittleEndian.AppendUint64(b, uint64(addend))
}

func (s *sketch) bytes() []byte {
	le := binary.LittleEndian
	names := []byte{0}
	name := func(n string) uint32 {
		if n == "" {
			return 0
		}
		names = append(append(names, n...), 0)
		return uint32(len(names) - len(n) - 1)
	}
	table := make([]byte, symbolBytes)
	for _, y := range s.symbols {
		table = le.AppendUint32(table, name(y.name))
		table = append(table, y.info, 0)
		table = le.AppendUint16(table, uint16(y.section))
		table = le.AppendUint64(table, y.value)
		table = le.AppendUint64(table, y.size)
	}
	n := uint32(len(s.sections))
	all := append(append([]sketchSection{{}}, s.sections...),
		sketchSection{name: ".symtab", kind: elf.SHT_SYMTAB, data: table, entry: symbolBytes, link: n + 2, align: 8},
		sketchSection{name: ".strtab", kind: elf.SHT_STRTAB, align: 1})
	file, headers := make([]byte, headerBytes), []byte{}
	for i, c := range all {
		at := name(c.name)
		if i == len(all)-1 {
			c.data = names
		}
		if c.size == 0 {
			c.size = uint64(len(c.data))
		}
		headers = le.AppendUint32(headers, at)
		headers = le.AppendUint32(headers, uint32(c.kind))
		for _, v := range []uint64{uint64(c.flags), 0, uint64(len(file)), c.size, uint64(c.info)<<32 | uint64(c.link), c.align, c.entry} {
			headers = le.AppendUint64(headers, v)
		}
		file = append(file, c.data...)
	}
	copy(file, "\x7fELF\x02\x01\x01")
	le.PutUint16(file[16:], uint16(elf.ET_REL))
	le.PutUint16(file[18:], uint16(s.machine))
	le.PutUint64(file[40:], uint64(len(file)))
	le.PutUint16(file[58:], sectionBytes)
	le.PutUint16(file[60:], uint16(len(all)))
	le.PutUint16(file[62:], uint16(len(all)-1))
	if s.header != nil {
		s.header(file)
	}
	file = append(file, headers...)
	return file[:len(file)-s.cut]
}
