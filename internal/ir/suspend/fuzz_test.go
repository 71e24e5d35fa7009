package suspend_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// FuzzMake: whatever the kernel, Make gives a reason or a batch that is safe
// and has the regions that it says.
func FuzzMake(f *testing.F) {
	seed := func(k *kernel.Kernel, region byte, width uint8) {
		if b, err := kernel.Encode(k); err == nil {
			f.Add(b, region, width)
		}
	}
	for _, c := range programs {
		for r, w := range c.far {
			seed(program(f, c.name), byte(r), uint8(w))
		}
	}
	for _, c := range kerneltest.Every() {
		seed(c.Kernel, 0, 1)
	}
	f.Fuzz(func(t *testing.T, code []byte, region byte, width uint8) {
		k, err := kernel.Decode(code)
		if err != nil {
			return
		}
		b, err := suspend.Make(k, suspend.Widths{int(region): int64(width)})
		if err != nil {
			if b != nil || err.Error() == "" {
				t.Fatal("neither a batch nor a reason")
			}
			return
		}
		if _, err := verify.Check(b.Kernel); err != nil {
			t.Fatal(err)
		}
		if got, want := len(b.Kernel.Regions), len(b.Columns)+len(b.Far)+len(b.Near); got != want {
			t.Fatalf("%d regions, expected %d", got, want)
		}
		for i, c := range b.Columns {
			if r := b.Kernel.Regions[i]; r.Access != kernel.ReadWrite || r.Elem != c.Kind {
				t.Fatalf("column %d is %s %s, expected readwrite %s", i, r.Access, r.Elem, c.Kind)
			}
		}
	})
}
