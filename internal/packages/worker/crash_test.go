//go:build !static

package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const echo = `gw_reply(payload, size);`

// forbidden is C text that makes a system call with numbers of this architecture.
func forbidden(name, args string) string {
	nr, ok := syscalls()[arch][name]
	if !ok {
		return ""
	}
	return inMain(fmt.Sprintf("sys(%d, %s);", nr, args))
}

// connection is a C function that finds the worker's descriptor of the socket: the
// only one from 10 on that is open.
var connection = fmt.Sprintf(`static int connection(void) {
	struct { int fd; short events, found; } p = {9, 0, 32};
	long now[2] = {0, 0};
	while (p.found & 32) { p.fd++; sys(%d, (long)&p, 1, (long)now, 0, 0, 0); }
	return p.fd;
}
`, syscalls()[arch]["ppoll"])

// endings are programs that do what they may not, and what is then said.
var endings = []struct {
	name, text string
	deps       []string
	limits     Limits
	want       string
}{
	{name: "null pointer", text: inMain(`*(volatile int *)payload = *(int *)target_args;`), want: "null pointer at address 0x0, at x_main+0x"},
	{name: "null field", text: inMain(`((volatile int *)target_args)[30] = 1;`), want: "null pointer at address 0x78"},
	{name: "answer in pieces", text: connection + inMain(fmt.Sprintf(`
		char b[] = {0, 0, 0, 1, 3};
		int to = connection();
		for (long n = sizeof b;; n = 1) sys(%d, to, (long)b, n, 0, 0, 0);`, syscalls()[arch]["write"])), want: "comes in too many pieces"},
	{name: "wild pointer", text: inMain(`*(volatile int *)0x123456789000 = 1;`), want: "bad address 0x123456789000: nothing is mapped"},
	{name: "impossible pointer", text: inMain(`*(volatile int *)0xdead123456789000 = 1;`), want: "bad address"},
	{name: "wild jump", text: inMain(`((void (*)(void))(payload))();`), want: "in a way that its memory does not allow"},
	{name: "stack overflow", text: `
		__attribute__((noinline)) uint64_t deep(volatile uint64_t *p, uint64_t n) {
			volatile uint64_t local[64]; local[n & 63] = n;
			return deep(local, n + 1) + *p + local[0];
		}` + inMain(`volatile uint64_t v = 0; v = deep(&v, 0);`), want: "stack overflow: the stack has 8192 KiB"},
	{name: "small stack overflow", limits: Limits{Stack: 64 << 10}, text: inMain(`volatile char local[256 << 10]; for (int i = 256 << 10; i > 0; i -= 64) local[i - 1] = 1;`), want: "stack overflow: the stack has 64 KiB"},
	{name: "stack overflow in the api", text: `
		__attribute__((noinline)) uint64_t deep(volatile uint64_t *p) {
			volatile uint64_t local[2]; local[1] = gw_node();
			return deep(local) + *p + local[0];
		}` + inMain(`volatile uint64_t v = 0; v = deep(&v);`), want: "stack overflow"},
	{name: "illegal instruction", text: inMain(`__builtin_trap();`), want: trapEnds},
	{name: "division by zero", text: inMain(`volatile int zero = 0; volatile int r = (int)size / zero;`), want: divisionEnds},
	{name: "processor time", limits: Limits{CPU: 200 * time.Millisecond}, text: inMain(`for (volatile int i = 0;; i++);`), want: "of processor time; the limit is 200ms"},
	{name: "sleeps", limits: Limits{CPU: 50 * time.Millisecond}, deps: []string{"libc.so.6"}, text: `#include <unistd.h>
		` + inMain(`sleep(1000);`), want: "stopped after "},
	{name: "malloc bomb", limits: Limits{Memory: 128 << 20}, deps: []string{"libc.so.6"}, text: `#include <stdlib.h>
		` + inMain(`for (;;) { volatile char *p = malloc(1 << 20); p[0] = 1; p[1 << 19] = 2; }`), want: "out of memory: it may take 128 MiB"},
	{name: "exit", deps: []string{"libc.so.6"}, text: "#include <stdlib.h>\n" + inMain(`exit(3);`), want: "its code called exit(3)"},
	{name: "exit with 2", deps: []string{"libc.so.6"}, text: "#include <stdlib.h>\n" + inMain(`exit(2);`), want: "its code called exit(2)"},
	{name: "exit with 0", deps: []string{"libc.so.6"}, text: "#include <stdlib.h>\n" + inMain(`exit(0);`), want: "its code called exit(0)"},
	{name: "exit of the thread", text: forbidden("exit", "60, 0, 0, 0, 0, 0"), want: "its code called exit(60) of its thread"},
	{name: "_exit", deps: []string{"libc.so.6"}, text: "#include <unistd.h>\n" + inMain(`_exit(60);`), want: "its code called exit(60)"},
	{name: "pthread_exit", deps: []string{"libc.so.6"}, text: "#include <pthread.h>\n" + inMain(`pthread_exit(0);`), want: "is forbidden"},
	{name: "pthread_create", deps: []string{"libc.so.6"}, text: "#include <pthread.h>\nstatic void *work(void *p) { return p; }\n" + inMain(`pthread_t t; pthread_create(&t, 0, work, 0);`), want: "as clone is when a thread or process is started"},
	{name: "thread without the C library", text: forbidden("clone", "0x50f00, 0, 0, 0, 0, 0"), want: "system call clone is forbidden: a package has one thread"},
	{name: "clone3", text: forbidden("clone3", "(long)payload, 88, 0, 0, 0, 0"), want: "system call clone3 is forbidden: a package has one thread"},
	{name: "raise", deps: []string{"libc.so.6"}, text: "#include <signal.h>\n" + inMain(`raise(SIGSTOP);`), want: "system call tgkill is forbidden"},
	{name: "stops itself", text: forbidden("kill", "0, 19, 0, 0, 0, 0"), want: "system call kill is forbidden"},
	{name: "shared memory without a file", text: forbidden("mmap", "0, 4096, 3, 0x21, -1, 0"), want: "system call mmap of such memory"},
	{name: "huge pages", text: forbidden("mmap", "0, 2 << 20, 3, 0x40022, -1, 0"), want: "system call mmap of such memory"},
	{name: "poison", text: forbidden("madvise", "(long)payload & ~4095L, 4096, 100, 0, 0, 0"), want: "system call madvise is forbidden"},
	{name: "lock with priorities", text: forbidden("futex", "(long)payload, 6, 0, 0, 0, 0"), want: "system call futex is forbidden"},
	{name: "abort", deps: []string{"libc.so.6"}, text: "#include <stdlib.h>\n" + inMain(`abort();`), want: "its code called abort()"},
	{name: "reads what it gives to the api", text: inMain(`gw_reply((void *)0x123456789000, 100);`), want: "bad address 0x123456789000"},
	{name: "socket", text: forbidden("socket", "2, 1, 0, 0, 0, 0"), want: "system call socket is forbidden, at x_main+0x"},
	{name: "connect", text: forbidden("connect", "0, 0, 0, 0, 0, 0"), want: "system call connect is forbidden"},
	{name: "open", text: forbidden("open", `(long)"/etc/passwd", 0, 0, 0, 0, 0`), want: "system call open is forbidden"},
	{name: "openat", text: forbidden("openat", `-100, (long)"/etc/passwd", 0, 0, 0, 0`), want: "system call openat is forbidden"},
	{name: "execve", text: forbidden("execve", `(long)"/bin/sh", 0, 0, 0, 0, 0`), want: "system call execve is forbidden"},
	{name: "fork", text: forbidden("fork", "0, 0, 0, 0, 0, 0"), want: "system call fork is forbidden"},
	{name: "clone", text: forbidden("clone", "17, 0, 0, 0, 0, 0"), want: "system call clone is forbidden"},
	{name: "new namespace", text: forbidden("unshare", "0x10000000, 0, 0, 0, 0, 0"), want: "system call unshare is forbidden"},
	{name: "kill", text: forbidden("kill", "1, 0, 0, 0, 0, 0"), want: "system call kill is forbidden"},
	{name: "tgkill of another", text: forbidden("tgkill", "1, 1, 0, 0, 0, 0"), want: "system call tgkill is forbidden"},
	{name: "ptrace", text: forbidden("ptrace", "0, 0, 0, 0, 0, 0"), want: "system call ptrace is forbidden"},
	{name: "process_vm_readv", text: forbidden("process_vm_readv", "1, 0, 0, 0, 0, 0"), want: "system call process_vm_readv is forbidden"},
	{name: "memfd_create", text: forbidden("memfd_create", `(long)"x", 0, 0, 0, 0, 0`), want: "system call memfd_create is forbidden"},
	{name: "mmap of code", text: forbidden("mmap", "0, 4096, 7, 0x22, -1, 0"), want: "system call mmap of such memory (executable"},
	{name: "mprotect to code", text: forbidden("mprotect", "(long)payload & ~4095L, 4096, 5, 0, 0, 0"), want: "system call mprotect of such memory (executable"},
	{name: "prctl", text: forbidden("prctl", "1, 0, 0, 0, 0, 0"), want: "system call prctl is forbidden"},
	{name: "setrlimit", text: forbidden("prlimit64", "0, 9, 0, 0, 0, 0"), want: "system call prlimit64 is forbidden"},
	{name: "signal handler", text: forbidden("rt_sigaction", "31, 0, 0, 8, 0, 0"), want: "system call rt_sigaction is forbidden"},
	{name: "read of another descriptor", text: forbidden("read", "0, (long)payload, 1, 0, 0, 0"), want: "system call read is forbidden"},
	{name: "x32", text: onX32, want: "system call 1073741863 is forbidden"},
	{name: "unknown system call", text: inMain(`sys(9999, 0, 0, 0, 0, 0, 0);`), want: "system call 9999 is forbidden"},
	{name: "closes the connection", text: connection + inMain(fmt.Sprintf(`sys(%d, connection(), 0, 0, 0, 0, 0); for (;;);`, syscalls()[arch]["close"])), want: "broke the protocol: EOF"},
	{name: "answers nonsense", text: connection + inMain(fmt.Sprintf(`static char s[4096]; sys(%d, connection(), (long)s, 4096, 0, 0, 0);`, syscalls()[arch]["write"])), want: "broke the protocol: an answer that nobody asked for"},
	{name: "writes a false crash record", text: inMain(fmt.Sprintf(`static char s[4096]; sys(%d, 3, (long)s, 4096, 0, 0, 0); for (;;);`, syscalls()[arch]["write"])), want: "wrote what is no record of a crash"},
}

