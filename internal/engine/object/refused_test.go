//go:build !static

package object

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	b := plain().bytes()
	defines, needs, err := Check(b, runtime.GOARCH)
	if err != nil || fmt.Sprint(defines, needs) != "[more pointer] []" {
		t.Fatal(defines, needs, err)
	}
	image, err := Link(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	more, _ := image.Symbol("more")
	pointer, _ := image.Symbol("pointer")
	if got := binary.LittleEndian.Uint64(image.memory[uint64(pointer)-address(image.memory):]); got != uint64(more) {
		t.Errorf("the pointer is %#x, expected %#x", got, more)
	}
	if got := Call(more, 41); got != 42 {
		t.Errorf("%d, expected 42", got)
	}
	if image.Bytes() < 2*4096 || image.Bytes() > 4*65536 {
		t.Errorf("the image has %d bytes", image.Bytes())
	}
	if err := errors.Join(image.Close(), image.Close()); err != nil {
		t.Error(err)
	}
	if _, ok := image.Symbol("more"); ok {
		t.Error("a closed image has symbols")
	}
}

func put16(at int, v uint16) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint16(b[at:], v) }
}

func TestRefused(t *testing.T) {
	load := elf.SHF_ALLOC | elf.SHF_WRITE
	section := func(c sketchSection) func(*sketch) {
		return func(s *sketch) { // it goes where nothing counts sections: in place of .data
			s.sections[1], s.sections[2], s.symbols = c, sketchSection{kind: elf.SHT_NULL}, nil
		}
	}
	symbol := func(y sketchSymbol) func(*sketch) {
		return func(s *sketch) { s.symbols = append(s.symbols, y) }
	}
	relocation := func(b []byte) func(*sketch) { return func(s *sketch) { s.sections[2].data = b } }
	header := func(f func([]byte)) func(*sketch) { return func(s *sketch) { s.header = f } }
	kind := uint32(elf.R_X86_64_64)
	if runtime.GOARCH == "arm64" {
		kind = uint32(elf.R_AARCH64_ABS64)
	}
	global := elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT)
	cases := map[string]struct {
		change func(*sketch)
		want   string
	}{
		"magic":               {header(func(b []byte) { b[0] = 'E' }), "begins with"},
		"32 bits":             {header(func(b []byte) { b[4] = 1 }), "not 64-bit"},
		"big-endian":          {header(func(b []byte) { b[5] = 2 }), "not 64-bit"},
		"executable":          {header(put16(16, 2)), "type ET_EXEC"},
		"other machine":       {header(put16(18, 8)), "wrong processor"},
		"entries":             {header(put16(58, 40)), "40 bytes"},
		"no sections":         {header(put16(60, 0)), "0 sections"},
		"many sections":       {header(put16(60, maxSections+1)), "16385 sections"},
		"more sections":       {header(put16(60, 7)), "section table"},
		"names elsewhere":     {header(put16(62, 99)), "section 99"},
		"table elsewhere":     {header(func(b []byte) { b[47] = 0xff }), "section table"},
		"cut":                 {func(s *sketch) { s.cut = 1 }, "section table"},
		"long section":        {func(s *sketch) { s.sections[0].size = 1 << 40 }, "end behind"},
		"longest section":     {func(s *sketch) { s.sections[0].size = 1<<64 - 1 }, "end behind"},
		"bad alignment":       {func(s *sketch) { s.sections[0].align = 3 }, "alignment of 3"},
		"large alignment":     {func(s *sketch) { s.sections[0].align = 8192 }, "alignment of 8192"},
		"write and execute":   {func(s *sketch) { s.sections[0].flags |= elf.SHF_WRITE }, "writable and executable"},
		"compressed":          {func(s *sketch) { s.sections[1].flags |= elf.SHF_COMPRESSED }, "SHF_COMPRESSED"},
		"thread-local":        {section(sketchSection{name: ".tbss", kind: elf.SHT_NOBITS, flags: load | elf.SHF_TLS, size: 8}), "thread-local"},
		"constructor":         {section(sketchSection{name: ".init_array", kind: elf.SHT_INIT_ARRAY, flags: load, data: make([]byte, 8)}), "constructors"},
		"constructor by name": {section(sketchSection{name: ".ctors.65435", kind: elf.SHT_PROGBITS, flags: load, data: make([]byte, 8)}), "constructors"},
		"unknown type":        {section(sketchSection{name: ".new", kind: 0x60000099, flags: load, data: make([]byte, 8)}), "not known"},
		"large bss":           {section(sketchSection{name: ".bss", kind: elf.SHT_NOBITS, flags: load, size: 1 << 30}), "limit of an image"},
		"full bss":            {section(sketchSection{name: ".bss", kind: elf.SHT_NOBITS, flags: load, size: MaxBytes}), "limit of an image"},
		"code without bytes":  {section(sketchSection{name: ".text2", kind: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, size: 8}), "no bytes"},
		"two tables":          {section(sketchSection{name: ".symtab2", kind: elf.SHT_SYMTAB, entry: symbolBytes}), "both symbol tables"},

		"thread-local symbol": {symbol(sketchSymbol{"v", elf.ST_INFO(elf.STB_GLOBAL, elf.STT_TLS), sketchData, 0, 8}), "symbol v: it is thread-local"},
		"indirect function":   {symbol(sketchSymbol{"f", elf.ST_INFO(elf.STB_GLOBAL, elf.STT_GNU_IFUNC), sketchText, 0, 8}), "symbol f: it is an indirect"},
		"symbol behind":       {symbol(sketchSymbol{"v", global, sketchData, 17, 0}), "outside section .data"},
		"symbol over the end": {symbol(sketchSymbol{"v", global, sketchData, 8, 9}), "outside section .data"},
		"long symbol":         {symbol(sketchSymbol{"v", global, sketchData, 8, 1<<64 - 1}), "outside section .data"},
		"no section":          {symbol(sketchSymbol{"v", global, 77, 0, 0}), "section 77"},
		"extended section":    {symbol(sketchSymbol{"v", global, elf.SHN_XINDEX, 0, 0}), "section 65535"},
		"twice":               {symbol(sketchSymbol{"more", global, sketchData, 0, 8}), "symbol more: it is defined twice"},
		"no name":             {symbol(sketchSymbol{"", global, sketchData, 0, 8}), "no name"},
		"long name":           {symbol(sketchSymbol{strings.Repeat("n", maxName), global, sketchData, 0, 8}), "name"},
		"local, undefined":    {symbol(sketchSymbol{"v", elf.ST_INFO(elf.STB_LOCAL, elf.STT_OBJECT), elf.SHN_UNDEF, 0, 0}), "local and not defined"},
		"binding":             {symbol(sketchSymbol{"v", 7 << 4, sketchData, 0, 8}), "binding"},
		"common alignment":    {symbol(sketchSymbol{"v", global, elf.SHN_COMMON, 24, 8}), "aligned to 24"},
		"large common":        {symbol(sketchSymbol{"v", global, elf.SHN_COMMON, 8, MaxBytes + 1}), "67108865 bytes"},
		"much common": {func(s *sketch) {
			for i := range 70 {
				s.symbols = append(s.symbols, sketchSymbol{fmt.Sprint("v", i), global, elf.SHN_COMMON, 8, 1 << 20})
			}
		}, "limit of an image"},

		"unknown relocation":     {relocation(rela(8, 9999, 1, 0)), "section .data: relocation 9999 at byte 8, to more: this kind is not supported"},
		"relocation over end":    {relocation(rela(9, kind, 1, 5)), "at byte 9, to more+5: its 8 bytes are outside"},
		"relocation far outside": {relocation(rela(1<<64-4, kind, 1, 0)), "outside the section"},
		"relocation symbol":      {relocation(rela(8, kind, 99, 0)), "symbol 99 of 3"},
		"half a relocation":      {relocation(make([]byte, 12)), "expected entries of 24"},
		"relocation entries":     {func(s *sketch) { s.sections[2].entry = 16 }, "expected entries of 24"},
		"other symbols":          {func(s *sketch) { s.sections[2].link = 1 }, "symbols of section 1"},
		"relocates nothing":      {func(s *sketch) { s.sections[2].info = 99 }, "relocates section 99"},
		"without addends":        {func(s *sketch) { s.sections[2].kind = elf.SHT_REL }, "not supported, only SHT_RELA"},
		"relocates zeroes": {func(s *sketch) {
			s.sections[1].kind, s.sections[1].size = elf.SHT_NOBITS, 16
		}, "no bytes in the file"},
		"refers to a note": {func(s *sketch) {
			s.sections[0].kind, s.sections[0].flags = elf.SHT_NOTE, elf.SHF_ALLOC
		}, "which is not loaded"},
		"unknown symbol": {func(s *sketch) {
			s.symbols[0] = sketchSymbol{name: "other", info: global}
		}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := plain()
			c.change(s)
			b := s.bytes()
			_, _, err := Check(b, runtime.GOARCH)
			_, linked := Link(b, nil)
			if c.want == "" { // only linking finds it
				if err != nil {
					t.Fatal(err)
				}
				c.want, err = "to other: the symbol is not defined", linked
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, expected an error with %q", err, c.want)
			}
			if linked == nil || linked.Error() != err.Error() {
				t.Errorf("Link says %v, Check says %v", linked, err)
			}
		})
	}
	for n := range plain().bytes() {
		if _, _, err := Check(plain().bytes()[:n], runtime.GOARCH); err == nil {
			t.Errorf("the first %d bytes are accepted", n)
		}
	}
	if _, _, err := Check(plain().bytes(), "mips"); !errors.Is(err, ErrProcessor) {
		t.Errorf("for a processor that is not known: %v", err)
	}
}

// Sections that all claim the same bytes make much of little.
func TestSharedRelocations(t *testing.T) {
	s := plain()
	for range 1000 {
		s.sections = append(s.sections, s.sections[2])
	}
	b := s.bytes()
	// All tables now begin where the first one does, and have all its bytes.
	headers := binary.LittleEndian.Uint64(b[40:])
	first := b[headers+sketchRela*sectionBytes:][:sectionBytes]
	binary.LittleEndian.PutUint64(first[32:], 24_000)
	for i := range 1000 {
		copy(b[headers+uint64(4+i)*sectionBytes:], first)
	}
	for i := range 1001 { // .symtab has moved
		binary.LittleEndian.PutUint32(b[headers+uint64(3+i)*sectionBytes+40:], 1004)
	}
	if _, _, err := Check(b, runtime.GOARCH); err == nil || !strings.Contains(err.Error(), "more bytes of relocations than the file has") {
		t.Error(err)
	}
}
