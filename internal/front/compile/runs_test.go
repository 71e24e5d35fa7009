package compile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestRuns takes programs that were once accepted and could not be lowered to kernels.
func TestRuns(t *testing.T) {
	paths, err := filepath.Glob("testdata/runs/*.gw")
	if err != nil || len(paths) < 11 {
		t.Fatalf("%d programs (%v)", len(paths), err)
	}
	for _, path := range paths {
		sources, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Check(sources...)
		if err == nil {
			err = p.Runs()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestAcceptedButNotLowered says where a function is that is accepted and has no kernels
// that pass.
func TestAcceptedButNotLowered(t *testing.T) {
	f, err := program(t, "fn one() -> i64 { 1 }\nfn f(x: &[i64; N]) -> i64 { x.sum() }\n").Func("f")
	if err != nil {
		t.Fatal(err)
	}
	m := f.runs(func(*kernel.Kernel) (*verify.Safe, error) { return nil, errors.New("not safe") })
	if m == nil {
		t.Fatal("a kernel that does not pass is nothing")
	}
	if line, col := m.Source.Position(m.Span.Start); m.Code != "L01" || line != 2 || col != 4 || m.Note != "not safe" || m.Help == "" {
		t.Errorf("%s", m.Render())
	}
}

// TestTooManyColumns: what is more than a kernel may be is said as such where the program is checked and where it is run, and is no bug.
func TestTooManyColumns(t *testing.T) {
	wide := func(n int) string {
		var b strings.Builder
		b.WriteString("record P { ")
		for i := range n {
			fmt.Fprintf(&b, "o%d: i64, ", i)
		}
		return b.String() + "}\nfn f(t: &[P; N]) -> [P] { t.filter(|r| r.o0 > 1) }\n"
	}
	p := program(t, wide(500))
	if err := p.Runs(); err != nil {
		t.Error(err)
	}
	p = program(t, wide(600))
	var e *SourceError
	if err := p.Runs(); !errors.As(err, &e) || e.Messages[0].Code != "T18" || e.Messages[0].Note != "number of regions is 1201, at most 1024 is allowed" {
		t.Errorf("%v", err)
	}
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.lower(lower.Options{Verify: verify.Check, Stored: func(int, int) num.Kind { return num.I64 }, NonZero: func(string) bool { return true }})
	if e = nil; !errors.As(err, &e) || e.Messages[0].Code != "T18" {
		t.Errorf("%v", err)
	}
}

// TestManyTexts: each column of text brings the size of its dictionary, but only to kernels that touch it.
func TestManyTexts(t *testing.T) {
	var b strings.Builder
	b.WriteString("record P { n: i64, ")
	for i := range 300 {
		fmt.Fprintf(&b, "t%d: Str, ", i)
	}
	p := program(t, b.String()+"}\nfn f(t: &[P; N]) -> i64 { t.map(|r| r.n).sum() }\nfn g(t: &[P; N]) -> [P] { t.filter(|r| r.t7 == \"a\") }\n")
	if err := p.Runs(); err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.lower(lower.Options{Verify: verify.Check, Stored: func(int, int) num.Kind { return num.I64 }, NonZero: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	schedule.Launches(s.schedule.Steps, func(l *schedule.Launch) {
		if n := len(l.Kernel.Sizes); n > 4 || n != len(l.Sizes) {
			t.Errorf("%s has %d sizes, and %d arguments for them", l.Label, n, len(l.Sizes))
		}
	})
}

// TestKeysOnOneMachine: what numbers keys where rows are spread, and makes keys of their cells, is gone where they are not.
func TestKeysOnOneMachine(t *testing.T) {
	for _, text := range []string{
		"fn f(x: &[i64; N]) -> [(i64, i64); ?G <= N] { x.group_by(|v| v % 100).agg(|g| (g.key(), g.count())) }\n",
		"fn f(x: &[i64; N]) -> [i64; ?G <= N] { x.distinct() }\n",
	} {
		f, err := program(t, text).Func("f")
		if err != nil {
			t.Fatal(err)
		}
		for _, spread := range []bool{false, true} {
			s, err := f.lower(lower.Options{Verify: verify.Check, Stored: func(int, int) num.Kind { return num.I64 }, NonZero: func(string) bool { return true }, Partials: spread})
			if err != nil {
				t.Fatal(err)
			}
			firsts := 0
			schedule.Launches(s.schedule.Steps, func(l *schedule.Launch) {
				if strings.HasPrefix(l.Label, "groups of min") {
					firsts++
				}
			})
			if (firsts > 0) != spread {
				t.Errorf("spread %t: %d launches look for the first row of each cell in\n%s", spread, firsts, text)
			}
		}
	}
}

// unclamped are programs whose indices verify sees to be in bounds as the checker did, so
// that their kernels have no bounds for run time. Where a condition guards an index, lower
// prefers selects to branches, executes the load in any case, and bounds its index.
var unclamped = []string{
	`fn f(x: &[f64; N]) -> [f64; N] { (0..N).map(|i| x[N - 1 - i]) }`,
	`fn f(x: &[f64; N]) -> f64 where N >= 1 { let s = x.sort(); s[N / 2] }`,
	`fn f(a: &[f64; N], k: idx<N>) -> [f64; N - 1] where N >= 2 { (0..N - 1).map(|j| a[if j < k { j } else { j + 1 }]) }`,
	`fn f(x: &[f64; N], y: &[f64; M]) -> [f64; N] { (0..N).map(|i| if i > 0 { y.map(|e| e * x[i - 1]).sum() } else { 0.0 }) }`,
	`fn f(x: &[f64; N]) -> f64 { let mut s = 0.0; for i in 0..N { for j in 0..N - i { s += x[i + j]; } } s }`,
	`fn f(x: &[f64; N]) -> f64 { let mut s = 0.0; for k in 0..N { let i = N - 1 - k; for j in i + 1..N { s += x[j] * x[i]; } } s }`,
	`fn f(x: &[f64; N], k: &[f64; K]) -> [f64; N - K + 1] where K >= 1, K <= N { (0..N - K + 1).map(|i| (0..K).map(|j| x[i + K - 1 - j] * k[j]).sum()) }`,
	`fn f<M: Size, N: Size>(x: &[f64; N * M]) -> [f64; N, M] { (0..N).map(|i| (0..M).map(|j| x[i * M + j])) }`,
	`fn f(x: &[f64; 2 * N]) -> [f64; N] { (0..N).map(|i| x[2 * i + 1]) }`,
}

func TestVerifySeesWhatTheCheckerSaw(t *testing.T) {
	for _, text := range unclamped {
		f, err := program(t, text).Func("f")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := lower.Lower(f.Graph, lower.Options{Verify: func(k *kernel.Kernel) (*verify.Safe, error) {
			safe, err := verify.Check(k)
			if err != nil {
				t.Errorf("%s: a kernel needs bounds for run time: %v", text, err)
			}
			return safe, err
		}}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// BenchmarkCheckAndLower is godwit check of the longest example; it should take no more than 20 ms.
func BenchmarkCheckAndLower(b *testing.B) {
	sources, err := Read("../../../examples/pagerank/pagerank.gw")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := Check(sources...)
		if err == nil {
			err = p.Runs()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
