//go:build !static

package worker

import (
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// permitted are the names in the rules.
func permitted() map[string]bool {
	names := map[string]bool{}
	for _, r := range rules(1, 10, nil) {
		names[r.name] = true
	}
	return names
}

// dangerous are the calls by which others have left sandboxes, or reached beyond their
// process. That none of them is permitted must not depend on who reads the list.
var dangerous = strings.Fields(`
	open openat openat2 open_by_handle_at creat execve execveat fork vfork clone clone3 exit
	socket socketpair connect bind accept sendto sendmsg sendmmsg io_uring_setup io_uring_enter io_uring_register
	userfaultfd ptrace process_vm_readv process_vm_writev process_madvise pidfd_open pidfd_getfd pidfd_send_signal
	memfd_create memfd_secret personality bpf perf_event_open seccomp unshare setns mount move_mount open_tree
	fsopen pivot_root chroot chdir kill tkill rt_sigqueueinfo rt_tgsigqueueinfo rt_sigaction prlimit64 setrlimit
	keyctl add_key request_key init_module finit_module kexec_load reboot swapon iopl ioperm modify_ldt arch_prctl
	pkey_mprotect remap_file_pages shmat shmget msgget semget mq_open timer_create timerfd_create setitimer alarm
	signalfd4 eventfd2 epoll_create1 inotify_init1 fanotify_init dup dup2 dup3 fcntl pipe2 splice tee vmsplice
	sendfile copy_file_range sched_setaffinity sched_setscheduler sched_setattr setpriority ioprio_set mbind
	move_pages migrate_pages mlock mlockall capset setuid setgid setgroups setns landlock_create_ruleset
	quotactl acct syslog clock_settime clock_adjtime settimeofday adjtimex name_to_handle_at getdents64 readlinkat
	unlinkat renameat2 linkat symlinkat mkdirat mknodat fchmodat fchownat truncate ftruncate fallocate kcmp
	map_shadow_stack set_mempolicy setsid setpgid vhangup msync mincore`)

// By the table, on both architectures: what no rule names is refused.
func TestAllForbidden(t *testing.T) {
	audits := map[string]uint32{"amd64": 0xc000003e, "arm64": 0xc00000b7}
	for arch, audit := range audits {
		f, err := assemble(arch, rules(1, 10, nil))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for name, nr := range syscalls()[arch] {
			if got := verdict(t, f, audit, nr); !permitted()[name] && got != unix.SECCOMP_RET_TRAP {
				t.Errorf("%s: %s: %#x", arch, name, got)
			} else if got == unix.SECCOMP_RET_TRAP {
				refused++
			}
		}
		if refused < 200 {
			t.Errorf("%s: only %d calls are refused", arch, refused)
		}
	}
	for _, name := range dangerous {
		if permitted()[name] {
			t.Errorf("%s is permitted", name)
		}
		if _, ok := syscalls()["amd64"][name]; !ok {
			t.Errorf("%s is no system call", name)
		}
	}
}

// By the kernel, each by itself: a call that is refused ends the worker, and the message
// names it.
func TestForbiddenCalls(t *testing.T) {
	p := newPool(t, Options{})
	p.Warm()
	prog := compile(t, "x", inMain(`long *a = payload; sys(a[0], 0, 0, 0, 0, 0, 0); gw_reply("alive", 5);`))
	names := permitted()
	for name, nr := range syscalls()[arch] {
		if names[name] || name == "uprobe" || name == "uretprobe" {
			continue // the kernel has no filter see these two, which do nothing but for its own probes
		}
		mustLoad(t, p, prog)
		o, err := p.Call(within30(t), "x", &Call{Payload: binary.LittleEndian.AppendUint64(nil, uint64(nr))})
		want := "system call " + name + " is forbidden"
		if name == "exit" {
			want = "its code called exit(0) of its thread"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v", name, o, err)
		}
	}
}
