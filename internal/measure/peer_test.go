package measure

import (
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// newSession has a peer, or the test is skipped.
func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{dir: t.TempDir(), opt: Options{Threads: 2}, report: &Report{}}
	if err := s.startPeer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.peer == nil {
		t.Skip("SKIPPED: no C compiler is installed (Debian: gcc)")
	}
	t.Cleanup(s.close)
	return s
}

// odd is more than a block of the peer's and no multiple of anything.
const odd = 70_001

func arrays[T float32 | float64](t *testing.T, s *session, k num.Kind) (in [2]array, xs [2][]T) {
	t.Helper()
	for i, name := range operands {
		var err error
		if in[i], err = s.generate(t.Context(), name, k, odd, uint64(i+1)); err != nil {
			t.Fatal(err)
		}
		if xs[i], err = load[T](in[i]); err != nil {
			t.Fatal(err)
		}
	}
	return in, xs
}

// agrees runs an operation in every way that the benchmark may choose.
func agrees(t *testing.T, s *session, in [2]array, want, tolerance float64, inFiles bool, variants ...string) {
	t.Helper()
	for i, a := range in {
		if err := s.peer.hold(i, a.region); err != nil {
			t.Fatal(err)
		}
	}
	list := inRAM(variants)
	check := func(list []form) {
		for _, f := range list {
			for _, threads := range []int{1, 2, 3} {
				d, got, err := s.peer.run(f, threads, odd)
				if err != nil {
					t.Error(err)
				} else if err := within(tolerance, got, []float64{want}); err != nil || d <= 0 {
					t.Errorf("%v with %d threads: %v, in %v", f, threads, err, d)
				}
			}
		}
	}
	check(list)
	if !inFiles {
		return
	}
	for i, a := range in {
		if err := s.peer.file(i, a.region); err != nil {
			t.Fatal(err)
		}
	}
	check(forms(variants[0]))
}

func TestPeerF32(t *testing.T) {
	s := newSession(t)
	in, xs := arrays[float32](t, s, num.F32)
	x, y := xs[0], xs[1]
	var sum, filtered, top float64
	axpy, exps := make([]float32, odd), make([]float32, odd)
	top = math.Inf(-1)
	for i, v := range x {
		sum += float64(v)
		if v > 0.25 {
			filtered += float64(v)
		}
		axpy[i] = v*1.5 + y[i]
		top = max(top, float64(v))
	}
	total := 0.0
	for _, v := range x {
		total += math.Exp(float64(v) - top)
	}
	for i, v := range x {
		exps[i] = float32(math.Exp(float64(v)-top) / total)
	}
	agrees(t, s, in, sum, 1e-2, true, "sum")
	agrees(t, s, in, filtered, 1e-2, true, "filtered")
	agrees(t, s, in, weighted(axpy), 1, false, "axpy", "axpy:fresh", "axpy:stream", "axpy:stream,fresh")
	if _, _, err := s.peer.run(form{"axpy:save", "ram"}, 1, odd); err == nil || !strings.Contains(err.Error(), "no file for it") {
		t.Error("saved without a file:", err)
	}
	if err := s.peer.save(s.path("saved")); err != nil {
		t.Fatal(err)
	}
	agrees(t, s, in, weighted(axpy), 1, true, "axpy:save")
	agrees(t, s, in, weighted(exps), 1e-4, false, "softmax", "softmax:fresh", "softmax:keep", "softmax:keep,fresh")
}

func TestPeerF64(t *testing.T) {
	s := newSession(t)
	in, xs := arrays[float64](t, s, num.F64)
	dot := 0.0
	for i, v := range xs[0] {
		dot += v * xs[1][i]
	}
	agrees(t, s, in, dot, 1e-8, true, "dot")
}

func TestPeerRefuses(t *testing.T) {
	s := newSession(t)
	if err := s.peer.file(0, region{path: "/nowhere", bytes: 8}); err == nil {
		t.Error("a file that does not exist was opened")
	}
	a, err := s.generate(t.Context(), "x", num.F32, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.peer.hold(0, a.region); err != nil {
		t.Fatal(err)
	}
	for _, f := range []form{{"nothing", "ram"}, {"sum", "nohow"}, {"sum", "read"}} {
		if _, _, err := s.peer.run(f, 1, 100); err == nil {
			t.Errorf("%v was run", f)
		}
	}
	if _, _, err := s.peer.run(form{"sum", "ram"}, 1, 101); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Error(err)
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	s := &session{dir: t.TempDir(), report: &Report{}}
	if err := s.startPeer(t.Context()); err != nil || s.peer != nil || len(s.report.Notes) != 1 {
		t.Error(err, s.peer, s.report.Notes)
	}
	if r, err := s.bandwidth(1, region{}); err != nil || !r.Known() {
		t.Error(r, err)
	}
}
