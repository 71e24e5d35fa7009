#include "textflag.h"

// The address of the handler, for Go.
DATA ·onCrash(SB)/8, $crash(SB)
GLOBL ·onCrash(SB), NOPTR, $8

// crash(signal R0, siginfo R1, ucontext R2), in the C calling convention.
TEXT crash(SB), NOSPLIT|NOFRAME, $0
	MOVD R2, R19
	MOVD $64, R8  // write
	MOVD $3, R0   // crashFD
	MOVD $128, R2 // infoBytes
	SVC
	MOVD $64, R8
	MOVD $3, R0
	MOVD R19, R1
	MOVD $512, R2 // contextBytes
	SVC

wait:
	MOVD $73, R8 // ppoll of nothing, without end
	MOVD ZR, R0
	MOVD ZR, R1
	MOVD ZR, R2
	MOVD ZR, R3
	SVC
	JMP  wait
