package suspend_test

import (
	"os"
	"testing"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/suspend"
)

func TestDbg2(t *testing.T) {
	for _, c := range programs {
		if c.name != os.Getenv("P") {
			continue
		}
		b, err := suspend.Make(program(t, c.name), c.far)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(kernel.Text(b.Kernel))
	}
}