// After each of them another program's worker is as it was, and the program itself
// can be loaded again.
func TestEndings(t *testing.T) {
	needClang(t)
	other := newPool(t, Options{})
	mustLoad(t, other, compile(t, "echo", "static int calls;"+inMain(`calls++; gw_reply(&calls, 4);`)))
	calls := byte(0)
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			if e.text == "" || e.name == "division by zero" && divisionEnds == "" {
				t.Skip("SKIPPED: this processor does not have that")
			}
			p := newPool(t, Options{Limits: e.limits})
			prog := compile(t, "bad", e.text)
			prog.Deps = e.deps
			for range 2 {
				mustLoad(t, p, prog)
				began := time.Now()
				o, err := p.Call(within30(t), "bad", &Call{Payload: make([]byte, 100)})
				var end *Error
				if !errors.As(err, &end) || end.ID != "bad" || !strings.Contains(end.How, e.want) {
					t.Fatalf("got %+v, %v, expected %q", o, err, e.want)
				}
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("it took %v", took)
				}
				t.Log(end.How)
				if _, err := p.Call(within30(t), "bad", &Call{}); !errors.Is(err, ErrNotLoaded) {
					t.Errorf("a call after the end: %v", err)
				}
			}
			calls++
			if o := mustCall(t, other, "echo", &Call{}); o.Reply[0] != calls {
				t.Errorf("the other worker has had %d calls, expected %d", o.Reply[0], calls)
			}
		})
	}
}

