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
	"github.com/godwit-run/godwit/internal/ir/num"
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
		for _, k := range []num.Kind{num.F32, num.F64} {
			for _, mode := range []string{"", "fused"} {
				call := "x." + name + "()"
				switch {
				case methods[name].sizes > 0:
					call = "x." + name + "::<13>()"
				case methods[name].min > 0:
					call = "x." + name + "(y)"
				}
				text := printValue(t, callGraph(t, k, mode != "", call), call)
				if testing.Verbose() {
					t.Logf("%s %s %s\n%s", name, mode, k, text)
				}
				fmt.Fprintf(&got, "%-16s %-5s %s %4d nodes %.16x\n", name, mode, k, strings.Count(text, "\n"), sha256.Sum256([]byte(text)))
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

// callGraph is the graph of a function of two floats that gives the value of a call.
func callGraph(t *testing.T, k num.Kind, fused bool, call string) *graph.Graph {
	t.Helper()
	result, mode := k.String(), ""
	if strings.HasPrefix(call, "x.is_") {
		result = "bool"
	}
	if fused {
		mode = "#[fused] "
	}
	p, msgs := checkText("f.gw", fmt.Sprintf("%sfn f(x: %s, y: %s) -> %s { %s }", mode, k, k, result, call))
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// printValue prints the value of a call that is a function's result.
func printValue(t *testing.T, g *graph.Graph, call string) string {
	v := &valuePrinter{t: t, call: call, src: g.Source.Text, numbers: map[*graph.Node]int{}, known: map[string]int{}}
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
	i, again := v.known[line]
	if !again {
		i = len(v.known)
		v.known[line] = i
		fmt.Fprintf(&v.out, "%%%d = %s\n", i, line)
	}
	v.numbers[n] = i
	return i
}
