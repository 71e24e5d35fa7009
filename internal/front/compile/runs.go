package compile

import (
	"errors"
	"runtime"
	"sync"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Runs shows that every function that can be run from outside runs, whatever its sizes: it
// is lowered for arguments of which nothing is known, and its kernels are verified. The
// error is a *SourceError; the checker has accepted what the rest of the compiler cannot do.
func (p *Program) Runs() (err error) {
	names := p.Names()
	funcs := make([]*Func, len(names))
	for i, name := range names {
		if funcs[i], err = p.Func(name); err != nil {
			return err
		}
	}
	found := make([]*diag.Message, len(names))
	next := make(chan int)
	var done sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		done.Go(func() {
			for i := range next {
				found[i] = funcs[i].runs(verify.Check)
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	done.Wait()
	var e SourceError
	for _, m := range found {
		if m != nil {
			e.Messages = append(e.Messages, m)
		}
	}
	if e.Messages == nil {
		return nil
	}
	return &e
}

// runs is what keeps the function from being run, nil if nothing does.
func (f *Func) runs(check func(*kernel.Kernel) (*verify.Safe, error)) *diag.Message {
	err := f.lowers(check)
	if err == nil {
		return nil
	}
	var broken *BugError
	if errors.As(err, &broken) {
		err = broken.Err
	}
	if m := f.tooLarge(err); m != nil {
		return m
	}
	return &diag.Message{
		Code: "L01", Source: f.Graph.Source, Span: f.Decl.Name.Span,
		Text: "`" + f.Name + "` passes the checks but cannot be run", Note: err.Error(),
		Help: "this is a bug in godwit, not in your program; please report it together with the program",
	}
}

// tooLarge is what a program hears whose step is more than a kernel may be; nil if err says something else.
func (f *Func) tooLarge(err error) *diag.Message {
	var e *kernel.FormatError
	if !errors.As(err, &e) || !e.Limit {
		return nil
	}
	m := &diag.Message{
		Code: "T18", Source: f.Graph.Source, Text: "`" + f.Name + "` has a step that is too large", Note: e.Reason,
		Help: "a step goes through all columns that it reads and writes at once, and a loop carries all its variables: declare a record with the fields that are needed, or keep many variables in an array",
	}
	if f.Decl != nil {
		m.Span = f.Decl.Name.Span
	}
	return m
}

// lowers makes the schedule for arguments of which nothing is known.
func (f *Func) lowers(check func(*kernel.Kernel) (*verify.Safe, error)) (err error) {
	defer caught(nil, &err)
	_, err = lower.Lower(f.Graph, lower.Options{Verify: check})
	return err
}
