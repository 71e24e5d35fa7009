//go:build !linux

package engine

import "time"

func thread() int { return 0 }

// started is when threadTime is counted from.
var started = time.Now()

// threadTime takes the clock for the processor time of a thread.
func threadTime(int) time.Duration { return time.Since(started) }

// prioritise does nothing: threads have no priority of their own here.
func prioritise(int, int) bool { return false }
