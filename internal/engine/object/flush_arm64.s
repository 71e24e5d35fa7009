#include "textflag.h"

// func synchronize(start, end uintptr)
//
// As the Arm Architecture Reference Manual, B2.4.4 ("Concurrent modification and
// execution of instructions"): clean data to the point of unification, then
// invalidate instructions. The lengths of cache lines are in CTR_EL0: data in bits
// 19:16, instructions in bits 3:0, as powers of two of 4 bytes. Other processors
// fetch these addresses for the first time after a change of their page tables.
TEXT ·synchronize(SB), NOSPLIT, $0-16
	MOVD	start+0(FP), R0
	MOVD	end+8(FP), R1
	MRS	CTR_EL0, R2
	MOVD	$4, R3

	UBFX	$16, R2, $4, R4
	LSL	R4, R3, R4
	SUB	$1, R4, R5
	BIC	R5, R0, R6
data:
	CMP	R1, R6
	BHS	cleaned
	DC	CVAU, R6
	ADD	R4, R6
	B	data
cleaned:
	DSB	$11 // inner shareable

	AND	$15, R2, R4
	LSL	R4, R3, R4
	SUB	$1, R4, R5
	BIC	R5, R0, R6
instructions:
	CMP	R1, R6
	BHS	invalidated
	WORD	$0xd50b7526 // ic ivau, x6
	ADD	R4, R6
	B	instructions
invalidated:
	DSB	$11
	ISB	$15
	RET
