// Package measure holds the benchmarks that need nothing but the binary
// itself and, where there is one, a C compiler for the reference.
//
// Machines are noisy, so nothing is compared across runs: ours and the
// reference take turns, every pair gives a ratio, and the report has the
// median with the smallest and the largest. A time counts only after the
// results have been compared.
package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Options are the choices of a benchmark; zero values mean the defaults.
type Options struct {
	Quick   bool   // smaller sizes, within 50 seconds; predictions within 3 minutes
	Only    string // of predictions and crossings programs, of streams rows, whose name this regular expression matches
	Pairs   int    // of measurements for each row; 15, or 5 if quick
	Threads int    // the most that are tried; GOMAXPROCS
	Dir     string // for temporary files; os.TempDir()
	// Program is the godwit executable that `start` runs; rows that need one
	// are left out if it is empty.
	Program string
	// Progress, if set, is told what is being measured.
	Progress func(what string)
}

// bench is one benchmark.
type bench struct {
	name string
	run  func(ctx context.Context, s *session) error
}

func benches() []bench {
	return []bench{
		{"stream", stream},
		{"table", table},
		{"start", start},
		{"chase", chase},
		{"far", far},
		{"first", first},
		{"load", serve},
		{"store", store},
		{"send", send},
		{"fairness", fairness},
		{"checksum", checksum},
		{"predict", predict},
		{"crossings", crossings},
		{"tsi", increments},
	}
}

// Names lists the benchmarks.
func Names() []string {
	var names []string
	for _, b := range benches() {
		names = append(names, b.name)
	}
	return names
}

// Run runs a benchmark. An error means that something failed or gave a wrong
// result, never that it was slow.
func Run(ctx context.Context, name string, opt Options) (*Report, error) {
	list := benches()
	i := slices.IndexFunc(list, func(b bench) bool { return b.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no benchmark `%s`; there are %s", name, strings.Join(Names(), ", "))
	}
	if opt.Threads <= 0 {
		opt.Threads = runtime.GOMAXPROCS(0)
	}
	dir, err := os.MkdirTemp(opt.Dir, "godwit-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := &session{opt: opt, dir: dir, report: &Report{Bench: name, Machine: ThisMachine()}}
	defer s.close()
	if err := s.startPeer(ctx); err != nil {
		return nil, err
	}
	if err := list[i].run(ctx, s); err != nil {
		return nil, fmt.Errorf("benchmark %s: %w", name, err)
	}
	return s.report, nil
}

// session is a benchmark in progress.
type session struct {
	opt    Options
	dir    string // gone afterwards
	peer   *peer  // nil without a C compiler
	report *Report
}

func (s *session) startPeer(ctx context.Context) error {
	s.progress("compiling the C reference")
	p, err := startPeer(ctx, s.dir)
	if err == errNoCompiler {
		s.note("There is no C compiler (cc) here, so there is no reference in C.")
		return nil
	}
	s.peer = p
	return err
}

func (s *session) close() {
	if s.peer != nil {
		s.peer.close()
	}
}

func (s *session) progress(format string, args ...any) {
	if s.opt.Progress != nil {
		s.opt.Progress(fmt.Sprintf(format, args...))
	}
}

func (s *session) path(name string) string { return filepath.Join(s.dir, name) }

func (s *session) note(text string) { s.report.Notes = append(s.report.Notes, text) }

// threads are the numbers of threads to try.
func (s *session) threads() []int {
	if s.opt.Threads == 1 {
		return []int{1}
	}
	return []int{1, s.opt.Threads}
}

// pairs is how many pairs a row has.
func (s *session) pairs() int {
	switch {
	case s.opt.Pairs > 0:
		return s.opt.Pairs
	case s.opt.Quick:
		return 5
	}
	return 15
}
