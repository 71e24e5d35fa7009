package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/digest"
)

// Stats lists what a call did: the plan's steps with their times, and the
// whole.
func Stats(s *godwit.Stats) string {
	var b strings.Builder
	for i := range s.Plan.Steps {
		st := &s.Plan.Steps[i]
		fmt.Fprintf(&b, "  %-44s kernel %-12s %10s  %s%s\n", st.Label, digest.Cut(st.Kernel), seconds(st.Seconds), tier(st, s.Travel), expected(st))
	}
	code := 0
	for _, k := range s.Kernels {
		code += k.Bytes
	}
	engine := "" // that of the whole is where kernels begin; each step says what it really ran on
	if s.Engine == "interp" {
		engine = engineName(s.Engine) + ", "
	}
	fmt.Fprintf(&b, "  %s in all, %s%d thread(s), %s read, %d kernels of %s\n",
		seconds(s.Seconds), engine, s.Threads, Bytes(s.BytesRead), len(s.Kernels), Bytes(int64(code)))
	if s.Texts > 0 {
		fmt.Fprintf(&b, "  %s before that to read columns of text\n", seconds(s.Texts))
	}
	predicted(&b, s)
	if s.Travel != nil {
		travel(&b, s.Travel)
	}
	return b.String()
}

// tier says what a step really ran on, and whether threads handed on what it carries.
func tier(st *godwit.Step, t *godwit.Travel) string {
	text := tierAlone(st, away(st, t))
	if st.Totals != "" && st.Slices > 0 {
		text += ", handed on by threads"
	}
	return text
}

// away reports that a step went to nodes: those of which rows were fetched ran here, and others had nothing to read there.
func away(st *godwit.Step, t *godwit.Travel) bool {
	return t != nil && slices.ContainsFunc(t.Places, func(place string) bool {
		where, ok := strings.CutPrefix(place, st.Label)
		if ok {
			where, ok = strings.CutPrefix(strings.TrimPrefix(where, " in turn"), ": ")
		}
		return ok && !strings.HasPrefix(where, "rows are fetched") && !strings.HasPrefix(where, "@")
	})
}

func tierAlone(st *godwit.Step, travels bool) string {
	switch {
	case st.Runs == 0:
		return "not run"
	case st.Slices == 0 && travels:
		return "on nodes"
	case st.Slices == 0:
		return "nothing to do"
	case st.Native > 0 && st.Native < st.Slices:
		return fmt.Sprintf("WebAssembly, then native code for %d of %d slices", st.Native, st.Slices)
	}
	return engineName(st.Tier)
}

// engineName is what people call an engine.
func engineName(name string) string {
	switch name {
	case "interp", "stepper":
		return "interpreter"
	case "wasm":
		return "WebAssembly"
	case "native":
		return "native code"
	}
	return name
}

// travel says where each step ran and what went over the network.
func travel(b *strings.Builder, t *godwit.Travel) {
	often := map[string]int{}
	for _, p := range t.Places {
		often[p]++
	}
	for _, p := range t.Places { // each once: a loop has the same at each turn
		switch n := often[p]; {
		case n > 1:
			fmt.Fprintf(b, "  %s, %d times\n", p, n)
		case n == 1:
			fmt.Fprintf(b, "  %s\n", p)
		}
		delete(often, p)
	}
	on := ""
	if len(t.Nodes) > 0 { // none where rows were fetched
		on = "; on " + strings.Join(t.Nodes, ", ")
	}
	fmt.Fprintf(b, "  %d parcels, %s, of it %s of code, %d hops, %d retries%s\n",
		t.Parcels, Bytes(t.Bytes), Bytes(t.CodeBytes), t.Hops, t.Retries, on)
	for _, r := range t.Replaced {
		fmt.Fprintf(b, "  %s stood in for %s\n", r.By, r.Node)
	}
}

func seconds(s float64) string {
	if s > math.MaxInt64/2e9 { // what a Duration holds
		return fmt.Sprintf("%.3gh", s/3600)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond).String()
}

// Bytes writes a number of bytes for people.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.2f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Number writes how many there are of something: "1 shard", "3 shards".
func Number(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
