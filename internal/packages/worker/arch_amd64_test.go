//go:build !static

package worker

const (
	trapEnds     = "illegal instruction, at x_main+0x"
	divisionEnds = "integer division by zero, at x_main+0x"
)

// onX32 makes a call of the x32 interface: getpid, numbered from 1<<30.
var onX32 = inMain(`sys(0x40000027, 0, 0, 0, 0, 0, 0);`)
