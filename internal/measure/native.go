package measure

import (
	"context"
	"errors"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/codegen"
)

// compiler are the words that stand before those of LLVM's process.
func (s *session) compiler() []string { return []string{s.opt.Program, "codegen-child"} }

// codegen starts LLVM's process; nil where there is no LLVM, which the report says. Who gets it
// closes it.
func (s *session) codegen(ctx context.Context) (*codegen.Service, error) {
	if s.opt.Program == "" {
		s.note("SKIPPED: native code: nobody said which program is godwit.")
		return nil, nil
	}
	service := codegen.New(codegen.Options{Program: s.compiler()})
	_, err := service.Info(ctx)
	if err == nil {
		return service, nil
	}
	service.Close()
	if errors.Is(err, codegen.ErrMissing) {
		s.note("SKIPPED: native code: libLLVM 19 is not installed (Debian: libllvm19).")
		return nil, nil
	}
	return nil, err
}

// runtime is one of native code where there is LLVM, as the command has it.
func (s *session) runtime(ctx context.Context) (*godwit.Runtime, error) {
	service, err := s.codegen(ctx)
	switch {
	case err != nil:
		return nil, err
	case service == nil:
		return godwit.NewRuntime(), nil
	}
	service.Close()
	return godwit.NewRuntime(godwit.WithEngine("native"), godwit.WithCompiler("", s.compiler()...)), nil
}
