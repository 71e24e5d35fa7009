//go:build !static

package worker

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// open loads libraries, given by name or path.
func open(names []string) ([]uintptr, error) {
	var all []uintptr
	for _, name := range names {
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			return nil, fmt.Errorf("library %s cannot be loaded on this node: %w", name, err)
		}
		all = append(all, h)
	}
	return all, nil
}

// find looks for a symbol in libraries and in those that they need.
func find(libraries []uintptr, symbol string) (uintptr, bool) {
	for _, h := range libraries {
		if a, err := purego.Dlsym(h, symbol); err == nil {
			return a, true
		}
	}
	return 0, false
}

// callback gives a Go function an address that C can call.
func callback(f any) uintptr { return purego.NewCallback(f) }
