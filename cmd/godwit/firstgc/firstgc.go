// Package firstgc has the first garbage collection of a process come later.
//
// In: the start of a process, before the packages that make tables: Go initialises packages in the order of their
// paths once what they import is ready, and this one imports next to nothing. Out: a heap that grows to 16 MiB before the
// first collection, and not to 4. Invariant: later collections come when they always do, and what GOGC says stands.
//
// A short command is over by then. To look through the 3 MiB of tables that its start makes takes a tenth of its time.
package firstgc

import (
	"os"
	"runtime"
	"runtime/debug"
)

// percent of 4 MiB is how far the heap grows before the first collection.
const percent = 400

func init() { later() }

func later() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(percent)
	first := new([1]*byte) // of pointers, so that it is an object of its own
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
