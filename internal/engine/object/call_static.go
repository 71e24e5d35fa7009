//go:build static

package object

import "unsafe"

const static = true

// Library knows no symbol in this binary.
func Library(string) (uintptr, bool) { return 0, false }

// Call panics with ErrStatic: Link gives no image, so there is no function.
func Call(uintptr, ...uintptr) uintptr { panic(ErrStatic) }

// CallRange panics as Call does.
func CallRange(uintptr, unsafe.Pointer, int64, int64) { panic(ErrStatic) }
