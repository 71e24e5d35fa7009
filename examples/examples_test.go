// Package examples runs every example against an answer computed without
// Godwit.
package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// godwit builds the binary once.
func godwit(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "godwit")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/godwit").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

func TestExamples(t *testing.T) {
	bin := godwit(t)
	cases, err := filepath.Glob("*/case")
	if err != nil || len(cases) < 13 {
		t.Fatalf("found %d examples (%v)", len(cases), err)
	}
	for _, path := range cases {
		t.Run(filepath.Dir(path), func(t *testing.T) { example(t, bin, path) })
	}
}

// example runs the command lines of a case file and compares the numbers of
// each result, in order, with the answer's.
func example(t *testing.T, bin, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	want := answer(t, dir)
	var runs [][]string
	tolerance := math.NaN()
	for line := range strings.Lines(string(text)) {
		switch f := strings.Fields(line); {
		case len(f) > 1 && f[0] == "run":
			runs = append(runs, f)
		case len(f) == 2 && f[0] == "tolerance":
			if tolerance, err = strconv.ParseFloat(f[1], 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(runs) == 0 || math.IsNaN(tolerance) {
		t.Fatalf("%s names no run or no tolerance", path)
	}
	for _, args := range runs {
		compare(t, strings.Join(args, " "), result(t, bin, dir, args), want, tolerance)
	}
}

func compare(t *testing.T, label string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", label, len(got), len(want))
	}
	for i := range got {
		off := math.Abs(got[i] - want[i])
		if off > tolerance*math.Max(1, math.Abs(want[i])) || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Fatalf("%s: number %d is %v, want %v", label, i, got[i], want[i])
		}
	}
}

// answer compiles and runs answer.c, or reads answer.txt.
func answer(t *testing.T, dir string) []float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "answer.txt"))
	if err != nil {
		bin := filepath.Join(t.TempDir(), "answer")
		if out, err := exec.Command("cc", "-O2", "-o", bin, filepath.Join(dir, "answer.c"), "-lm").CombinedOutput(); err != nil {
			t.Fatalf("cc: %v\n%s", err, out)
		}
		cmd := exec.Command(bin)
		cmd.Dir = dir
		if text, err = cmd.Output(); err != nil {
			t.Fatal(err)
		}
	}
	var out []float64
	for _, f := range strings.Fields(string(text)) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

func result(t *testing.T, bin, dir string, args []string) []float64 {
	t.Helper()
	cmd := exec.Command(bin, append(args, "--json")...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	var r struct{ Result json.RawMessage }
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return numbers(t, r.Result)
}

// numbers lists a result's numbers in the order of the text; NaN is a string
// in JSON.
func numbers(t *testing.T, text []byte) []float64 {
	t.Helper()
	var out []float64
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	depth, key := []bool{}, false
	for {
		tok, err := d.Token()
		if err != nil {
			return out
		}
		switch tok := tok.(type) {
		case json.Delim:
			switch tok {
			case '{', '[':
				depth = append(depth, tok == '{')
			default:
				depth = depth[:len(depth)-1]
			}
			key = len(depth) > 0 && depth[len(depth)-1]
			continue
		case json.Number:
			x, err := tok.Float64()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, x)
		case string:
			if key {
				key = false
				continue
			}
			x, err := strconv.ParseFloat(tok, 64)
			if err != nil {
				t.Fatal(fmt.Errorf("a string in the result: %w", err))
			}
			out = append(out, x)
		}
		key = len(depth) > 0 && depth[len(depth)-1]
	}
}
