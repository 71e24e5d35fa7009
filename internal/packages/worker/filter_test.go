package worker

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

const arch = runtime.GOARCH

// verdict runs a filter as the kernel does.
func verdict(t *testing.T, program []unix.SockFilter, audit, nr uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data, nr)
	binary.LittleEndian.PutUint32(data[4:], audit)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[16+8*i:], a)
	}
	var acc uint32
	for pc := 0; pc < len(program); pc++ {
		i := program[pc]
		jump := func(yes bool) {
			if yes {
				pc += int(i.Jt)
			} else {
				pc += int(i.Jf)
			}
		}
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[i.K:])
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(acc == i.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(acc&i.K != 0)
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= i.K
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		default:
			t.Fatalf("instruction %d has code %#x", pc, i.Code)
		}
	}
	t.Fatal("the program does not end")
	return 0
}

func TestFilter(t *testing.T) {
	const pid, socket, poll = 77, 10, 6
	audits := map[string]uint32{"amd64": 0xc000003e, "arm64": 0xc00000b7} // of linux/audit.h
	for arch, audit := range audits {
		list := rules(pid, socket, []int{poll})
		f, err := assemble(arch, list)
		if err != nil {
			t.Fatal(err)
		}
		const allow, trap = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_TRAP
		fails := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
		for _, c := range []struct {
			name string
			args []uint64
			want uint32
		}{
			{"futex", nil, allow},
			{"futex", []uint64{0, 129}, allow},
			{"futex", []uint64{0, 393}, allow},
			{"futex", []uint64{0, 6}, trap}, // FUTEX_LOCK_PI
			{"futex", []uint64{0, 11}, trap},
			{"futex", []uint64{0, 1024}, trap},
			{"exit", nil, trap},
			{"madvise", []uint64{0, 0, unix.MADV_DONTNEED}, allow},
			{"madvise", []uint64{0, 0, unix.MADV_HWPOISON}, trap},
			{"madvise", []uint64{0, 0, unix.MADV_MERGEABLE}, trap},
			{"exit_group", []uint64{3}, allow},
			{"mmap", []uint64{0, 4096, 3}, allow},
			{"mmap", []uint64{0, 4096, 7}, trap},
			{"mmap", []uint64{0, 4096, 3, unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE}, allow},
			{"mmap", []uint64{0, 4096, 3, unix.MAP_SHARED | unix.MAP_FIXED, 11}, allow},
			{"mmap", []uint64{0, 4096, 3, unix.MAP_SHARED | unix.MAP_ANON}, trap},
			{"mmap", []uint64{0, 4096, 3, unix.MAP_SHARED_VALIDATE | unix.MAP_ANON}, trap},
			{"mmap", []uint64{0, 4096, 3, unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_HUGETLB}, trap},
			{"mmap", []uint64{0, 4096, 3, unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_LOCKED}, trap},
			{"mprotect", []uint64{0, 4096, 1}, allow},
			{"mprotect", []uint64{0, 4096, 5}, trap},
			{"mprotect", []uint64{0, 4096, 4 | 1<<32}, trap},
			{"clone", []uint64{0x3d0f00}, trap}, // a thread, by the C library
			{"clone", []uint64{0x50f00}, trap},  // and by Go
			{"clone", []uint64{17}, trap},
			{"clone3", nil, trap},
			{"tgkill", []uint64{pid, 3, uint64(unix.SIGURG)}, allow},
			{"tgkill", []uint64{pid, 3, uint64(unix.SIGABRT)}, allow},
			{"tgkill", []uint64{pid, 3, uint64(unix.SIGSTOP)}, trap},
			{"tgkill", []uint64{1, 1, uint64(unix.SIGURG)}, trap},
			{"read", []uint64{socket}, allow},
			{"read", []uint64{poll}, allow},
			{"read", []uint64{0}, trap},
			{"recvmsg", []uint64{poll}, trap},
			{"write", []uint64{2}, allow},
			{"write", []uint64{crashFD}, allow},
			{"write", []uint64{poll + 1}, trap},
			{"prctl", []uint64{unix.PR_SET_VMA}, fails(unix.EINVAL)},
			{"prctl", []uint64{unix.PR_SET_DUMPABLE, 1}, trap},
			{"ioctl", []uint64{1, 0x5401}, fails(unix.ENOTTY)},
			{"seccomp", nil, trap},
			{"pidfd_getfd", nil, trap},
			{"io_uring_setup", nil, trap},
			{"rt_sigaction", nil, trap},
			{"fcntl", nil, trap},
			{"dup3", nil, trap},
			{"sendmsg", []uint64{socket}, trap},
		} {
			nr, ok := syscalls()[arch][c.name]
			if !ok {
				t.Fatalf("%s has no %s", arch, c.name)
			}
			if got := verdict(t, f, audit, nr, c.args...); got != c.want {
				t.Errorf("%s: %s%v: got %#x, expected %#x", arch, c.name, c.args, got, c.want)
			}
		}
		for other, wrong := range audits {
			if got := verdict(t, f, wrong, 0); other != arch && got != unix.SECCOMP_RET_KILL_PROCESS {
				t.Errorf("a call of %s in a filter for %s: %#x", other, arch, got)
			}
		}
		for _, r := range list {
			if syscalls()["amd64"][r.name] == 0 && r.name != "read" {
				t.Errorf("%q is no system call", r.name)
			}
		}
	}
	if _, err := assemble("riscv64", nil); err == nil {
		t.Error("a filter for riscv64")
	}
}

// The table has the numbers that this processor has.
func TestNumbers(t *testing.T) {
	if syscalls()[arch] == nil {
		t.Skip("SKIPPED: workers run on amd64 and arm64")
	}
	for name, nr := range map[string]uint32{
		"read": unix.SYS_READ, "socket": unix.SYS_SOCKET, "openat": unix.SYS_OPENAT, "rseq": unix.SYS_RSEQ,
		"seccomp": unix.SYS_SECCOMP, "clone3": unix.SYS_CLONE3, "exit_group": unix.SYS_EXIT_GROUP,
	} {
		if got, ok := syscalls()[arch][name]; !ok || got != nr {
			t.Errorf("%s is %d, expected %d", name, got, nr)
		}
		if got := nameOf(arch, nr); got != name {
			t.Errorf("%d is %q, expected %q", nr, got, name)
		}
	}
}
