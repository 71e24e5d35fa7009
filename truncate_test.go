package godwit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// below is the greatest multiple of d that is not above v.
func below(v, d int64) *big.Int {
	n, by := big.NewInt(v), big.NewInt(d)
	rest := new(big.Int).Mod(n, by) // never negative
	return n.Sub(n, rest)
}

// truncations are durations in each unit, and how many units they are.
var truncations = []struct {
	kind, duration string
	units          int64
}{
	{"Timestamp<s>", "90min", 5400}, {"Timestamp<s>", "7day", 604800}, {"Timestamp<s>", "1s", 1},
	{"Timestamp<ms>", "1500ms", 1500}, {"Timestamp<ms>", "25h", 90_000_000},
	{"Timestamp", "90min", 5400e6}, {"Timestamp", "2 * STEP", 10800e6}, {"Timestamp", "90s", 90e6}, {"Timestamp", "36h", 129600e6},
	{"Timestamp", "1day", 86400e6}, {"Timestamp", "30day", 30 * 86400e6}, {"Timestamp", "500ms", 500_000}, {"Timestamp", "5us", 5}, {"Timestamp", "1h30min10s", 5410e6},
	{"Timestamp<ns>", "7ns", 7}, {"Timestamp<ns>", "1min", 60e9}, {"Timestamp<ns>", "100000day", 100000 * 86400e9},
	{"Date", "7day", 7}, {"Date", "14day", 14}, {"Date", "1day", 1}, {"Date", "1000day", 1000},
	{"Time", "90min", 5400e6}, {"Time", "hour", 3600e6}, {"Time", "second", 1e6}, {"Time", "7us", 7}, {"Time", "36h", 129600e6},
}

// TestTruncateToDurations compares intervals of random times, most of them before 1970 as often as after, with exact arithmetic.
func TestTruncateToDurations(t *testing.T) {
	engines := []string{"interp", "wasm"}
	var opts []godwit.Option
	if _, err := llvm.Load(); err == nil {
		rt := godwit.NewRuntime(godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
		t.Cleanup(func() { rt.Close() })
		engines, opts = append(engines, "native"), append(opts, godwit.WithRuntime(rt))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range truncations {
		f := function(t, fmt.Sprintf("const STEP = 90min;\npub fn f(t: &[i64; N]) -> [i64; N] { t.map(|e| (e as %s).truncate(%s) as i64) }", c.kind, c.duration), "f")
		reach := int64(4e18)
		in := []int64{0, 1, c.units, c.units - 1, c.units + 1}
		switch c.kind {
		case "Date":
			reach = math.MaxInt32 - 2000
		case "Time":
			reach = 86_400_000_000
			in = in[:2]
		}
		for range 200 {
			v := r.Int64N(reach) >> r.IntN(30)
			if in = append(in, v); c.kind != "Time" {
				in = append(in, -v)
			}
		}
		for _, engine := range engines {
			res, err := f.Call(context.Background(), godwit.Args{"t": in}, append(opts, godwit.WithEngine(engine))...)
			if err != nil {
				t.Fatalf("%s of %s, %s: %v", c.duration, c.kind, engine, err)
			}
			out, err := godwit.As[[]int64](res)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range in {
				if want := below(v, c.units); !want.IsInt64() || out[i] != want.Int64() {
					t.Fatalf("%s of %s, %s: %d becomes %d, expected %s", c.duration, c.kind, engine, v, out[i], want)
				}
			}
		}
	}
}

// TestTruncateAtTheEnds: the first interval of all begins before the first value; that is a fault, as of a unit with a name.
func TestTruncateAtTheEnds(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"(e as Timestamp).truncate(90min) as i64", "R01"},
		{"(e as Timestamp).truncate(hour) as i64", "R01"},
		{"(e as Timestamp).truncate(1us) as i64", "-9223372036854775808"},
		{"(e as Timestamp).truncate(2us) as i64", "-9223372036854775808"},
		{"((e +| (e +| 1)) as Timestamp).truncate(7us) as i64", "R01"},
		{"((-1 -% e) as Timestamp).truncate(7us) as i64", "9223372036854775807"},
		{"((e / 4294967296) as Date).truncate(7day) as i64", "R04"},
		{"((e / 4294967296) as Date).truncate(week) as i64", "R04"},
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, "fn f(e: i64) -> i64 { "+c.body+" }", godwit.Args{"e": int64(math.MinInt64)}, engine); got != c.want {
				t.Errorf("%s, %s: got %s, want %s", c.body, engine, got, c.want)
			}
		}
	}
}

