package wasm

// opcode is a WebAssembly instruction: the low byte is its number, the byte
// above it the prefix (0 for none).
type opcode uint16

// Control, variables and constants.
const (
	opBlock    opcode = 0x02
	opLoop     opcode = 0x03
	opIf       opcode = 0x04
	opElse     opcode = 0x05
	opEnd      opcode = 0x0b
	opBr       opcode = 0x0c
	opBrIf     opcode = 0x0d
	opReturn   opcode = 0x0f
	opCall     opcode = 0x10
	opSelect   opcode = 0x1b
	opLocalGet opcode = 0x20
	opLocalSet opcode = 0x21
	opLocalTee opcode = 0x22
	opI32Const opcode = 0x41
	opI64Const opcode = 0x42
	opF32Const opcode = 0x43
	opF64Const opcode = 0x44
)

// Memory.
const (
	opI32Load    opcode = 0x28
	opI64Load    opcode = 0x29
	opF32Load    opcode = 0x2a
	opF64Load    opcode = 0x2b
	opI32Load8S  opcode = 0x2c
	opI32Load8U  opcode = 0x2d
	opI32Load16S opcode = 0x2e
	opI32Load16U opcode = 0x2f
	opI32Store   opcode = 0x36
	opI64Store   opcode = 0x37
	opF32Store   opcode = 0x38
	opF64Store   opcode = 0x39
	opI32Store8  opcode = 0x3a
	opI32Store16 opcode = 0x3b
)

// Comparisons. Those of the 64-bit integers follow those of the 32-bit ones
// in the same order.
const (
	opI32Eqz opcode = 0x45
	opI32Eq  opcode = 0x46
	opI32Ne  opcode = 0x47
	opI32LtS opcode = 0x48
	opI32LtU opcode = 0x49
	opI32GtS opcode = 0x4a
	opI32GtU opcode = 0x4b
	opI32LeS opcode = 0x4c
	opI32LeU opcode = 0x4d
	opI32GeS opcode = 0x4e
	opI32GeU opcode = 0x4f
	opI64Eqz opcode = 0x50
	opI64Eq  opcode = 0x51
	opI64Ne  opcode = 0x52
	opI64LtS opcode = 0x53
	opI64LtU opcode = 0x54
	opI64GtS opcode = 0x55
	opI64GeS opcode = 0x59
	opI64GeU opcode = 0x5a
	opF32Eq  opcode = 0x5b
	opF32Ne  opcode = 0x5c
	opF32Lt  opcode = 0x5d
	opF32Gt  opcode = 0x5e
	opF32Le  opcode = 0x5f
	opF32Ge  opcode = 0x60
	opF64Eq  opcode = 0x61
	opF64Ne  opcode = 0x62
)

// Arithmetic.
const (
	opI32Ctz     opcode = 0x68
	opI32Add     opcode = 0x6a
	opI32Sub     opcode = 0x6b
	opI32Mul     opcode = 0x6c
	opI32DivS    opcode = 0x6d
	opI32DivU    opcode = 0x6e
	opI32RemS    opcode = 0x6f
	opI32RemU    opcode = 0x70
	opI32And     opcode = 0x71
	opI32Or      opcode = 0x72
	opI32Xor     opcode = 0x73
	opI32Shl     opcode = 0x74
	opI32ShrS    opcode = 0x75
	opI32ShrU    opcode = 0x76
	opI64Ctz     opcode = 0x7a
	opI64Add     opcode = 0x7c
	opI64Sub     opcode = 0x7d
	opI64Mul     opcode = 0x7e
	opI64DivS    opcode = 0x7f
	opI64DivU    opcode = 0x80
	opI64And     opcode = 0x83
	opI64Or      opcode = 0x84
	opI64Xor     opcode = 0x85
	opI64Shl     opcode = 0x86
	opI64ShrS    opcode = 0x87
	opI64ShrU    opcode = 0x88
	opF32Abs     opcode = 0x8b
	opF32Neg     opcode = 0x8c
	opF32Ceil    opcode = 0x8d
	opF32Floor   opcode = 0x8e
	opF32Trunc   opcode = 0x8f
	opF32Nearest opcode = 0x90
	opF32Sqrt    opcode = 0x91
	opF32Add     opcode = 0x92
	opF32Sub     opcode = 0x93
	opF32Mul     opcode = 0x94
	opF32Div     opcode = 0x95
	opF32Min     opcode = 0x96
	opF32Max     opcode = 0x97
	opF64Abs     opcode = 0x99
	opF64Trunc   opcode = 0x9d
	opF64Add     opcode = 0xa0
	opF64Mul     opcode = 0xa2
)

// Conversions.
const (
	opI32WrapI64    opcode = 0xa7
	opI64ExtendI32S opcode = 0xac
	opI64ExtendI32U opcode = 0xad
	opF32ConvI32S   opcode = 0xb2
	opF32ConvI32U   opcode = 0xb3
	opF32ConvI64S   opcode = 0xb4
	opF32ConvI64U   opcode = 0xb5
	opF32DemoteF64  opcode = 0xb6
	opF64ConvI32S   opcode = 0xb7
	opF64ConvI32U   opcode = 0xb8
	opF64ConvI64S   opcode = 0xb9
	opF64ConvI64U   opcode = 0xba
	opF64PromoteF32 opcode = 0xbb
	opI32FromF32    opcode = 0xbc // reinterpret
	opI64FromF64    opcode = 0xbd
	opF32FromI32    opcode = 0xbe
	opF64FromI64    opcode = 0xbf
	opI32Extend8S   opcode = 0xc0
	opI32Extend16S  opcode = 0xc1
	opI32TruncF32S  opcode = 0xfc00 // all saturating
	opI32TruncF32U  opcode = 0xfc01
	opI32TruncF64S  opcode = 0xfc02
	opI32TruncF64U  opcode = 0xfc03
	opI64TruncF32S  opcode = 0xfc04
	opI64TruncF32U  opcode = 0xfc05
	opI64TruncF64S  opcode = 0xfc06
	opI64TruncF64U  opcode = 0xfc07
)

// Vectors, as far as the scalar code needs them.
const (
	opVLoad    opcode = 0xfd00
	opVStore   opcode = 0xfd0b
	opVConst   opcode = 0xfd0c
	opVShuffle opcode = 0xfd0d
	opF32Lane  opcode = 0xfd1f
	opF64Lane  opcode = 0xfd21
	opF32x4Add opcode = 0xfde4
	opF32x4Mul opcode = 0xfde6
	opF64x2Add opcode = 0xfdf0
	opF64x2Mul opcode = 0xfdf2
)
