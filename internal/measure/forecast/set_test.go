package forecast

import (
	"reflect"
	"testing"

	"github.com/godwit-run/godwit"
)

// Every program compiles, and gives with its least arguments what the interpreter gives.
func TestPrograms(t *testing.T) {
	list, err := Programs()
	if err != nil {
		t.Fatal(err)
	}
	held, kinds := 0, map[string]int{}
	for _, p := range list {
		kinds[p.Kind]++
		if p.Held() {
			held++
		}
		t.Run(p.Name, func(t *testing.T) {
			prog, err := godwit.Compile(p.Source)
			if err != nil {
				t.Fatal(err)
			}
			f, err := prog.Func("f")
			if err != nil {
				t.Fatal(err)
			}
			args, err := p.Arguments(p.N[0])
			if err != nil {
				t.Fatal(err)
			}
			want, err := f.Call(t.Context(), args, godwit.WithEngine("interp"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Call(t.Context(), args, godwit.WithEngine("wasm"))
			if err != nil {
				t.Fatal(err)
			}
			if string(got.JSON()) != string(want.JSON()) {
				t.Errorf("%s, want %s", got.JSON(), want.JSON())
			}
		})
	}
	if len(list) < 60 || len(kinds) < 10 || held < len(list)/3 || held > 2*len(list)/3 {
		t.Errorf("%d programs of %d kinds, %d held out", len(list), len(kinds), held)
	}
}

// Arguments are the same whenever they are made, and differ by size.
func TestArguments(t *testing.T) {
	list, err := Programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		var made [3]godwit.Args
		for i, n := range []int64{p.N[1], p.N[1], p.N[2]} {
			if made[i], err = p.Arguments(n); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(made[0], made[1]) || reflect.DeepEqual(made[0], made[2]) {
			t.Errorf("%s: arguments of one size differ, or do not by size", p.Name)
		}
	}
}

// Half of a square's elements are more than half of its side.
func TestLess(t *testing.T) {
	for text, want := range map[string]int64{"x: f64 [N] uniform 0 1": 100, "x: f64 [N, N] uniform 0 1": 283, "x: f64 [N, 3] uniform 0 1": 100, "x: f64 [N, N, N] uniform 0 1": 400} {
		p, err := parse("p", "// maps\n// N = 1 2 3 4 5 6\n// "+text+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Less(800, 8); got != want {
			t.Errorf("%s: %d, expected %d", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "// streams\n", "// streams\n// N = 1 2 3\n", "// streams\n// N = 1 2 3 4 5 5\n", "// streams\n// N = 1 2 3 4 5 6\n// M = N ^ 2\n", "// streams\n// N = 1 2 3 4 5 6\n// x\n"} {
		if _, err := parse("p", text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
