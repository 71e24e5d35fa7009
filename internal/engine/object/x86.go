package object

import "debug/elf"

// x86 is the x86-64 psABI, section 4.4. To replace loads from the global offset
// table by addresses (GOTPCRELX) is optional, and left out.
var x86 = machine{
	elf:  elf.EM_X86_64,
	name: func(kind uint32) string { return elf.R_X86_64(kind).String() },
	forms: map[uint32]form{
		uint32(elf.R_X86_64_NONE):          {},
		uint32(elf.R_X86_64_64):            {bytes: 8, put: put64},
		uint32(elf.R_X86_64_PC64):          {bytes: 8, put: relative64},
		uint32(elf.R_X86_64_32):            {bytes: 4, put: putU32},
		uint32(elf.R_X86_64_32S):           {bytes: 4, put: func(at []byte, _, v uint64) error { return put32(at, v) }},
		uint32(elf.R_X86_64_PC32):          {bytes: 4, put: relative32},
		uint32(elf.R_X86_64_PLT32):         {bytes: 4, put: relative32, call: true},
		uint32(elf.R_X86_64_GOTPCREL):      {bytes: 4, put: relative32, slot: true},
		uint32(elf.R_X86_64_GOTPCRELX):     {bytes: 4, put: relative32, slot: true},
		uint32(elf.R_X86_64_REX_GOTPCRELX): {bytes: 4, put: relative32, slot: true},
	},
	// endbr64; jmp *slot(%rip)
	stub: func(at []byte, p, slot uint64) {
		n := copy(at, []byte{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25})
		order.PutUint32(at[n:], uint32(slot-(p+uint64(n)+4)))
	},
}
