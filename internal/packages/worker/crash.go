//go:build amd64 || arm64

package worker

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// onCrash is the address of a signal handler in assembly. It writes the crash
// record and waits to be killed. It calls nothing, for the code may have left nothing
// intact; and it does not return, so a fault or forbidden call is the end.
var onCrash uintptr

// action is the kernel's struct sigaction.
type action struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saSiginfo  = 0x4
	saRestorer = 0x04000000 // amd64 refuses a handler without; on arm64 it is ignored
	saOnstack  = 0x08000000 // Go gives each thread a stack for signals
)

// catchCrashes takes over the signals of faults from Go's runtime.
func catchCrashes() error {
	a := action{handler: onCrash, flags: saSiginfo | saRestorer | saOnstack, restorer: onCrash, mask: ^uint64(0)}
	for _, s := range []unix.Signal{
		unix.SIGSEGV, unix.SIGBUS, unix.SIGILL, unix.SIGFPE, unix.SIGTRAP, unix.SIGSYS, unix.SIGABRT,
	} {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&a)), 0, 8, 0, 0)
		if errno != 0 {
			return os.NewSyscallError("rt_sigaction", errno)
		}
	}
	return nil
}
