//go:build static

package worker

import "github.com/godwit-run/godwit/internal/engine/object"

// A static binary runs no native code: a worker of it refuses its program.

func open([]string) ([]uintptr, error) { return nil, object.ErrStatic }

func find([]uintptr, string) (uintptr, bool) { return 0, false }

func callback(any) uintptr { return 0 }

func onStack(_ int64, f func(guard span) error) error { return f(span{}) }
