//go:build !linux

package engine

func newBell() bell { return newChime() }

func processor() int { return 0 }

func depart(int) {}

func stepBack() {}
