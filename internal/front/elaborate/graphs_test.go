package elaborate

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

const graphsFile = "testdata/elementary.txt"

// TestElementaryGraphs holds the values that elementary functions are made of to those
// recorded, in both widths, plain and fused: equal nodes are equal bits. With -update it
// records anew; with -v it prints the nodes.
func TestElementaryGraphs(t *testing.T) {
	methods := floatMethods()
	methods["sign"] = scalarMethods["sign"]
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		for _, width := range []string{"f32", "f64"} {
			for _, mode := range []string{"", "#[fused] "} {
				call := "x." + name + "()"
				switch {
				case methods[name].sizes > 0:
					call = "x." + name + "::<13>()"
				case methods[name].min > 0:
					call = "x." + name + "(y)"
				}
				text := printValue(t, mode, width, call)
				if testing.Verbose() {
					t.Logf("%s %s%s\n%s", name, mode, width, text)
				}
				fmt.Fprintf(&got, "%-16s %-5s %s %4d nodes %.16x\n", name, strings.Trim(mode, "#[] "), width, strings.Count(text, "\n"), sha256.Sum256([]byte(text)))
			}
		}
	}
	if *update {
		if err := os.WriteFile(graphsFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(graphsFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Errorf("%s is not recorded in %s", line, graphsFile)
		}
	}
}

// printValue prints the value of a call in a function of floats.
func printValue(t *testing.T, mode, width, call string) string {
	t.Helper()
	result := width
	if strings.HasPrefix(call, "x.is_") {
		result = "bool"
	}
	src := fmt.Sprintf("%sfn f(x: %s, y: %s) -> %s { %s }", mode, width, width, result, call)
	p, msgs := checkText("f.gw", src)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	v := &valuePrinter{t: t, call: call, src: src, numbers: map[*graph.Node]int{}}
	v.print(g.Body.Results[0])
	return v.out.String()
}

// valuePrinter prints each node that a value is made of after those that it takes, wherever
// they stand: their order and their blocks do not matter to a value that cannot fault.
type valuePrinter struct {
	t         *testing.T
	call, src string
	numbers   map[*graph.Node]int
	known     map[string]int
	out       strings.Builder
}

func (v *valuePrinter) print(n *graph.Node) int {
	if i, done := v.numbers[n]; done {
		return i
	}
	parts := []string{n.Op.String(), n.Num.String(), n.Type.String(), fmt.Sprintf("%#x", n.Bits)}
	for _, a := range n.Args {
		parts = append(parts, fmt.Sprint("%", v.print(a)))
	}
	for _, b := range n.Blocks {
		parts = append(parts, fmt.Sprint("%", v.print(b.Results[0])))
	}
	if n.Op == graph.Param {
		parts = append(parts, n.Name)
	} else {
		if n.Name != "" || n.Site >= 0 || n.Checked {
			v.t.Errorf("%s: %s has a name or a fault: %+v", v.call, n.Op, n)
		}
		if at := v.src[n.Pos.Start:n.Pos.End]; at != v.call {
			v.t.Errorf("%s: %s is at %q", v.call, n.Op, at)
		}
	}
	line := strings.Join(parts, " ")
	if v.known == nil {
		v.known = map[string]int{}
	}
	i, again := v.known[line]
	if !again {
		i = len(v.known)
		v.known[line] = i
		fmt.Fprintf(&v.out, "%%%d = %s\n", i, line)
	}
	v.numbers[n] = i
	return i
}