// TestGroupsOfIntervals: groups of 90 minutes are those of the whole numbers of 90 minutes since 1970.
func TestGroupsOfIntervals(t *testing.T) {
	f := function(t, "pub fn f(t: &[Timestamp; N]) -> [(i64, i64)] { t.group_by(|e| e.truncate(90min)).agg(|g| (g.key() as i64, g.count())).sort(|(k, _)| k) }", "f")
	want := map[int64]int64{}
	for i := range int64(300) {
		want[below((i-150)*1_234_567_890, 5400e6).Int64()]++
	}
	src := "pub fn all() -> [Timestamp; 300] { (0..300).map(|i| 1970-01-01T00:00:00Z + (i - 150) * 1234567890us) }"
	times, err := function(t, src, "all").Call(context.Background(), godwit.Args{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "t.parquet")
	if err := times.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"interp", "wasm"} {
		res, err := f.Call(context.Background(), godwit.Args{"t": godwit.File(file)}, godwit.WithEngine(engine))
		if err != nil {
			t.Fatal(err)
		}
		var rows [][2]int64
		if err := json.Unmarshal(res.JSON(), &rows); err != nil || len(rows) != len(want) {
			t.Fatalf("%s: %v, %d groups, expected %d", engine, err, len(rows), len(want))
		}
		for _, row := range rows {
			if want[row[0]] != row[1] {
				t.Errorf("%s: %d times from %d on, expected %d", engine, row[1], row[0], want[row[0]])
			}
		}
	}
}

// TestTruncateHelps: what is no interval is refused, and the help leads to one.
func TestTruncateHelps(t *testing.T) {
	for _, c := range []struct{ kind, arg, want string }{
		{"Timestamp", "0s", "found 0s"}, {"Timestamp", "-5min", "found -5min"},
		{"Timestamp", "d", "found what is known only at run time"},
		{"Timestamp", "15", "say how long: t.truncate(15min)"},
		{"Timestamp", "500ns", "help: (t as Timestamp<ns>).truncate(500ns)"},
		{"Timestamp<s>", "500ms", "help: (t as Timestamp<us>).truncate(500ms)"},
		{"Timestamp<ns>", "200000day", "help: (t as Timestamp<us>).truncate(200000day)"},
		{"Date", "36h", "help: (t as Timestamp<us>).truncate(36h)"},
		{"Date", "hour", "help: t.truncate(day)"},
		{"Time", "day", "help: t.truncate(hour)"},
		{"Time", "500ns", "help: t.truncate(1us)"},
		{"Timestamp", `"90min"`, "help: t.truncate(90min)"}, {"Timestamp", "mnth", "help: t.truncate(month)"},
		{"Timestamp", "1week", "help: week"}, {"Timestamp", "2weeks", "a Thursday:\n        14day"},
		{"Timestamp", "1month", "help: month"}, {"Timestamp", "3mo", "help: quarter"}, {"Timestamp", "2months", "months and years differ in length"},
		{"Timestamp", "15m", "help: 15min"},
	} {
		_, err := godwit.Compile("fn f(t: " + c.kind + ", d: Duration) -> i64 { t.truncate(" + c.arg + ") as i64 }")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v\nexpected in it: %s", c.kind, c.arg, err, c.want)
		} else if help := helpOf(err.Error()); strings.HasPrefix(help, "t.") || strings.HasPrefix(help, "(t ") {
			if _, err := godwit.Compile("fn f(t: " + c.kind + ", d: Duration) -> i64 { " + help + " as i64 }"); err != nil {
				t.Errorf("%s: %v", help, err)
			}
		}
	}
}

// helpOf is the one line of a help.
func helpOf(message string) string {
	_, help, _ := strings.Cut(message, "help: ")
	return strings.TrimSpace(help)
}
