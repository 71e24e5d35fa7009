package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/packages/cc"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// Loader makes what workers on this machine run of packages. Whether a package may
// run is for others to say.
type Loader struct {
	Codegen *codegen.Service // nil for none: then no bitcode
	Exports []string         // libraries whose functions packages may look up
}

// Program compiles what there is of a package for this machine, and says of which
// form that was and how long it took. Its ID is the package's hash.
func (l *Loader) Program(ctx context.Context, p *pack.Package) (w *worker.Program, form pack.Form, took time.Duration, err error) {
	id, err := p.ID()
	if err != nil {
		return nil, 0, 0, err
	}
	s, err := p.Choose(l.host(ctx))
	if err != nil {
		return nil, 0, 0, err
	}
	start := time.Now()
	object, err := l.object(ctx, s)
	if err != nil {
		return nil, s.Form, 0, fmt.Errorf("package %s, %s: %w", p.Name, s.Title(), err)
	}
	return &worker.Program{ID: id.String(), Name: p.Name, Object: object, Deps: p.Deps, Exports: l.Exports}, s.Form, time.Since(start), nil
}

func (l *Loader) object(ctx context.Context, s *pack.Section) ([]byte, error) {
	switch s.Form {
	case pack.Object:
		return s.Bytes, nil
	case pack.Source:
		return cc.Object(ctx, s.Bytes, cc.Target{Arch: s.Arch, Features: s.Features})
	}
	r, err := l.Codegen.Compile(ctx, codegen.Job{Form: codegen.Bitcode, Source: s.Bytes, Optimise: s.Form == pack.Bitcode})
	if err != nil {
		return nil, err
	}
	return r.Object, nil
}

// host is what a section must fit here.
func (l *Loader) host(ctx context.Context) pack.Host {
	h := pack.Host{Arch: runtime.GOARCH, Source: cc.Found()}
	info, err := l.info(ctx)
	if err != nil {
		h.Features = features()
		return h
	}
	h.Bitcode = true
	for _, f := range strings.Split(info.Host.Features, ",") {
		if name, has := strings.CutPrefix(f, "+"); has {
			h.Features = append(h.Features, name)
		}
	}
	return h
}

var errNoCodegen = errors.New("there is no compiler of bitcode")

func (l *Loader) info(ctx context.Context) (*codegen.Info, error) {
	if l.Codegen == nil {
		return nil, errNoCodegen
	}
	return l.Codegen.Info(ctx)
}

// features are those that are known without LLVM, in its names.
func features() (list []string) {
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"sse4.2", cpu.X86.HasSSE42}, {"popcnt", cpu.X86.HasPOPCNT}, {"avx", cpu.X86.HasAVX}, {"avx2", cpu.X86.HasAVX2},
		{"fma", cpu.X86.HasFMA}, {"bmi", cpu.X86.HasBMI1}, {"bmi2", cpu.X86.HasBMI2}, {"avx512f", cpu.X86.HasAVX512F},
		{"avx512bw", cpu.X86.HasAVX512BW}, {"avx512dq", cpu.X86.HasAVX512DQ}, {"avx512vl", cpu.X86.HasAVX512VL},
		{"lse", cpu.ARM64.HasATOMICS}, {"sve", cpu.ARM64.HasSVE}, {"dotprod", cpu.ARM64.HasASIMDDP},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	return list
}
