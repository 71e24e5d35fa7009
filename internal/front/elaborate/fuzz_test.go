package elaborate

import (
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// FuzzCheck checks arbitrary text: there is no panic, an answer comes soon,
// and what passes has a graph that verifies.
func FuzzCheck(f *testing.F) {
	nodes, steps := maxNodes, maxSteps
	maxNodes, maxSteps = 20_000, 40_000
	f.Cleanup(func() { maxNodes, maxSteps = nodes, steps })
	for _, text := range corePrograms {
		f.Add(text)
	}
	for _, c := range types.Codes {
		f.Add(c.Bad)
		f.Add(c.Good)
	}
	for _, c := range meanings {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		start := time.Now()
		msgs := new(diag.List)
		file := syntax.Parse(diag.NewSource("fuzz.gw", text), msgs)
		parsed := !msgs.Failed()
		p := Check([]*syntax.File{file}, msgs)
		for _, m := range msgs.Messages {
			if strings.Contains(m.Text, "bug in Godwit") {
				t.Fatal(m.Render())
			}
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("it takes %v", took)
		}
		if !parsed || msgs.Failed() {
			return
		}
		for _, fn := range p.Funcs() {
			if !fn.Runnable {
				continue
			}
			g, err := p.Graph(fn.Name)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if g.MaxID() > 4_000 {
				continue // the verifier takes long on these
			}
			if err := graph.Verify(g); err != nil {
				t.Fatalf("%v\n%s\n%s", err, text, graph.Print(g))
			}
		}
	})
}

// BenchmarkCheck elaborates a program of about twenty lines.
func BenchmarkCheck(b *testing.B) {
	msgs := new(diag.List)
	file := syntax.Parse(diag.NewSource("bench.gw", benchProgram), msgs)
	if err := msgs.Err(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		msgs := new(diag.List)
		if p := Check([]*syntax.File{file}, msgs); msgs.Failed() || p == nil {
			b.Fatal(msgs.Err())
		}
	}
}

const benchProgram = `record Flight { delay: i16, distance: i16 }
fn mean_delay(f: &[Flight; N] @ Disk) -> [f64; 32] @ RAM
where N: Range<0, 10_000_000_000>
{
    f.filter(|r| r.delay > 15)
     .group_by::<32>(|r| (r.distance / 100).clamp(0, 31))
     .mean(|r| r.delay as f64)
}
fn kmeans<K: Size>(x: &[[f32; D]; N] @ Disk, c0: [[f32; D]; K]) -> [[f32; D]; K] @ RAM {
    let mut c = c0;
    for _ in 0..20 {
        let nearest = x.map(|p| c.argmin(|q| q.zip(p).map(|(a, b)| (a - b) * (a - b)).sum()));
        c = x.group_by::<K>(nearest).mean();
    }
    c
}
fn smooth(x: &[f64; N]) -> [f64; N - 2] where N >= 3 {
    let y = (1..N - 1).map(|i| (x[i - 1] + x[i] + x[i + 1]) / 3.0);
    y * 2.0
}
`
