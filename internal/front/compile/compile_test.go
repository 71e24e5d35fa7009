package compile

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
)

const meanDelay = `record Flight { delay: i16, distance: i16 }
fn mean_delay(f: &[Flight; N] @ Disk) -> [f64; 32] @ RAM
where N: Range<0, 10_000_000_000>
{
    f.filter(|r| r.delay > 15)
     .group_by::<32>(|r| (r.distance / 100).clamp(0, 31))
     .mean(|r| r.delay as f64)
}
`

// BenchmarkPlan is the whole way from source to a schedule with its inputs,
// every kernel verified; it should take no more than 3 ms.
func BenchmarkPlan(b *testing.B) {
	for b.Loop() {
		p, err := Check(diag.NewSource("flights.gw", meanDelay))
		if err != nil {
			b.Fatal(err)
		}
		f, err := p.Func("")
		if err != nil {
			b.Fatal(err)
		}
		bound, err := f.Bind(Args{"f": Text("[{delay: 1, distance: 2}]")})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := bound.Plan(); err != nil {
			b.Fatal(err)
		}
		bound.Close()
	}
}

// TestPlansAreShared lowers once for arguments of one shape, and again when
// a size turns to zero.
func TestPlansAreShared(t *testing.T) {
	f, err := program(t, meanDelay).Func("")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"[{delay: 1, distance: 2}]", "[{delay: 1, distance: 2}, {delay: 3, distance: 4}]", "[]"} {
		b, err := f.Bind(Args{"f": Text(list)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Plan(); err != nil {
			t.Fatal(err)
		}
		b.Close()
	}
	if len(f.plans) != 2 {
		t.Errorf("%d plans were made, want 2", len(f.plans))
	}
}

// TestBugsAreReported makes a panic of the compiler an error that says so.
func TestBugsAreReported(t *testing.T) {
	err := func() (err error) {
		defer caught(nil, &err)
		panic("an invariant is broken")
	}()
	var e *BugError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "an invariant is broken") || e.Stack == "" {
		t.Errorf("got %v", err)
	}
}

func TestExplainWithoutArguments(t *testing.T) {
	e, err := program(t, meanDelay).Explain("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Function != "mean_delay" || len(e.Stages) < 5 || len(e.Kernels) == 0 || len(e.Schedule) == 0 || len(e.Sizes) != 1 || e.Sizes[0].Value != nil {
		t.Errorf("%+v", e)
	}
	for _, k := range e.Kernels {
		if k.Steps == "" || k.Text == "" || len(k.Hash) != 64 || len(k.Memory) == 0 {
			t.Errorf("%+v", k)
		}
	}
	for _, f := range e.Folds {
		if f.Law == "" || !strings.Contains(f.Operation, "on line") {
			t.Errorf("%+v", f)
		}
	}
}
