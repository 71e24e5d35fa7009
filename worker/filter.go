package worker

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// rule says what a system call by this name may do. The least argument is 0.
type rule struct {
	name  string
	errno unix.Errno // what it then fails with, harmlessly; 0 if it may go on
	arg   int        // index of the argument that is looked at below
	lacks uint32     // bits that must not be set in it
	among []uint32   // values one of which it must have; nil for any
}

// Flags of clone for a thread, as the C library and as Go's runtime set them.
const (
	threadC  = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	threadGo = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
)

// rules list all that a worker may do once its sandbox is closed: what Go's
// runtime and the C library need to run code, allocate, and answer. Descriptors
// cannot be opened, so those there are limit reading and writing.
func rules(pid, socket int, poll []int) []rule {
	in := values(append([]int{socket}, poll...))
	out := values(append([]int{socket, 1, 2, crashFD}, poll...))
	list := []rule{
		{name: "mmap", arg: 2, lacks: unix.PROT_EXEC},
		{name: "mprotect", arg: 2, lacks: unix.PROT_EXEC},
		{name: "clone", among: []uint32{threadC, threadGo}},
		{name: "tgkill", among: []uint32{uint32(pid)}}, // Go preempts its threads so
		{name: "read", among: in},
		{name: "recvmsg", among: values([]int{socket})},
		{name: "write", among: out},
		{name: "writev", among: values([]int{1, 2})},
		{name: "clone3", errno: unix.ENOSYS}, // the C library then uses clone, whose flags can be seen
		{name: "mremap", errno: unix.ENOSYS}, // realloc then copies; it could duplicate a shared mapping
		{name: "prctl", among: []uint32{unix.PR_SET_VMA}, errno: unix.EINVAL},
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
	"futex", "sched_yield", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time",
	"munmap", "madvise", "brk", "membarrier",
	"rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
	"gettid", "getpid", "sched_getaffinity", "getcpu", "sysinfo", "uname", "getrandom",
	"set_robust_list", "rseq", "exit", "exit_group", "close",
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
func (r *rule) body() []unix.SockFilter {
	pass := give(unix.SECCOMP_RET_ALLOW)
	if r.errno != 0 {
		pass = give(unix.SECCOMP_RET_ERRNO | uint32(r.errno))
	}
	if r.among == nil && r.lacks == 0 {
		return []unix.SockFilter{pass}
	}
	f := []unix.SockFilter{load(dataArg + 8*uint32(r.arg))}
	for _, v := range r.among {
		f = append(f, equal(v, 0, 1), pass)
	}
	if r.lacks != 0 {
		f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 1, K: r.lacks}, pass)
	}
	return append(f, give(unix.SECCOMP_RET_TRAP))
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
