//go:build static

package object

import (
	"errors"
	"runtime"
	"testing"
)

func TestStatic(t *testing.T) {
	b := plain().bytes()
	if defines, _, err := Check(b, runtime.GOARCH); err != nil || len(defines) != 2 {
		t.Error(defines, err)
	}
	if _, err := Link(b, Library); !errors.Is(err, ErrStatic) {
		t.Errorf("Link says %v", err)
	}
	if _, ok := Library("memcpy"); ok {
		t.Error("memcpy is found")
	}
	defer func() {
		if recover() != ErrStatic {
			t.Error("a call does not fail")
		}
	}()
	Call(1)
}
