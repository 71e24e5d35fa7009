package worker

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/pattern"
)

// A crash record is what the handler in crash_*.s writes: the kernel's siginfo,
// then the beginning of its ucontext.
const (
	infoBytes    = 128
	contextBytes = 512
	crashRecord  = infoBytes + contextBytes
)

// kernelCode is the si_code of a fault without an address, which amd64 gives for
// addresses that no page can have.
const kernelCode = 0x80

// nullPage is how far from address 0 a fault still means a null pointer: an
// element or field of what is not there.
const nullPage = 4096

// ending is what is known about the end of a worker that the node did not decide on.
type ending struct {
	state  *os.ProcessState
	record []byte // crash record, or nil
	used   int64  // bytes of address space beyond the idle worker's, at most, when it crashed
	text   []byte // the last of what it wrote
}

var fatal = pattern.Of(`(?m)^(?:fatal error|panic|runtime): (.*)$`)

// how says it in words.
func (e *ending) how(p *process) string {
	if e.record != nil {
		return e.crash(p)
	}
	if e.state == nil {
		return "its worker ended: " + lastLine(e.text)
	}
	status, _ := e.state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return bySignal(status.Signal())
	}
	if m := fatal().FindSubmatch(e.text); m != nil && status.ExitStatus() == 2 {
		if strings.Contains(string(e.text), "out of memory") || strings.Contains(string(e.text), "cannot allocate memory") {
			return outOfMemory(p.limits)
		}
		return "its worker failed: " + printable(m[1])
	}
	if p.loaded.main == 0 { // no code has run
		return "its worker failed: " + lastLine(e.text)
	}
	return fmt.Sprintf("its code called exit(%d)", status.ExitStatus())
}

// bySignal is for ends without a crash record: the handler could not run.
func bySignal(s syscall.Signal) string {
	switch s {
	case unix.SIGKILL:
		return "its worker was killed from outside, perhaps because the machine ran out of memory"
	case unix.SIGSYS:
		return "a forbidden system call was made while signals were blocked, as clone is when a thread or process is started: " + alone
	}
	return fmt.Sprintf("crashed: %v", s)
}

func outOfMemory(l Limits) string {
	return fmt.Sprintf("out of memory: it may take %d MiB", l.Memory>>20)
}

// crash reads the crash record. The worker may have written anything there; it is
// only put into words.
func (e *ending) crash(p *process) string {
	number := unix.Signal(binary.LittleEndian.Uint32(e.record))
	code := int32(binary.LittleEndian.Uint32(e.record[8:]))
	address := binary.LittleEndian.Uint64(e.record[16:])
	at := p.place(programCounter(e.record[infoBytes:]))
	switch number {
	case unix.SIGSEGV, unix.SIGBUS:
		return e.badAddress(p.limits, p.loaded.guard, address, code) + at
	case unix.SIGSYS:
		nr := binary.LittleEndian.Uint32(e.record[24:])
		return forbids(nameOf(runtime.GOARCH, nr), firstArgument(e.record[infoBytes:])) + at
	case unix.SIGILL:
		return "illegal instruction" + at
	case unix.SIGFPE:
		if code == 1 { // FPE_INTDIV
			return "integer division by zero" + at
		}
		return "arithmetic fault" + at
	case unix.SIGTRAP:
		return "trap instruction" + at
	case unix.SIGABRT:
		return "its code called abort()"
	}
	return "its code wrote what is no record of a crash where those are written, and was ended"
}

func (e *ending) badAddress(l Limits, guard span, address uint64, code int32) string {
	switch {
	case guard.holds(address):
		return fmt.Sprintf("stack overflow: the stack has %d KiB", l.Stack>>10)
	case code == kernelCode:
		return "bad address: not one that this processor can have"
	case address < nullPage && e.used > l.Memory-l.Memory/8:
		return outOfMemory(l) + ", and a null pointer was used"
	case address < nullPage:
		return fmt.Sprintf("null pointer at address %#x", address)
	case code == 2: // SEGV_ACCERR
		return fmt.Sprintf("address %#x was accessed in a way that its memory does not allow: it is read-only, or guards the end of a region", address)
	}
	return fmt.Sprintf("bad address %#x: nothing is mapped there", address)
}

// place is ", at X_main+0x1c" where the code is behind X_main in the object.
func (p *process) place(pc uint64) string {
	w := &p.loaded
	if w.main == 0 || pc < w.main || pc-w.main >= w.code {
		return ""
	}
	return fmt.Sprintf(", at %s_main+%#x", p.name, pc-w.main)
}

// programCounter is in the ucontext where the kernel's sigcontext has it.
func programCounter(context []byte) uint64 {
	switch runtime.GOARCH {
	case "amd64":
		return binary.LittleEndian.Uint64(context[168:])
	case "arm64":
		return binary.LittleEndian.Uint64(context[440:])
	}
	return 0
}

// firstArgument of a system call is there too.
func firstArgument(context []byte) uint64 {
	switch runtime.GOARCH {
	case "amd64":
		return binary.LittleEndian.Uint64(context[104:]) // rdi
	case "arm64":
		return binary.LittleEndian.Uint64(context[184:]) // x0
	}
	return 0
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return printable([]byte(lines[len(lines)-1]))
}
