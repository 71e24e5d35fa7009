// For arm64: an address in MOVZ and MOVK, as with -mcmodel=large, and distances in
// data. The result is three times the same entry of a table.
	.text
	.globl	absolute
	.type	absolute, @function
absolute:
	and	x0, x0, #3
	lsl	x0, x0, #3
	movz	x1, #:abs_g0_nc:table
	movk	x1, #:abs_g1_nc:table
	movk	x1, #:abs_g2_nc:table
	movk	x1, #:abs_g3:table
	ldr	x4, [x1, x0]
	adrp	x2, short
	add	x2, x2, :lo12:short
	ldrsw	x3, [x2]
	add	x3, x3, x2
	ldr	x5, [x3, x0]
	adrp	x2, long
	ldr	x3, [x2, :lo12:long]
	add	x2, x2, :lo12:long
	add	x3, x3, x2
	ldr	x6, [x3, x0]
	add	x0, x4, x5
	add	x0, x0, x6
	ret
	.section .rodata
	.balign	8
long:
	.quad	table - .
short:
	.word	table - .
	.data
	.balign	8
table:
	.quad	11, 22, 33, 44
