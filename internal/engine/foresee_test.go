package engine

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestForesee: what will take long asks for native code before its first slice, and what it took before counts; what is
// one long slice waits for it; nobody waits for what does not come; what is over soon does not ask.
func TestForesee(t *testing.T) {
	const price = 50 * time.Millisecond
	c, _ := long(1 << 12)
	with := func(s *codegen.Service, k *kernel.Kernel) *Compiled {
		t.Helper()
		out, err := engineWith(t, Options{Codegen: s, Promotion: time.Duration(float64(price) / machine.Larger(kernel.Instructions(k)))}).Kernel(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	k := with(codegentest.Service(t, ""), c.Kernel)
	if k.Foresee(t.Context(), Outlook{Wasm: price / 2}); k.climb.asked.Load() {
		t.Error("half of what native code costs is enough to ask for it")
	}
	k.spent(price * 3 / 4)
	if k.Foresee(t.Context(), Outlook{Wasm: price / 2}); !k.climb.asked.Load() {
		t.Error("three quarters spent and half to come do not ask for native code")
	}
	k = with(codegentest.Service(t, ""), c.Kernel)
	if k.spent(price); !k.climb.asked.Load() {
		t.Error("what native code costs was spent, and it is not asked for")
	}

	deep := deepKernel()
	k = with(codegentest.Service(t, ""), deep)
	if k.Foresee(t.Context(), Outlook{Wasm: time.Minute, Each: time.Minute}); k.Tier() != Native {
		t.Errorf("one long outer index begins on %s", k.Tier())
	}

	s := codegen.New(codegen.Options{Program: []string{"sleep", "60"}, Timeout: time.Minute})
	defer s.Close()
	k = with(s, deep)
	began := time.Now()
	k.Foresee(t.Context(), Outlook{Wasm: 2 * price, Each: 2 * price})
	if took := time.Since(began); took < 2*price || took > 30*time.Second || k.Tier() != Wasm {
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
