package suspend_test

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/suspend"
	"github.com/godwit-run/godwit/verify"
)

func TestDbg(t *testing.T) {
	for _, c := range programs {
		k := program(t, c.name)
		t0 := time.Now()
		for range 3 {
			verify.Check(k)
		}
		t1 := time.Now()
		var b *suspend.Batch
		for range 3 {
			var err error
			b, err = suspend.Make(k, c.far)
			if err != nil {
				t.Fatal(c.name, err)
			}
		}
		t2 := time.Now()
		for range 3 {
			verify.Check(b.Kernel)
		}
		t3 := time.Now()
		t.Log(c.name, t1.Sub(t0)/3, t2.Sub(t1)/3, t3.Sub(t2)/3)
	}
}
