//go:build !static

package worker

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A worker for arm64 under an emulator, which has no seccomp: refused, unless the
// operator wants it without.
func TestEmulated(t *testing.T) {
	const qemu, loader = "qemu-aarch64-static", "/lib/ld-linux-aarch64.so.1"
	needClang(t)
	emulator, err := exec.LookPath(qemu)
	if err != nil {
		t.Skip("SKIPPED: " + qemu + " is not installed (Debian: qemu-user-static)")
	}
	if _, err := os.Stat(loader); err != nil {
		t.Skip("SKIPPED: " + loader + " is not installed (Debian: libc6:arm64)")
	}
	binary64 := filepath.Join(t.TempDir(), "worker.test")
	build := exec.Command("go", "test", "-c", "-o", binary64, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if b, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	opt := Options{Program: []string{emulator, binary64, "worker-child"}}
	prog := compile(t, "arm", `
		__attribute__((noinline)) uint64_t deep(volatile uint64_t *p, uint64_t n) {
			volatile uint64_t local[64]; local[n & 63] = n;
			return deep(local, n + 1) + *p + local[0];
		}`+inMain(`
		uint64_t *c = gw_region("counter", 0), one = 1;
		if (size == 1) *(volatile int *)target_args = 1;
		if (size == 2) { volatile uint64_t v = 0; v = deep(&v, 0); }
		__atomic_fetch_add(c, one, __ATOMIC_SEQ_CST);
		gw_self_forward(4, "next", 4);
		gw_reply(c, 8);`), "--target=aarch64-linux-gnu", "-ffreestanding", "-mno-outline-atomics")
	if _, err := newPool(t, opt).Load(within30(t), prog); err == nil || !strings.Contains(err.Error(), "packages cannot be confined here") {
		t.Errorf("without Unconfined: %v", err)
	}
	opt.Unconfined = true
	p := newPool(t, opt)
	t.Logf("%+v", mustLoad(t, p, prog))
	r, err := NewRegion(8)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	call := &Call{Nodes: []uint32{4}, Grants: []Grant{{"counter", r, true}}}
	for i := range 3 {
		o := mustCall(t, p, "arm", call)
		if binary.LittleEndian.Uint64(o.Reply) != uint64(i+1) || len(o.Sends) != 1 || string(o.Sends[0].Payload) != "next" {
			t.Errorf("%+v", o)
		}
	}
	time.Sleep(3 * lookIdle)
	if w := processOf(t, p, "arm"); w.exited() || !p.Status().Unconfined {
		t.Errorf("what the emulator does between calls is taken for the package's doing: %s; %+v", w.said.tail(), p.Status())
	}
	for n, want := range map[int]string{1: "null pointer at address 0x0", 2: "stack overflow"} {
		mustLoad(t, p, prog)
		call.Payload = make([]byte, n)
		if _, err := p.Call(within30(t), "arm", call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}
