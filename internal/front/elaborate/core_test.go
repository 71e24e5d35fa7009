package elaborate

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// checkText checks one file of source.
func checkText(path, text string) (*Program, *diag.List) {
	msgs := new(diag.List)
	src := diag.NewSource(path, text)
	f := syntax.Parse(src, msgs)
	return Check([]*syntax.File{f}, msgs), msgs
}

// TestCore elaborates the programs that the design promises to work exactly
// as written, and verifies their graphs.
func TestCore(t *testing.T) {
	for name, text := range corePrograms {
		t.Run(name, func(t *testing.T) {
			p, msgs := checkText(name+".gw", text)
			if err := msgs.Err(); err != nil {
				t.Fatal(err)
			}
			for _, f := range p.Funcs() {
				if !f.Runnable {
					continue
				}
				g, err := p.Graph(f.Name)
				if err != nil {
					t.Fatal(err)
				}
				if err := graph.Verify(g); err != nil {
					t.Errorf("%v", err)
				}
				if testing.Verbose() {
					t.Log("\n" + graph.Print(g))
				}
			}
		})
	}
}

var corePrograms = map[string]string{
	"sum1": "fn sum_vector(v: &[f32]) -> f32 {\n    v.iter().sum()\n}\n",
	"sum2": "fn sum_vector(v: &[f32; N] @ Disk) -> f32 @ RAM {\n    v.iter().sum()\n}\n",
	"sum3": "fn sum_vector(v: &[f32; N] @ Disk) -> f32 @ RAM \nwhere\n    N: Range<4, 1_000_000>\n{\n    v.iter().sum()\n}\n",
	"ancestor": `fn ancestor(parent: &[idx<N>; N] @ Cluster, start: idx<N>, steps: u32) -> idx<N> @ RAM
where N: Range<1, 1_000_000_000>, steps: Range<0, 4096>
{
    let mut i = start;
    for _ in 0..steps { i = parent[i]; }
    i
}
`,
	"mean_delay": `record Flight { delay: i16, distance: i16 }
fn mean_delay(f: &[Flight; N] @ Disk) -> [f64; 32] @ RAM
where N: Range<0, 10_000_000_000>
{
    f.filter(|r| r.delay > 15)
     .group_by::<32>(|r| (r.distance / 100).clamp(0, 31))
     .mean(|r| r.delay as f64)
}
`,
	"kmeans": `fn kmeans<K: Size>(x: &[[f32; D]; N] @ Disk, c0: [[f32; D]; K]) -> [[f32; D]; K] @ RAM {
    let mut c = c0;
    for _ in 0..20 {
        let nearest = x.map(|p| c.argmin(|q| q.zip(p).map(|(a, b)| (a - b) * (a - b)).sum()));
        c = x.group_by::<K>(nearest).mean();
    }
    c
}
`,
}
