package wasm

import (
	"context"
	"os"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

func TestDump(t *testing.T) {
	want := os.Getenv("DUMP")
	for _, k := range benchKernels() {
		if k.name != want {
			continue
		}
		c, _, err := emit(k.k, os.Getenv("SCALAR") != "")
		if err != nil {
			t.Fatal(err)
		}
		bin := kernelModule(c, 65536)
		os.WriteFile("/tmp/k.wasm", bin, 0o644)
		os.RemoveAll("/tmp/wc")
		cache, err := wazero.NewCompilationCacheWithDir("/tmp/wc")
		if err != nil {
			t.Fatal(err)
		}
		rt := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithCompilationCache(cache))
		if _, err := rt.CompileModule(context.Background(), bin); err != nil {
			t.Fatal(err)
		}
	}
}
