package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data/whole"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

func code4(i int) []byte { return fmt.Appendf(nil, "%04d", i) }

func has(s *Store, i int) bool {
	b, ok := s.Code(kernel.Hash(code4(i)))
	return ok && string(b) == string(code4(i))
}

func TestCode(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{Code: 12})
	for i := range 3 {
		check(t, s.KeepCode(code4(i)))
		time.Sleep(2 * time.Millisecond)
	}
	if !has(s, 0) { // used: now 1 is the oldest
		t.Fatal("kernel 0 is not there")
	}
	check(t, s.KeepCode(code4(3)))
	check(t, s.KeepCode(code4(3)))
	for i, want := range []bool{true, false, true, true} {
		if has(s, i) != want {
			t.Errorf("kernel %d is there: %v, expected %v", i, !want, want)
		}
		time.Sleep(2 * time.Millisecond)
	}
	if err := s.KeepCode(make([]byte, 13)); err == nil {
		t.Error("a kernel larger than the cache is kept")
	}
	check(t, s.Close())

	check(t, os.WriteFile(filepath.Join(dir, "code", whole.Temporary+"x"), []byte("rest"), 0o644))
	check(t, os.WriteFile(s.code.path(kernel.Hash(code4(2))), []byte("2002"), 0o644))
	s = open(t, dir, Options{Code: 12})
	if !has(s, 0) || !has(s, 3) {
		t.Error("kernels are gone after a restart")
	}
	var listed []string
	for id, b := range s.Codes() {
		if id != kernel.Hash(b) {
			t.Errorf("the kernel %s is listed with the bytes of another", id)
		}
		listed = append(listed, string(b))
	}
	if !slices.Equal(listed, []string{"0003", "0000"}) { // as used above; 2 is damaged
		t.Errorf("%q are listed", listed)
	}
	for range s.Codes() {
		break // the lock is free then
	}
	if _, ok := s.Code(kernel.Hash(code4(2))); ok {
		t.Error("a damaged kernel is given")
	}
	check(t, s.Close())
	s = open(t, dir, Options{Code: 4})
	if has(s, 0) || !has(s, 3) {
		t.Error("a smaller cache does not keep what was used last")
	}
	list, err := os.ReadDir(filepath.Join(dir, "code"))
	if err != nil || len(list) != 1 || !strings.HasSuffix(list[0].Name(), codeExt) {
		t.Errorf("on the disk are %v, %v", list, err)
	}
}

// Packages are kept as kernels are; native code is counted, and nothing else that
// lies beside it.
func TestPackagesAndObjects(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	large := append([]byte(pack.Magic), make([]byte, kernel.MaxBytes)...)
	if err := s.KeepCode(large); err != nil {
		t.Fatal(err)
	}
	if b, ok := s.Code(kernel.Hash(large)); !ok || !bytes.Equal(b, large) {
		t.Error("a package longer than a kernel is not there")
	}
	if err := s.KeepCode(make([]byte, pack.MaxBytes+1)); err == nil {
		t.Error("what is longer than a package was kept")
	}
	for name, size := range map[string]int{strings.Repeat("ab", 32): 5, strings.Repeat("cd", 32): 6, "host": 100, "new-1": 100} {
		if err := os.WriteFile(filepath.Join(CompiledDir(dir), name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, size := s.Compiled(); n != 2 || size != 11 {
		t.Errorf("%d objects with %d bytes, expected 2 with 11", n, size)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
