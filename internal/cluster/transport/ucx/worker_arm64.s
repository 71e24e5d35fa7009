//go:build linux && !static

#include "textflag.h"

// See worker_amd64.s.

#define ADDRESS(name, function) \
GLOBL name(SB), NOPTR|RODATA, $8 \
DATA name(SB)/8, $function(SB)

ADDRESS(·takeAt, take<>)
ADDRESS(·sentAt, sent<>)
ADDRESS(·failedAt, failed<>)
ADDRESS(·lookAt, look<>)
ADDRESS(·callAt, call<>)

TEXT take<>(SB), NOSPLIT|NOFRAME, $0
	MOVD	(R5), R6        // param->recv_attr
	TBNZ	$17, R6, foreign
	MOVD	56(R0), R6
	CMP	R6, R4
	BHI	foreign
	CBNZ	R2, foreign
	MOVD	0(R0), R7
	ADD	$15, R4, R9
	AND	$~7, R9, R9
	ADD	R7, R9, R9      // the new head
	MOVD	8(R0), R10
	SUB	R10, R9, R10
	MOVD	32(R0), R11
	CMP	R11, R10
	BHI	lost
	MOVD	16(R0), R11
	AND	R11, R7, R7
	MOVD	24(R0), R11
	ADD	R11, R7, R7
	MOVD.P	R4, 8(R7)
by8:
	CMP	$8, R4
	BLO	bytes
	MOVD.P	8(R3), R11
	MOVD.P	R11, 8(R7)
	SUB	$8, R4, R4
	B	by8
bytes:
	CBZ	R4, out
	MOVBU.P	1(R3), R11
	MOVB.P	R11, 1(R7)
	SUB	$1, R4, R4
	B	bytes
out:
	MOVD	R9, 0(R0)       // read by the same thread
	MOVD	ZR, R0
	RET
lost:
	MOVD	40(R0), R6
	ADD	$1, R6, R6
	MOVD	R6, 40(R0)
	MOVD	ZR, R0
	RET
foreign:
	MOVD	48(R0), R6
	ADD	$1, R6, R6
	MOVD	R6, 48(R0)
	MOVD	ZR, R0
	RET

TEXT sent<>(SB), NOSPLIT|NOFRAME, $0
	CBZW	R1, done
	MOVD	16(R2), R6
	ADD	$1, R6, R6
	MOVD	R6, 16(R2)
done:
	MOVD	8(R2), R6
	MOVD	ZR, 0(R2)
	JMP	(R6)

TEXT failed<>(SB), NOSPLIT|NOFRAME, $0
	MOVW	R2, R2
	MOVD	R2, 0(R0)
	RET

TEXT look<>(SB), NOSPLIT|NOFRAME, $0
	STP.W	(R29, R30), -48(RSP)
	STP	(R19, R20), 16(RSP)
	MOVD	R21, 32(RSP)
	MOVD	RSP, R29
	MOVD	R0, R19
	MOVD	32(R19), R20
	MOVD	16(R19), R21
again:
	MOVD	8(R19), R0
	MOVD	0(R19), R9
	CALL	(R9)
	MOVD	(R21), R9
	MOVD	24(R19), R10
	CMP	R9, R10
	BNE	out
	SUBS	$1, R20, R20
	BNE	again
out:
	MOVD	32(RSP), R21
	LDP	16(RSP), (R19, R20)
	LDP.P	48(RSP), (R29, R30)
	MOVD	ZR, R0
	RET

TEXT call<>(SB), NOSPLIT|NOFRAME, $0
	STP.W	(R29, R30), -32(RSP)
	MOVD	R19, 16(RSP)
	MOVD	RSP, R29
	MOVD	R0, R19
	MOVD	0(R19), R9
	LDP	24(R19), (R2, R3)
	LDP	40(R19), (R4, R5)
	MOVD	56(R19), R6
	LDP	8(R19), (R0, R1)
	CALL	(R9)
	MOVD	R0, 64(R19)
	MOVD	16(RSP), R19
	LDP.P	32(RSP), (R29, R30)
	MOVD	ZR, R0
	RET
