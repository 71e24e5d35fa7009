//go:build linux && !static

#include "textflag.h"

// Functions of C's calling convention, whose addresses are given to UCX, or run on the system's stack by
// runtime.cgocall. They never enter Go. layout_linux.go has the structures.

#define ADDRESS(name, function) \
GLOBL name(SB), NOPTR|RODATA, $8 \
DATA name(SB)/8, $function(SB)

ADDRESS(·takeAt, take<>)
ADDRESS(·sentAt, sent<>)
ADDRESS(·failedAt, failed<>)
ADDRESS(·lookAt, look<>)
ADDRESS(·callAt, call<>)

// ucs_status_t take(inbox, header, header_length, data, length, param) copies a message behind the last
// one: its length, then its bytes. There is room after the inbox's end for the longest one.
// inbox: 0 head, 8 tail, 16 mask, 24 buffer, 32 capacity, 40 lost, 48 foreign, 56 longest
TEXT take<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ	DI, R10
	MOVQ	(R9), R9        // param->recv_attr
	TESTQ	$0x20000, R9    // rendezvous: nobody of ours sends so
	JNZ	foreign
	CMPQ	R8, 56(R10)
	JHI	foreign
	TESTQ	DX, DX          // nor with a header of UCX's own
	JNZ	foreign
	MOVQ	0(R10), AX
	LEAQ	15(R8), R9
	ANDQ	$~7, R9
	ADDQ	AX, R9          // the new head
	MOVQ	R9, DI
	SUBQ	8(R10), DI
	CMPQ	DI, 32(R10)
	JHI	lost
	MOVQ	AX, DI
	ANDQ	16(R10), DI
	ADDQ	24(R10), DI
	MOVQ	R8, (DI)
	ADDQ	$8, DI
	MOVQ	CX, SI
	MOVQ	R8, CX
	CMPQ	CX, $512
	JCC	bytes
by32:
	CMPQ	CX, $32
	JCS	by8
	MOVOU	(SI), X0
	MOVOU	16(SI), X1
	MOVOU	X0, (DI)
	MOVOU	X1, 16(DI)
	ADDQ	$32, SI
	ADDQ	$32, DI
	SUBQ	$32, CX
	JMP	by32
by8:
	CMPQ	CX, $8
	JCS	bytes
	MOVQ	(SI), R11
	MOVQ	R11, (DI)
	ADDQ	$8, SI
	ADDQ	$8, DI
	SUBQ	$8, CX
	JMP	by8
bytes:
	CLD
	REP; MOVSB
	MOVQ	R9, 0(R10)
	XORL	AX, AX
	RET
lost:
	INCQ	40(R10)
	XORL	AX, AX
	RET
foreign:
	INCQ	48(R10)
	XORL	AX, AX
	RET

// void sent(request, status, user_data): user_data: 0 in flight, 8 ucp_request_free, 16 failures
TEXT sent<>(SB), NOSPLIT|NOFRAME, $0
	TESTL	SI, SI
	JEQ	done
	INCQ	16(DX)
done:
	MOVQ	8(DX), AX
	MOVQ	$0, 0(DX)
	JMP	AX

// void failed(arg, endpoint, status): arg: 0 status
TEXT failed<>(SB), NOSPLIT|NOFRAME, $0
	MOVLQSX	DX, DX
	MOVQ	DX, 0(DI)
	RET

// look(a) calls a function until the inbox has something: 0 function, 8 argument, 16 &head, 24 seen, 32 times
TEXT look<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ	BX
	PUSHQ	R12
	PUSHQ	R13
	MOVQ	DI, BX
	MOVQ	32(BX), R12
	MOVQ	16(BX), R13
again:
	MOVQ	8(BX), DI
	MOVQ	0(BX), AX
	CALL	AX
	MOVQ	(R13), CX
	CMPQ	CX, 24(BX)
	JNE	out
	DECQ	R12
	JNZ	again
out:
	POPQ	R13
	POPQ	R12
	POPQ	BX
	XORL	AX, AX
	RET

// call(a) calls a function with up to seven arguments: 0 function, 8 arguments, 64 result
TEXT call<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ	BX
	SUBQ	$16, SP
	MOVQ	DI, BX
	MOVQ	56(BX), AX
	MOVQ	AX, 0(SP)
	MOVQ	8(BX), DI
	MOVQ	16(BX), SI
	MOVQ	24(BX), DX
	MOVQ	32(BX), CX
	MOVQ	40(BX), R8
	MOVQ	48(BX), R9
	MOVQ	0(BX), R10
	XORL	AX, AX
	CALL	R10
	MOVQ	AX, 64(BX)
	ADDQ	$16, SP
	POPQ	BX
	XORL	AX, AX
	RET
