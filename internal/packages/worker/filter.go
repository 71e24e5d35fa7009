package worker

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// rule says what a system call by this name may do: what all its conditions permit.
type rule struct {
	name  string
	errno unix.Errno // what it then fails with, harmlessly; 0 if it may go on
	args  []condition
}

// condition is about an argument of a system call, of which it sees the lower 32 bits.
type condition struct {
	arg    int      // its index
	lacks  uint32   // bits that must not be set in it
	notAll uint32   // bits that must not all be set in it
	among  []uint32 // values one of which it must have; nil for any
}

// where an argument must have one of some values.
func where(arg int, among ...uint32) []condition { return []condition{{arg: arg, among: among}} }

// Flags of mmap that a worker may give. MAP_HUGETLB takes pages that are not counted
// as memory of a process; memory that is shared and has no file would stay without
// being counted after MADV_DONTNEED.
const (
	mapFlags = unix.MAP_SHARED | unix.MAP_PRIVATE | unix.MAP_FIXED | unix.MAP_ANON | unix.MAP_NORESERVE |
		unix.MAP_POPULATE | unix.MAP_STACK | unix.MAP_DENYWRITE | unix.MAP_FIXED_NOREPLACE
	mapNoFile = unix.MAP_SHARED | unix.MAP_ANON
)

// advice is what madvise may be told: what concerns the process's own memory. For the
// superuser there is advice that takes pages from the whole machine (MADV_HWPOISON).
var advice = []uint32{
	unix.MADV_WILLNEED, unix.MADV_DONTNEED, unix.MADV_FREE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE,
	unix.MADV_POPULATE_READ, unix.MADV_POPULATE_WRITE, unix.MADV_COLLAPSE,
}

// futexes are the operations of locks and conditions, without those on behalf of
// priorities, which nothing here needs.
func futexes() (list []uint32) {
	const private, realtime = 128, 256
	for _, op := range []uint32{0, 1, 3, 4, 5, 9, 10} { // wait, wake, requeue, cmp_requeue, wake_op, wait_bitset, wake_bitset
		list = append(list, op, op|private, op|realtime, op|private|realtime)
	}
	return list
}

// rules list all that a worker may do once its sandbox is closed: what Go's
// runtime and the C library need to run code, allocate, and answer. Descriptors
// cannot be opened, so those there are limit reading and writing. No thread is
// started or ended (threads.go).
func rules(pid, socket int, poll []int) []rule {
	in := values(append([]int{socket}, poll...))
	out := values(append([]int{socket, 1, 2, crashFD}, poll...))
	list := []rule{
		{name: "recvmsg", args: where(0, uint32(socket))},
		{name: "read", args: where(0, in...)},
		{name: "write", args: where(0, out...)},
		{name: "mmap", args: []condition{{arg: 2, lacks: unix.PROT_EXEC}, {arg: 3, lacks: ^uint32(mapFlags), notAll: mapNoFile}}},
		{name: "mprotect", args: []condition{{arg: 2, lacks: unix.PROT_EXEC}}},
		{name: "madvise", args: where(2, advice...)},
		{name: "futex", args: where(1, futexes()...)},
		// Go preempts its threads with SIGURG; abort raises SIGABRT.
		{name: "tgkill", args: append(where(0, uint32(pid)), where(2, uint32(unix.SIGURG), uint32(unix.SIGABRT))...)},
		{name: "writev", args: where(0, 1, 2)},
		{name: "mremap", errno: unix.ENOSYS}, // realloc then copies; it could duplicate a shared mapping
		{name: "prctl", args: where(0, unix.PR_SET_VMA), errno: unix.EINVAL},
		// What printf asks for before it chooses a buffer.
		{name: "fstat", errno: unix.EACCES},
		{name: "newfstatat", errno: unix.EACCES},
		{name: "ioctl", errno: unix.ENOTTY},
		{name: "lseek", errno: unix.ESPIPE},
	}
	for _, name := range free {
		list = append(list, rule{name: name})
	}
	return list
}

// free are the calls that may be made in any way: they reach nothing but the
// process itself.
var free = []string{
	"sched_yield", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time",
	"munmap", "brk", "membarrier",
	"rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
	"gettid", "getpid", "sched_getaffinity", "getcpu", "sysinfo", "uname", "getrandom",
	"set_robust_list", "rseq", "exit_group", "close",
	"epoll_pwait", "epoll_ctl", "ppoll",
}

func values(fds []int) []uint32 {
	v := make([]uint32, len(fds))
	for i, fd := range fds {
		v[i] = uint32(fd)
	}
	return v
}

// Offsets in struct seccomp_data of linux/seccomp.h; arguments have 8 bytes, of
// which the lower four come first.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg    = 16
)

// assemble makes the program of the filter for a processor architecture: a chain of
// comparisons, which ends in a trap for all that no rule names. The trap carries the
// number of the call to the handler, which cannot go on from it.
func assemble(arch string, rules []rule) ([]unix.SockFilter, error) {
	audit, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[arch]
	if !ok {
		return nil, fmt.Errorf("there is no list of system calls for %s", arch)
	}
	f := []unix.SockFilter{
		load(dataArch),
		equal(audit, 1, 0),
		give(unix.SECCOMP_RET_KILL_PROCESS),
		load(dataNumber),
	}
	for _, r := range rules {
		nr, ok := syscalls()[arch][r.name]
		if !ok {
			continue // of the other architecture
		}
		body := r.body()
		f = append(f, equal(nr, 0, uint8(len(body))))
		f = append(f, body...)
	}
	return append(f, give(unix.SECCOMP_RET_TRAP)), nil
}

// body decides about a call that has the rule's number; it always ends.
func (r *rule) body() (f []unix.SockFilter) {
	for i := range r.args {
		f = append(f, r.args[i].check()...)
	}
	if r.errno != 0 {
		return append(f, give(unix.SECCOMP_RET_ERRNO|uint32(r.errno)))
	}
	return append(f, give(unix.SECCOMP_RET_ALLOW))
}

// check goes on behind itself if the condition holds, and traps if not.
func (c *condition) check() []unix.SockFilter {
	f := []unix.SockFilter{load(dataArg + 8*uint32(c.arg))}
	trap := give(unix.SECCOMP_RET_TRAP)
	for i, v := range c.among {
		f = append(f, equal(v, uint8(len(c.among)-i), 0)) // over the rest and the trap
	}
	if c.among != nil {
		f = append(f, trap)
	}
	if c.lacks != 0 {
		f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: c.lacks}, trap)
	}
	if c.notAll != 0 {
		f = append(f, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.notAll}, equal(c.notAll, 0, 1), trap)
	}
	return f
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func equal(v uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: v}
}

func give(v uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v}
}
