package difftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/godwit-run/godwit/codegen"
	"github.com/godwit-run/godwit/engine"
)

// child marks the process that LLVM runs in, which is this binary once more.
const child = "GODWIT_DIFFTEST_CHILD"

// service compiles to native code; nil where LLVM is missing.
var service *codegen.Service

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		if err := codegen.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Setenv(child, "1")
	s := codegen.New(codegen.Options{Program: []string{os.Args[0]}})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	if _, err := s.Info(ctx); err == nil {
		service = s
	} else if !errors.Is(err, codegen.ErrMissing) {
		panic(err)
	}
	cancel()
	code := m.Run()
	_ = s.Close()
	os.Exit(code)
}

// TestNativeIsThere makes it known when the other tests compared without it.
func TestNativeIsThere(t *testing.T) {
	if service == nil {
		t.Skip("SKIPPED: no program ran as native code: libLLVM 19 is not installed (Debian: libllvm19)")
	}
}

// settings are what every program is run with; odd windows cut inputs where nothing
// else would.
func settings() []setting {
	list := []setting{{engine.Wasm, 1, 0}, {engine.Wasm, 2, 4096 + 33}, {engine.Wasm, 7, 0}}
	if service != nil {
		list = append(list, setting{engine.Native, 1, 0}, setting{engine.Native, 2, 4096 + 33})
	}
	return list
}

type setting struct {
	tier    engine.Tier
	threads int
	window  int64
}

func (s setting) String() string {
	return fmt.Sprintf("%s, %d threads, windows of %d rows", s.tier, s.threads, s.window)
}

// fleet hands out one engine for each tier, new ones now and then so that compiled
// kernels do not pile up.
type fleet struct {
	engines map[engine.Tier]*engine.Engine
	uses    int
}

func (f *fleet) engine(t interface{ Fatal(...any) }, tier engine.Tier) *engine.Engine {
	if f.uses++; f.uses%500 == 0 {
		f.close()
	}
	if f.engines[tier] == nil {
		e, err := engine.New(engine.Options{Tier: tier, Codegen: service})
		if err != nil {
			t.Fatal(err)
		}
		if f.engines == nil {
			f.engines = map[engine.Tier]*engine.Engine{}
		}
		f.engines[tier] = e
	}
	return f.engines[tier]
}

func (f *fleet) close() {
	for _, e := range f.engines {
		_ = e.Close()
	}
	f.engines = nil
}
