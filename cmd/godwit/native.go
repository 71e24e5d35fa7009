package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/front/compile"
)

// codegenCommand is the command line of the process that LLVM runs in, and the
// folder where its objects are kept; nil where this program cannot be found.
func codegenCommand() (command []string, dir string) {
	if command = children().Codegen; command == nil {
		return nil, ""
	}
	if cache, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(cache, "godwit", "native")
	}
	return command, dir
}

// newRuntime is where the calls of this process run.
func newRuntime() *godwit.Runtime {
	command, dir := codegenCommand()
	return godwit.NewRuntime(godwit.WithCompiler(dir, command...))
}

// assemble adds to each kernel the instructions that a processor gets; arch is "" for
// this one.
func assemble(ctx context.Context, e *compile.Explanation, arch string) error {
	command, _ := codegenCommand()
	s := codegen.New(codegen.Options{Program: command})
	defer s.Close()
	for i := range e.Kernels {
		k := &e.Kernels[i]
		r, err := s.Compile(ctx, codegen.Job{Form: codegen.Kernel, Source: k.Code, Target: codegen.Target{Arch: arch}, Optimise: true, Assembly: true})
		if err != nil {
			return err
		}
		k.Assembly = string(r.Object)
	}
	return nil
}
