//go:build !static && !amd64

package object

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// CallRange is Call for a function (block pointer, lo, hi int64) without a result:
// a kernel. It allocates nothing. The block stays where it is, and alive.
func CallRange(fn uintptr, block unsafe.Pointer, lo, hi int64) {
	if escape.never {
		escape.block = block
	}
	args := ranges.Get().(*[3]uintptr)
	*args = [3]uintptr{uintptr(block), uintptr(lo), uintptr(hi)}
	purego.SyscallN(fn, args[:]...)
	ranges.Put(args)
	runtime.KeepAlive(block)
}

// ranges are arguments of calls: SyscallN lets them escape.
var ranges = sync.Pool{New: func() any { return new([3]uintptr) }}
