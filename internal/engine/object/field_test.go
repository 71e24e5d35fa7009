package object

import (
	"debug/elf"
	"strings"
	"testing"
)

// Values at the edges of what the fields of instructions hold. The encodings are
// those of llvm-mc.
func TestFields(t *testing.T) {
	const p = 0x7f00_1234_5000
	x := func(k elf.R_X86_64) form { return x86.forms[uint32(k)] }
	a := func(k elf.R_AARCH64) form { return aarch64.forms[uint32(k)] }
	const fail = 0xbad
	cases := []struct {
		name   string
		form   form
		before uint32
		target uint64
		want   uint32
	}{
		{"PC32 up", x(elf.R_X86_64_PC32), 0, p + 1<<31 - 1, 1<<31 - 1},
		{"PC32 over", x(elf.R_X86_64_PC32), 0, p + 1<<31, fail},
		{"PC32 down", x(elf.R_X86_64_PC32), 0, p - 1<<31, 1 << 31},
		{"PC32 under", x(elf.R_X86_64_PC32), 0, p - 1<<31 - 1, fail},
		{"32", x(elf.R_X86_64_32), 0, 1<<32 - 1, 1<<32 - 1},
		{"32 over", x(elf.R_X86_64_32), 0, 1 << 32, fail},
		{"32 negative", x(elf.R_X86_64_32), 0, 1<<64 - 1, fail},
		{"32S", x(elf.R_X86_64_32S), 0, 1<<64 - 1, 1<<32 - 1},
		{"32S over", x(elf.R_X86_64_32S), 0, 1 << 31, fail},

		{"bl up", a(elf.R_AARCH64_CALL26), 0x94000000, p + 1<<27 - 4, 0x95ffffff},
		{"bl over", a(elf.R_AARCH64_CALL26), 0x94000000, p + 1<<27, fail},
		{"b down", a(elf.R_AARCH64_JUMP26), 0x14000000, p - 1<<27, 0x16000000},
		{"b under", a(elf.R_AARCH64_JUMP26), 0x14000000, p - 1<<27 - 4, fail},
		{"b between", a(elf.R_AARCH64_JUMP26), 0x14000000, p + 2, fail},
		{"adrp 1", a(elf.R_AARCH64_ADR_PREL_PG_HI21), 0x90000000, p + 0x1fff, 0xb0000000},
		{"adrp -1", a(elf.R_AARCH64_ADR_PREL_PG_HI21), 0x90000000, p - 1, 0xf0ffffe0},
		{"adrp up", a(elf.R_AARCH64_ADR_PREL_PG_HI21), 0x90000000, p + (1<<20-1)<<12, 0xf07fffe0},
		{"adrp over", a(elf.R_AARCH64_ADR_PREL_PG_HI21), 0x90000000, p + 1<<32, fail},
		{"adrp down", a(elf.R_AARCH64_ADR_PREL_PG_HI21), 0x90000000, p - 1<<32, 0x90800000},
		{"adrp under", a(elf.R_AARCH64_ADR_PREL_PG_HI21), 0x90000000, p - 1<<32 - 1, fail},
		{"add", a(elf.R_AARCH64_ADD_ABS_LO12_NC), 0x91000000, 0x7fff_fabc, 0x912af000},
		{"ldrb", a(elf.R_AARCH64_LDST8_ABS_LO12_NC), 0x39400000, 0xfff, 0x397ffc00},
		{"ldrh", a(elf.R_AARCH64_LDST16_ABS_LO12_NC), 0x79400000, 0xffe, 0x795ffc00},
		{"ldrh odd", a(elf.R_AARCH64_LDST16_ABS_LO12_NC), 0x79400000, 0xfff, fail},
		{"ldr w", a(elf.R_AARCH64_LDST32_ABS_LO12_NC), 0xb9400000, 0xffc, 0xb94ffc00},
		{"ldr x", a(elf.R_AARCH64_LDST64_ABS_LO12_NC), 0xf9400000, 0xff8, 0xf947fc00},
		{"ldr x between", a(elf.R_AARCH64_LDST64_ABS_LO12_NC), 0xf9400000, 0xffc, fail},
		{"ldr q", a(elf.R_AARCH64_LDST128_ABS_LO12_NC), 0x3dc00000, 0xff0, 0x3dc3fc00},
		{"movz", a(elf.R_AARCH64_MOVW_UABS_G1), 0xd2a00000, 0xffff_0000, 0xd2bfffe0},
		{"movz over", a(elf.R_AARCH64_MOVW_UABS_G1), 0xd2a00000, 0x1_0000_0000, fail},
		{"movk", a(elf.R_AARCH64_MOVW_UABS_G2_NC), 0xf2c00000, 0x1_8000_0000_0000, 0xf2d00000},
		{"movk top", a(elf.R_AARCH64_MOVW_UABS_G3), 0xf2e00000, 0xffff_0000_0000_0000, 0xf2ffffe0},
	}
	for _, c := range cases {
		b := make([]byte, 8)
		order.PutUint32(b, c.before)
		err := c.form.put(b, p, c.target)
		if got := order.Uint32(b); (err != nil) != (c.want == fail) || err == nil && got != c.want {
			t.Errorf("%s: %#x, %v; expected %#x", c.name, got, err, c.want)
		}
		if err != nil && order.Uint32(b) != c.before {
			t.Errorf("%s: what does not fit was written", c.name)
		}
	}
}

