//go:build !linux

package engine

func thread() int { return 0 }

// prioritise does nothing: threads have no priority of their own here.
func prioritise(int, int) bool { return false }
