//go:build linux && amd64 && !static

package ucx

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The assembler of arm64 does the same, in an emulator.
func TestArm64(t *testing.T) {
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("SKIPPED: nothing was sent over UCX on arm64: there is no qemu-aarch64-static (Debian: qemu-user-static)")
	}
	if _, err := os.Stat("/usr/lib/aarch64-linux-gnu/libucp.so.0"); err != nil {
		t.Skip("SKIPPED: nothing was sent over UCX on arm64: its library is not installed (Debian: libucx0:arm64)")
	}
	program := filepath.Join(t.TempDir(), "ucx.test")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(qemu, program, "-test.run", "^(TestNetworks|TestSizes|TestForeign)$", "-test.v").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