// What must hold beyond single relocations.
func TestTogether(t *testing.T) {
	at := func(arch elf.Machine, r []byte) []byte {
		s := plain()
		s.machine, s.sections[2].data, s.sections[2].info = arch, r, sketchText
		return s.bytes()
	}
	r := func(k elf.R_RISCV, offset uint64, addend int64) []byte { return rela(offset, uint32(k), 1, addend) }
	cases := map[string]struct {
		object     []byte
		arch, want string
	}{
		"halves":         {at(elf.EM_RISCV, append(r(elf.R_RISCV_PCREL_LO12_I, 4, 0), r(elf.R_RISCV_PCREL_HI20, 0, 0)...)), "riscv64", ""},
		"half":           {at(elf.EM_RISCV, append(r(elf.R_RISCV_PCREL_LO12_I, 4, 0), r(elf.R_RISCV_PCREL_HI20, 4, 0)...)), "riscv64", "R_RISCV_PCREL_LO12_I at byte 4, to more: the symbol is not the place"},
		"padding":        {at(elf.EM_RISCV, r(elf.R_RISCV_ALIGN, 2, 6)), "riscv64", ""},
		"long padding":   {at(elf.EM_RISCV, r(elf.R_RISCV_ALIGN, 2, 7)), "riscv64", "spans 7 bytes"},
		"no padding":     {at(elf.EM_RISCV, r(elf.R_RISCV_ALIGN, 2, -1)), "riscv64", "spans -1 bytes"},
		"thread-local":   {at(elf.EM_RISCV, r(elf.R_RISCV_TLS_GOT_HI20, 0, 0)), "riscv64", "not supported"},
		"slot":           {at(elf.EM_AARCH64, rela(0, uint32(elf.R_AARCH64_ADR_GOT_PAGE), 1, 0)), "arm64", ""},
		"slot and more":  {at(elf.EM_AARCH64, rela(0, uint32(elf.R_AARCH64_ADR_GOT_PAGE), 1, 8)), "arm64", "with an addend"},
		"other's kind":   {at(elf.EM_X86_64, rela(0, uint32(elf.R_AARCH64_CALL26), 1, 0)), "amd64", "relocation 283"},
		"thread pointer": {at(elf.EM_X86_64, rela(0, uint32(elf.R_X86_64_TPOFF32), 1, 0)), "amd64", "R_X86_64_TPOFF32 at byte 0, to more: this kind is not supported"},
	}
	for name, c := range cases {
		_, _, err := Check(c.object, c.arch)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
}
