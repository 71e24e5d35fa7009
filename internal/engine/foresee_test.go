package engine

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestForesee: what will take long asks for native code before its first slice; what is one long slice
// waits for it; nobody waits for what does not come; what is over soon does not ask.
func TestForesee(t *testing.T) {
	c, _ := long(1 << 12)
	with := func(s *codegen.Service) *Compiled {
		t.Helper()
		k, err := engineWith(t, Options{Codegen: s}).Kernel(t.Context(), c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	steps := func(k *Compiled) int64 { return k.Safe.Outer.Eval(c.Sizes) }

	k := with(codegentest.Service(t, ""))
	most := int64(promoteAfter) * 1000 / leastStep / steps(k)
	if k.Foresee(t.Context(), c.Sizes, most/2); k.climb.asked.Load() {
		t.Errorf("%d outer indices of %d steps ask for native code", most/2, steps(k))
	}
	if k.Foresee(t.Context(), c.Sizes, 2*most); !k.climb.asked.Load() {
		t.Errorf("%d outer indices of %d steps do not ask for native code", 2*most, steps(k))
	}

	deep := deepKernel()
	whole := func(s *codegen.Service) *Compiled {
		t.Helper()
		k, err := engineWith(t, Options{Codegen: s}).Kernel(t.Context(), deep)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	k = whole(codegentest.Service(t, ""))
	if k.Foresee(t.Context(), []int64{1 << 34}, 1); k.Tier() != Native {
		t.Errorf("one long outer index begins on %s", k.Tier())
	}

	s := codegen.New(codegen.Options{Program: []string{"sleep", "60"}, Timeout: time.Minute})
	defer s.Close()
	k = whole(s)
	began := time.Now()
	k.Foresee(t.Context(), []int64{1 << 27}, 1)
	if took := time.Since(began); took < time.Duration(firstPromotion) || took > 30*time.Second || k.Tier() != Wasm {
		t.Errorf("%v for a compiler that hangs; on %s", took, k.Tier())
	}
}

// deepKernel squares all elements in one outer index.
func deepKernel() *kernel.Kernel {
	s := size.Var("s0")
	b, _, _, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 40}},
		Regions: []kernel.Region{{Elem: num.F32, Len: s}, {Elem: num.F32, Len: s, Access: kernel.Write}},
		Outer:   size.Const(1), Grain: size.Const(1), Count: size.Const(1),
	})
	b.For(b.Int(0), b.SizeOf(s), nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		x := b.Load(0, i)
		b.Store(1, i, b.Wrap(num.Mul, x, x))
		return nil, kernel.None
	})
	return b.Finish()
}
