//go:build !static

package object

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// FuzzCheck reads arbitrary bytes as an object, and links what is accepted for
// this processor. It calls nothing.
func FuzzCheck(f *testing.F) {
	f.Add(plain().bytes())
	if _, err := exec.LookPath("clang-19"); err == nil {
		for _, arch := range []string{"amd64", "arm64", "riscv64"} {
			b := clang(f, arch, "-Os", "-fPIC", "-fcommon")
			for _, name := range files {
				o := filepath.Join(f.TempDir(), name+".o")
				compile(f, b, name+".c", o)
				f.Add(load(f, o))
			}
		}
	}
	anything := func(string) (uintptr, bool) { return 4096, true }
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, arch := range []string{"amd64", "arm64", "riscv64"} {
			_, needs, err := Check(b, arch)
			if arch != runtime.GOARCH {
				continue
			}
			image, linked := Link(b, anything)
			if err != nil && linked == nil {
				t.Fatalf("Link accepts what Check refuses: %v", err)
			}
			if linked != nil {
				continue
			}
			if n := image.Bytes(); n > MaxBytes {
				t.Errorf("an image of %d bytes that needs %v", n, needs)
			}
			if err := image.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
