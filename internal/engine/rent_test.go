package engine

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestRent: what a kernel runs in WebAssembly is told once, if it is enough to count, and a later process goes on from there.
func TestRent(t *testing.T) {
	price := 80 * time.Millisecond
	c, _ := long(1 << 12)
	id := kernel.ID{}
	with := func(s *codegen.Service, before time.Duration) (*Engine, *Compiled) {
		t.Helper()
		e := engineWith(t, Options{Codegen: s, Promotion: time.Duration(float64(price) / machine.Larger(kernel.Instructions(c.Kernel))),
			Rented: func(of kernel.ID) time.Duration {
				id = of
				return before
			}})
		k, err := e.Kernel(t.Context(), c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		return e, k
	}
	e, k := with(codegentest.Service(t, ""), price/2)
	if id != k.Hash {
		t.Errorf("what %v has run was asked for, want %v", id, k.Hash)
	}
	if k.climb.asked.Load() {
		t.Error("half of what native code costs is enough to ask for it")
	}
	if k.spent(price / 10); e.Rent(k.Hash) > 0 {
		t.Error("next to nothing is told")
	}
	k.spent(price / 10)
	if took := e.Rent(k.Hash); took < price/5-time.Microsecond || took > price/5 {
		t.Errorf("%v, want a fifth of %v, without what earlier processes told", took, price)
	}
	if took := e.Rent(k.Hash); took > 0 {
		t.Errorf("%v is told twice", took)
	}
	if k.spent(price / 2); !k.climb.asked.Load() {
		t.Error("what was spent before does not count")
	}

	e, k = with(codegentest.Service(t, ""), price)
	if !k.climb.asked.Load() {
		t.Error("native code that was paid for before is not asked for")
	}
	if e.seeThrough(); k.Tier() != Native {
		t.Errorf("a process that has paid before ends with its kernel on %s", k.Tier())
	}
	if took := e.Rent(k.Hash); took > 0 {
		t.Errorf("%v of a kernel that has native code", took)
	}

	hangs := codegen.New(codegen.Options{Program: []string{"sleep", "60"}, Timeout: time.Minute})
	defer hangs.Close()
	e, k = with(hangs, price)
	began := time.Now()
	if e.seeThrough(); k.Tier() != Wasm || time.Since(began) > 30*time.Second {
		t.Errorf("%v for a compiler that hangs; on %s", time.Since(began), k.Tier())
	}

	e, k = with(hangs, 0)
	k.Foresee(t.Context(), Outlook{Wasm: 2 * price})
	if k.spent(price); e.Rent(k.Hash) != price {
		t.Error("what a kernel runs after it has asked for native code does not count for the next process")
	}
	price = time.Minute
	e, k = with(hangs, price/2)
	k.spent(price)
	began = time.Now()
	if e.seeThrough(); !k.climb.asked.Load() || time.Since(began) > price/2 {
		t.Errorf("%v for native code that no earlier process has paid for; asked: %v", time.Since(began), k.climb.asked.Load())
	}
}
