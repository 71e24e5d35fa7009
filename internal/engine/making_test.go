package engine

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestMaking: what native code took to be made is told once, and for how long it was made is known while it is.
func TestMaking(t *testing.T) {
	m := &making{}
	k := deepKernel()
	first := m.begin(k, true)
	second := m.begin(k, false)
	time.Sleep(2 * time.Millisecond)
	first(true)
	second(false)
	if m.under != 0 || m.spent < 2*time.Millisecond || len(m.made) != 1 || !m.made[0].Starts {
		t.Errorf("%+v", m)
	}
	e := engineWith(t, Options{Codegen: codegentest.Service(t, "")})
	c, err := e.Kernel(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Promote(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	made := e.Made()
	if len(made) != 1 || made[0].Instructions != kernel.Instructions(k) || made[0].Took <= 0 || made[0].Took > e.Making() {
		t.Errorf("%+v in %v", made, e.Making())
	}
	if again := e.Made(); len(again) != 0 {
		t.Errorf("told twice: %+v", again)
	}
}

// TestPrice: native code of a large kernel is asked for later than that of a small one.
func TestPrice(t *testing.T) {
	e := engineWith(t, Options{Codegen: codegentest.Service(t, ""), Promotion: time.Hour})
	c, err := e.Kernel(t.Context(), deepKernel())
	if err != nil {
		t.Fatal(err)
	}
	small := c.price()
	if c.instructions = 100 * c.instructions; c.price() < 10*small {
		t.Errorf("of a hundred times as many instructions it is %d ns, and was %d", c.price(), small)
	}
}
