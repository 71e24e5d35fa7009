//go:build !static

package object

import (
	"runtime"
	"unsafe"
)

// CallRange is Call for a function (block pointer, lo, hi int64) without a result:
// a kernel. It allocates nothing. The block stays where it is, and alive. It is what purego does, for three arguments instead of
// all that a function may have: to hand those over takes as long as a small kernel.
func CallRange(fn uintptr, block unsafe.Pointer, lo, hi int64) {
	if escape.never {
		escape.block = block
	}
	cgocall(callRange, unsafe.Pointer(&rangeArgs{fn, block, lo, hi}))
	runtime.KeepAlive(block)
}

// rangeArgs is what callRange finds. It may lie on the caller's stack, which does not move while C has the thread.
type rangeArgs struct {
	fn     uintptr
	block  unsafe.Pointer
	lo, hi int64
}

// callRange is the address of a function of C's calling convention that takes the address of rangeArgs.
var callRange uintptr

// cgocall runs a C function on the thread's own stack, as cgo does. That it is there without cgo is purego's doing.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, args unsafe.Pointer) int32
