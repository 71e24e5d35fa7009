package object

import "debug/elf"

// aarch64 is ELF for the Arm 64-bit architecture (aaelf64), section 5.7.
var aarch64 = machine{
	elf:  elf.EM_AARCH64,
	name: func(kind uint32) string { return elf.R_AARCH64(kind).String() },
	forms: map[uint32]form{
		uint32(elf.R_AARCH64_NONE):                {},
		uint32(elf.R_AARCH64_ABS64):               {bytes: 8, put: put64},
		uint32(elf.R_AARCH64_PREL64):              {bytes: 8, put: relative64},
		uint32(elf.R_AARCH64_ABS32):               {bytes: 4, put: putU32},
		uint32(elf.R_AARCH64_PREL32):              {bytes: 4, put: relative32},
		uint32(elf.R_AARCH64_MOVW_UABS_G0):        {bytes: 4, put: move16(0, true)},
		uint32(elf.R_AARCH64_MOVW_UABS_G0_NC):     {bytes: 4, put: move16(0, false)},
		uint32(elf.R_AARCH64_MOVW_UABS_G1):        {bytes: 4, put: move16(16, true)},
		uint32(elf.R_AARCH64_MOVW_UABS_G1_NC):     {bytes: 4, put: move16(16, false)},
		uint32(elf.R_AARCH64_MOVW_UABS_G2):        {bytes: 4, put: move16(32, true)},
		uint32(elf.R_AARCH64_MOVW_UABS_G2_NC):     {bytes: 4, put: move16(32, false)},
		uint32(elf.R_AARCH64_MOVW_UABS_G3):        {bytes: 4, put: move16(48, true)},
		uint32(elf.R_AARCH64_ADR_PREL_PG_HI21):    {bytes: 4, put: page21},
		uint32(elf.R_AARCH64_ADR_GOT_PAGE):        {bytes: 4, put: page21, slot: true, bare: true},
		uint32(elf.R_AARCH64_ADD_ABS_LO12_NC):     {bytes: 4, put: low12(0)},
		uint32(elf.R_AARCH64_LDST8_ABS_LO12_NC):   {bytes: 4, put: low12(0)},
		uint32(elf.R_AARCH64_LDST16_ABS_LO12_NC):  {bytes: 4, put: low12(1)},
		uint32(elf.R_AARCH64_LDST32_ABS_LO12_NC):  {bytes: 4, put: low12(2)},
		uint32(elf.R_AARCH64_LDST64_ABS_LO12_NC):  {bytes: 4, put: low12(3)},
		uint32(elf.R_AARCH64_LDST128_ABS_LO12_NC): {bytes: 4, put: low12(4)},
		uint32(elf.R_AARCH64_LD64_GOT_LO12_NC):    {bytes: 4, put: low12(3), slot: true, bare: true},
		uint32(elf.R_AARCH64_JUMP26):              {bytes: 4, put: branch26, call: true},
		uint32(elf.R_AARCH64_CALL26):              {bytes: 4, put: branch26, call: true},
	},
	stub: stubAarch64,
}

// field replaces bits of an instruction.
func field(at []byte, mask, bits uint32) { order.PutUint32(at, order.Uint32(at)&^mask|bits&mask) }

// page21 is the distance of 4 KiB pages, in ADRP: its low 2 bits at bit 29, the
// other 19 at bit 5.
func page21(at []byte, p, target uint64) error {
	pages := int64(target&^0xfff-p&^0xfff) >> 12
	if pages < -1<<20 || pages >= 1<<20 {
		return errRange
	}
	field(at, 3<<29|0x7ffff<<5, uint32(pages)&3<<29|uint32(pages>>2)&0x7ffff<<5)
	return nil
}

// low12 is the place in a 4 KiB page, at bit 10, in units of 1<<scale bytes.
func low12(scale int) func(at []byte, p, target uint64) error {
	return func(at []byte, _, target uint64) error {
		if target&(1<<scale-1) != 0 {
			return errAlign
		}
		field(at, 0xfff<<10, uint32(target&0xfff>>scale)<<10)
		return nil
	}
}

// move16 is 16 bits of an address, at bit 5 of MOVZ or MOVK. Where the address
// must fit, no higher bits may be set.
func move16(shift int, fit bool) func(at []byte, p, target uint64) error {
	return func(at []byte, _, target uint64) error {
		if fit && target>>shift>>16 != 0 {
			return errRange
		}
		field(at, 0xffff<<5, uint32(target>>shift)&0xffff<<5)
		return nil
	}
}

// branch26 is a distance of up to 128 MiB, in instructions.
func branch26(at []byte, p, target uint64) error {
	d := int64(target - p)
	switch {
	case d&3 != 0:
		return errAlign
	case d < -1<<27 || d >= 1<<27:
		return errRange
	}
	field(at, 1<<26-1, uint32(d>>2))
	return nil
}

// stubAarch64 is adrp x16, slot; ldr x16, [x16, slot]; br x16. Between a call and
// its target x16 belongs to linkers.
func stubAarch64(at []byte, p, slot uint64) {
	for i, instruction := range []uint32{0x90000010, 0xf9400210, 0xd61f0200} {
		order.PutUint32(at[4*i:], instruction)
	}
	// Both fit: slots are aligned, and an image is smaller than 4 GiB.
	_ = page21(at, p, slot)
	_ = low12(3)(at[4:], p, slot)
}
