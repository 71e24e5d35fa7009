//go:build !static

package object

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

const static = false

// Library gives Resolve for the few symbols of the C library that LLVM calls by
// itself (memcpy, memmove, memset, memcmp); it knows nothing else.
func Library(symbol string) (uintptr, bool) {
	a, ok := library()[symbol]
	return a, ok
}

var library = sync.OnceValue(func() map[string]uintptr {
	found := map[string]uintptr{}
	for _, name := range []string{"memcpy", "memmove", "memset", "memcmp"} {
		if a, err := purego.Dlsym(purego.RTLD_DEFAULT, name); err == nil {
			found[name] = a
		}
	}
	return found
})

// Call calls a function of the C calling convention with up to six integer
// arguments, on a thread that Go's garbage collector does not wait for. Pointers
// that are converted to uintptr among the arguments stay where they are, and alive,
// until the function returns. A fn of 0 is a mistake of the caller, and panics.
//
// The stack is the C stack of the thread, some MiB.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

// escape has the compiler place blocks on the heap. One on the caller's stack
// would move when the stack grows.
var escape struct {
	never bool
	block unsafe.Pointer
}
