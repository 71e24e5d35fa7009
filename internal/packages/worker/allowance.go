package worker

import "time"

// What the worker's own runtime may use of the processor when no call is under way:
// it writes the answer and waits, collects garbage, and gives memory back. Measured on
// a busy machine of two cores: TestOwnTime. A package that goes on after its calls
// comes to the end of this in about the time of burst.
const (
	burst   = 100 * time.Millisecond // at once
	perCall = time.Millisecond       // added after each call
	perByte = 4 * time.Nanosecond    // added for each byte of payload and answer
	share   = 200                    // of the time that goes by, one part in so many is added
)

// allowance is an account of processor time that a worker uses between calls.
type allowance struct {
	left time.Duration
	used time.Duration // what the process had used when it was last looked at
	at   time.Time     // when that was
}

// rest begins a time without a call, after one that moved so many bytes.
func (a *allowance) rest(used time.Duration, now time.Time, bytes int) {
	a.used, a.at = used, now
	a.left = min(burst, a.left+perCall+time.Duration(bytes)*perByte)
}

// look takes off what was used since, and reports whether that was too much.
func (a *allowance) look(used time.Duration, now time.Time) bool {
	a.left = min(burst, a.left+now.Sub(a.at)/share) - (used - a.used)
	a.used, a.at = used, now
	return a.left < 0
}
