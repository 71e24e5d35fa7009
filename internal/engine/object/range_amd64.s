//go:build !static

#include "textflag.h"

GLOBL ·callRange(SB), NOPTR|RODATA, $8
DATA ·callRange(SB)/8, $callRange<>(SB)

// callRange<> has the calling convention of C: DI is the address of rangeArgs, and the stack is aligned once BP is on it.
TEXT callRange<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ SP, BP
	MOVQ 0(DI), AX
	MOVQ 16(DI), SI
	MOVQ 24(DI), DX
	MOVQ 8(DI), DI
	CALL AX
	POPQ BP
	RET
