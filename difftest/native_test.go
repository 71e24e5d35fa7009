package difftest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// service compiles to native code; nil where LLVM is missing.
var service *codegen.Service

func TestMain(m *testing.M) {
	mem.Spoil()
	os.Exit(codegentest.Main(tests{m}))
}

// tests run with one service for all of them.
type tests struct{ *testing.M }

func (m tests) Run() int {
	s, ok, err := codegentest.Start("")
	if err != nil {
		panic(err)
	}
	defer s.Close()
	if ok {
		service = s
	}
	return m.M.Run()
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
	list := []setting{{engine.Wasm, 1, 0}, {engine.Wasm, 2, 4096 + 33}, {engine.Wasm, 7, 0}, {onTrial, 2, 0}}
	if service != nil {
		list = append(list, setting{engine.Native, 1, 0}, setting{engine.Native, 2, 4096 + 33}, setting{engine.Native, 7, 0})
	}
	return list
}

// onTrial is an engine that interprets kernels at first, and goes over to code in the middle of some programs.
const onTrial = engine.Tier("trial")

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
		opt := engine.Options{Tier: tier, Codegen: service}
		if tier == onTrial {
			opt.Tier, opt.Trial = engine.Wasm, func(int) (int64, time.Duration) { return 1 << 14, time.Millisecond }
		}
		e, err := engine.New(opt)
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
