package engine

import (
	"testing"

	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
)

// TestReadied: what it took to make a kernel as WebAssembly, and to bring its native code from disk, is told once; what it took to make native code is
// told elsewhere.
func TestReadied(t *testing.T) {
	dir := t.TempDir()
	c, _ := long(1 << 12)
	first := engineWith(t, Options{Codegen: codegentest.Service(t, dir)})
	k, err := first.Kernel(t.Context(), c.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Promote(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if list := first.Readied(); len(list) != 1 || list[0].Tier != Wasm || list[0].ID != k.Hash || list[0].Took <= 0 {
		t.Errorf("%+v", list)
	}
	if again := first.Readied(); len(again) != 0 {
		t.Errorf("told twice: %+v", again)
	}
	second := engineWith(t, Options{Tier: Native, Codegen: codegentest.Service(t, dir)})
	if _, err := second.Kernel(t.Context(), c.Kernel); err != nil {
		t.Fatal(err)
	}
	if list := second.Readied(); len(list) != 1 || list[0].Tier != Native || list[0].ID != k.Hash || list[0].Took <= 0 {
		t.Errorf("from disk: %+v", list)
	}
	third := engineWith(t, Options{Tier: Native, Codegen: codegentest.Service(t, t.TempDir())})
	if _, err := third.Kernel(t.Context(), c.Kernel); err != nil {
		t.Fatal(err)
	}
	if list := third.Readied(); len(list) != 0 {
		t.Errorf("native code was made: %+v", list)
	}
}