// A deadline and a cancelled context end a call that does not end.
func TestDeadline(t *testing.T) {
	p := newPool(t, Options{})
	prog := compile(t, "loop", inMain(`if (size) for (;;); `+echo))
	mustLoad(t, p, prog)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := p.Call(ctx, "loop", &Call{Payload: []byte{1}})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "stopped after ") {
		t.Errorf("%v", err)
	}
	mustLoad(t, p, prog)
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := p.Call(ctx, "loop", &Call{Payload: []byte{1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	mustLoad(t, p, prog)
	over, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if _, err := p.Call(over, "loop", &Call{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline 0: %v", err)
	}
	mustCall(t, p, "loop", &Call{}) // a call that was not started ends no worker
}

// Memory that was granted ends at guard pages, and is writable only if so granted,
// whatever the code tries.
func TestRegionBounds(t *testing.T) {
	mprotect, mremap := syscalls()[arch]["mprotect"], syscalls()[arch]["mremap"]
	region := `size_t n; volatile char *r = gw_region("r", &n); `
	for _, c := range []struct {
		name, body string
		write      bool
		want       string
	}{
		{"write to a read-only region", region + `r[0] = 1;`, false, "read-only"},
		{"write before", region + `r[-1] = 1;`, true, "guards the end"},
		{"write after", region + `r[8192] = 1;`, true, "guards the end"},
		{"write after the payload", `((volatile char *)payload)[4096] = 1;`, true, "guards the end"},
		{"write before the payload", `((volatile char *)payload)[-1] = 1;`, true, "guards the end"},
		{"not granted", `char *r = gw_region("s", &size); if (r || size) gw_reply("x", 1); *r = 1;`, true, "null pointer"},
		{"makes it writable", region + fmt.Sprintf(`if (sys(%d, (long)r, 4096, 3, 0, 0, 0) == 0) r[0] = 1; gw_reply("", 0);`, mprotect), false, ""},
		{"maps descriptors", region + fmt.Sprintf(`for (int fd = 0; fd < 200; fd++) { long at = sys(%d, 0, 4096, 3, 1, fd, 0); if (at > 0 || at < -4095) *(char *)at = 1; } gw_reply("", 0);`, syscalls()[arch]["mmap"]), false, ""},
		{"keeps a copy", region + fmt.Sprintf(`long at = sys(%d, (long)r, 0, 4096, 1, 0, 0); if (at > 0 || at < -4095) *(char *)at = 1; gw_reply("", 0);`, mremap), true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPool(t, Options{})
			mustLoad(t, p, compile(t, "x", inMain(c.body)))
			r, err := NewRegion(8192)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			o, err := p.Call(within30(t), "x", &Call{Payload: []byte{1}, Grants: []Grant{{"r", r, c.write}}})
			if c.want == "" && (err != nil || !o.Replied) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %+v, %v, expected %q", o, err, c.want)
			}
			for i, b := range r.Bytes() {
				if b != 0 {
					t.Fatalf("byte %d is %d", i, b)
				}
			}
		})
	}
}

// A region that one call was granted is gone in the next.
func TestGrantEnds(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", "static volatile char *kept;"+inMain(`
		if (size) { kept = gw_region("r", 0); kept[0] = 7; return; }
		if (gw_region("r", 0)) return;
		kept[0] = 8;`)))
	r, err := NewRegion(1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mustCall(t, p, "x", &Call{Payload: []byte{1}, Grants: []Grant{{"r", r, true}}})
	if _, err := p.Call(within30(t), "x", &Call{}); err == nil || !strings.Contains(err.Error(), "address") {
		t.Errorf("%v", err)
	}
	if r.Bytes()[0] != 7 {
		t.Errorf("the region holds %d", r.Bytes()[0])
	}
}

// Whoever kills a worker from outside fails the call, no more.
func TestKilledFromOutside(t *testing.T) {
	p := newPool(t, Options{})
	prog := compile(t, "loop", inMain(`for (;;);`))
	mustLoad(t, p, prog)
	pid := p.slots["loop"].process.cmd.Process.Pid
	time.AfterFunc(50*time.Millisecond, func() { unix.Kill(pid, unix.SIGKILL) })
	if _, err := p.Call(within30(t), "loop", &Call{}); err == nil || !strings.Contains(err.Error(), "killed from outside") {
		t.Errorf("%v", err)
	}
	mustLoad(t, p, prog)
}
