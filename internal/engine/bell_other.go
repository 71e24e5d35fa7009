//go:build !linux

package engine

func newBell() bell { return newChime() }
