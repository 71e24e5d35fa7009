// Package godwit compiles programs of a small total array language and runs
// them over files and slices at the speed of memory.
//
//	prog, err := godwit.CompileFile("flights.gw")
//	f, err := prog.Func("mean_delay")
//	res, err := f.Call(ctx, godwit.Args{"f": godwit.File("flights.parquet")})
//	means, err := godwit.As[[]float64](res)
//
// Errors are a [*SourceError] for a program that does not pass the checks, an
// [*InputError] for arguments that do not fit it, and a [*Fault] for what
// went wrong in the program while it ran. The language is described in
// docs/language.md.
package godwit

import (
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// Program is a checked program.
type Program struct{ checked *compile.Program }

// Compile checks the source text of a program.
func Compile(src string) (*Program, error) {
	return check(diag.NewSource("program.gw", src))
}

// CompileFile reads and checks the files of a program.
func CompileFile(paths ...string) (*Program, error) {
	sources, err := compile.Read(paths...)
	if err != nil {
		return nil, err
	}
	return check(sources...)
}

func check(sources ...*diag.Source) (*Program, error) {
	p, err := compile.Check(sources...)
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// Funcs lists the functions that can be called, public ones first.
func (p *Program) Funcs() []string {
	if p.empty() {
		return nil
	}
	return p.checked.Names()
}

// empty reports that nobody compiled the program.
func (p *Program) empty() bool { return p == nil || p.checked == nil }

// Warnings are the messages of a program that passed the checks, rendered.
func (p *Program) Warnings() []string {
	if p.empty() {
		return nil
	}
	var out []string
	for _, m := range p.checked.Warnings {
		out = append(out, m.Render())
	}
	return out
}

// Func prepares a function. An empty name means the only public function, or
// else the only function.
func (p *Program) Func(name string) (*Func, error) {
	if p.empty() {
		return nil, badOption("the Program is empty; Compile and CompileFile make one")
	}
	f, err := p.checked.Func(name)
	if err != nil {
		return nil, err
	}
	return &Func{f}, nil
}

// Errors of programs and arguments.
type (
	// SourceError holds the messages about a program that does not pass the
	// checks. Its text is all of them, with the lines they speak of.
	SourceError = compile.SourceError
	// InputError is about an argument, a file or a choice of the caller.
	InputError = compile.InputError
	// BugError is a broken invariant inside the compiler.
	BugError = compile.BugError
)
