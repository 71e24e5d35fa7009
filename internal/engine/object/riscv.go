package object

import (
	"debug/elf"
	"fmt"
)

// riscv is the RISC-V ELF psABI, chapter 8. Objects are only checked: Godwit runs
// no native code there. Relaxation is a linker's choice; a linker that aligns as the
// sections say may leave out all of it.
var riscv = machine{
	elf:  elf.EM_RISCV,
	name: func(kind uint32) string { return elf.R_RISCV(kind).String() },
	forms: map[uint32]form{
		uint32(elf.R_RISCV_NONE):         {},
		uint32(elf.R_RISCV_32):           {bytes: 4},
		uint32(elf.R_RISCV_64):           {bytes: 8},
		uint32(elf.R_RISCV_32_PCREL):     {bytes: 4},
		uint32(elf.R_RISCV_BRANCH):       {bytes: 4},
		uint32(elf.R_RISCV_JAL):          {bytes: 4},
		uint32(elf.R_RISCV_RVC_BRANCH):   {bytes: 2},
		uint32(elf.R_RISCV_RVC_JUMP):     {bytes: 2},
		uint32(elf.R_RISCV_CALL):         {bytes: 8},
		uint32(elf.R_RISCV_CALL_PLT):     {bytes: 8},
		uint32(elf.R_RISCV_GOT_HI20):     {bytes: 4},
		uint32(elf.R_RISCV_PCREL_HI20):   {bytes: 4},
		uint32(elf.R_RISCV_PCREL_LO12_I): {bytes: 4, bare: true},
		uint32(elf.R_RISCV_PCREL_LO12_S): {bytes: 4, bare: true},
		uint32(elf.R_RISCV_ADD8):         {bytes: 1},
		uint32(elf.R_RISCV_ADD16):        {bytes: 2},
		uint32(elf.R_RISCV_ADD32):        {bytes: 4},
		uint32(elf.R_RISCV_ADD64):        {bytes: 8},
		uint32(elf.R_RISCV_SUB6):         {bytes: 1},
		uint32(elf.R_RISCV_SUB8):         {bytes: 1},
		uint32(elf.R_RISCV_SUB16):        {bytes: 2},
		uint32(elf.R_RISCV_SUB32):        {bytes: 4},
		uint32(elf.R_RISCV_SUB64):        {bytes: 8},
		uint32(elf.R_RISCV_SET6):         {bytes: 1},
		uint32(elf.R_RISCV_SET8):         {bytes: 1},
		uint32(elf.R_RISCV_SET16):        {bytes: 2},
		uint32(elf.R_RISCV_SET32):        {bytes: 4},
		uint32(elf.R_RISCV_RELAX):        {},
		uint32(elf.R_RISCV_ALIGN):        {},
	},
	check: checkRiscv,
}

// checkRiscv looks at what spans more than one relocation: the lower half of an
// address names the place of its upper half, and padding says its own length.
func checkRiscv(l *layout) error {
	type place struct {
		section int
		offset  uint64
	}
	upper := map[place]bool{}
	l.relocations(func(in int, r relocation) error {
		if k := elf.R_RISCV(r.kind); k == elf.R_RISCV_PCREL_HI20 || k == elf.R_RISCV_GOT_HI20 {
			upper[place{in, r.offset}] = true
		}
		return nil
	})
	return l.relocations(func(in int, r relocation) error {
		var err error
		switch elf.R_RISCV(r.kind) {
		case elf.R_RISCV_PCREL_LO12_I, elf.R_RISCV_PCREL_LO12_S:
			s := &l.symbols[r.symbol]
			if !upper[place{int(s.section), s.value}] {
				err = fmt.Errorf("the symbol is not the place of an upper half (PCREL_HI20 or GOT_HI20)")
			}
		case elf.R_RISCV_ALIGN:
			if left := l.sections[in].size - r.offset; r.addend < 0 || uint64(r.addend) > left {
				err = fmt.Errorf("it spans %d bytes, and its section has %d more", r.addend, left)
			}
		}
		if err != nil {
			return l.failed(in, r, err)
		}
		return nil
	})
}
