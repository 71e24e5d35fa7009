//go:build !linux

package engine

func newBell() bell { return newChime() }

// departs says that depart does something.
const departs = false

func processor() int { return 0 }

func depart(int) {}

func stepBack() {}
