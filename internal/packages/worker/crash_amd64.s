#include "textflag.h"

// The address of the handler, for Go.
DATA ·onCrash(SB)/8, $crash(SB)
GLOBL ·onCrash(SB), NOPTR, $8

// crash(signal DI, siginfo SI, ucontext DX), in the C calling convention.
TEXT crash(SB), NOSPLIT|NOFRAME, $0
	MOVQ DX, R12
	MOVQ $1, AX   // write
	MOVQ $3, DI   // crashFD
	MOVQ $128, DX // infoBytes
	SYSCALL
	MOVQ $1, AX
	MOVQ $3, DI
	MOVQ R12, SI
	MOVQ $512, DX // contextBytes
	SYSCALL

wait:
	MOVQ $271, AX // ppoll of nothing, without end
	XORL DI, DI
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	SYSCALL
	JMP  wait
