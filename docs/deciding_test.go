package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// The tables of the page are what is planned for the assumed machine.
func TestDeciding(t *testing.T) {
	const page = "deciding.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	p := planned(t, page)
	quick := *machine.Default()
	native := *quick.Engines["native"]
	native.Compile /= 100
	quick.Engines = map[string]*machine.Engine{"wasm": quick.Engines["wasm"], "native": &native}
	want := between(t, text, "plan", byRows(t, p, machine.Default()))
	want = between(t, want, "crossing", crossing(t, p))
	want = between(t, want, "what if", byRows(t, p, &quick))
	if want == text {
		return
	}
	if !*update {
		t.Fatal("the tables of deciding.md are not up to date; run go test ./docs -run TestDeciding -update")
	}
	if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

// planned is the first program of a page over some numbers.
func planned(t *testing.T, page string) *compile.Plan {
	t.Helper()
	for _, f := range fences(t, page) {
		if f.info != "rust" {
			continue
		}
		p, err := compile.Check(diag.NewSource(f.String(), f.text))
		if err != nil {
			t.Fatal(err)
		}
		fn, err := p.Func("")
		if err != nil {
			t.Fatal(err)
		}
		bound, err := fn.Bind(compile.Args{"x": compile.Table{Source: data.FromSlice(make([]float64, 1000))}})
		if err != nil {
			t.Fatal(err)
		}
		defer bound.Close()
		plan, err := bound.Plan()
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	t.Fatalf("%s has no program", page)
	return nil
}

// between puts text between two marks.
func between(t *testing.T, page, mark, text string) string {
	t.Helper()
	before, rest, ok := strings.Cut(page, "<!-- "+mark+" -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end of "+mark+" -->")
	if !ok || !ok2 {
		t.Fatalf("deciding.md has no marks %q", mark)
	}
	return before + "<!-- " + mark + " -->\n" + text + "<!-- end of " + mark + " -->" + after
}

func engineOf(name string) string {
	return map[string]string{"wasm": "WebAssembly", "native": "native code"}[name]
}

func byRows(t *testing.T, p *compile.Plan, m *machine.Machine) string {
	t.Helper()
	rows, err := plan.Table(p.Schedule, p.Inputs.Sizes, "N", 1, 1_000_000_000, plan.Options{Machine: m, Engine: "auto", Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| from N = | goes on | threads | expected at first |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %d | %s | %d | %.3g ms |\n", r.From, engineOf(r.Engine), r.Threads, r.Time.P50/1e6)
	}
	return b.String()
}

// crossing has the times of both engines around the size from which on native code is taken.
func crossing(t *testing.T, p *compile.Plan) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| N | WebAssembly | native code, with its compilation |\n|---|---|---|\n")
	for n := int64(1 << 16); n <= 1<<24; n *= 4 {
		fmt.Fprintf(&b, "| %d |", n)
		for _, engine := range []string{"wasm", "native"} {
			out, err := plan.Predict(p.Schedule, map[string]int64{"N": n}, plan.Options{Machine: machine.Default(), Engine: engine, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			time := out.Time.P50
			if engine == "native" {
				made := 0.0
				schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
					made = max(made, machine.Default().Engines["native"].Making(kernel.Instructions(l.Kernel)))
				})
				time += made
			}
			fmt.Fprintf(&b, " %.3g ms |", time/1e6)
		}
		b.WriteString("\n")
	}
	return b.String()
}
