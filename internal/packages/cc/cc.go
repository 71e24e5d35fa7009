// Package cc makes packages out of C with clang 19: for each target it compiles the
// sources to the wanted form, checks that the result can run there, and puts the
// sections together. On a node it compiles packages that hold C text.
package cc

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/pattern"
)

// Options say what to build.
type Options struct {
	Name    string   // of the package
	Sources []string // paths of C files
	Targets []Target // one section each
	Form    pack.Form
	Deps    []string // libraries that the target loads
	Flags   []string // further ones for clang
}

// Built is a package, not yet signed, and what clang had to say about it.
type Built struct {
	Package  *pack.Package
	Warnings string
}

// An Error is a mistake of who builds the package.
type Error struct {
	Text string
	Help string // may be ""
}

func (e *Error) Error() string {
	if e.Help == "" {
		return e.Text
	}
	return e.Text + "\n  help: " + e.Help
}

// Build makes a package. The same sources, flags and clang give the same bytes,
// whatever directory they lie in. Errors are an *Error, or of the system.
func Build(ctx context.Context, opt Options) (*Built, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	clang, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "godwit-cc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(dir+"/godwit.h", pack.Header, 0o666); err != nil {
		return nil, err
	}
	p := &pack.Package{Name: opt.Name, Deps: opt.Deps}
	var warnings []string
	for _, t := range opt.Targets {
		j := &job{clang: clang, dir: dir, target: t, opt: &opt}
		b, err := j.section(ctx)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, pack.Section{Arch: t.Arch, Features: t.Features, Form: opt.Form, Bytes: b})
		if w := j.warnings.String(); !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
		}
	}
	slices.SortFunc(p.Sections, pack.Compare)
	if _, err := pack.Encode(p); err != nil {
		return nil, &Error{Text: err.Error()}
	}
	return &Built{p, strings.Join(warnings, "")}, nil
}

// processor finds flags that choose a processor: what they ask of it would not be
// recorded in the package, and the code would crash where it is missing.
var processor = pattern.Of(`^(-m(?:arch|cpu|[a-z0-9.]+)\b|--?target)`)

var harmless = pattern.Of(`^-m(no-|llvm$|tune=|prefer-vector-width=)`)

func (opt *Options) check() error {
	switch {
	case len(opt.Sources) == 0:
		return &Error{"there is no C file to compile", "godwit cc kernel.c -o kernel.gwp"}
	case len(opt.Targets) == 0:
		return &Error{"there is no target to compile for", "--targets " + known}
	case opt.Form == pack.Source && len(opt.Sources) > 1:
		return &Error{fmt.Sprintf("a package of the form source holds one C file, and here are %d", len(opt.Sources)), "include the others in it, or choose --form bitcode"}
	}
	for i, t := range opt.Targets {
		if slices.ContainsFunc(opt.Targets[:i], t.same) {
			return &Error{fmt.Sprintf("the target %s is named twice", t), "name each once; targets of one architecture differ in their features, as x86_64,x86_64+avx2"}
		}
	}
	for _, f := range opt.Flags {
		if processor().MatchString(f) && !harmless().MatchString(f) {
			return &Error{fmt.Sprintf("the flag %s chooses a processor, which a package has to say itself", f), "--targets x86_64+avx2+fma, or --features avx2,fma"}
		}
	}
	return nil
}
