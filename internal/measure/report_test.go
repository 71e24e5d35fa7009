package measure

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var sample = Report{
	Bench:   "stream",
	Machine: Machine{CPU: "a CPU", Cores: 2, Memory: 8 << 30, Go: "go1", OS: "linux/amd64"},
	Rows: []Row{
		{Name: "sum", Unit: "GB/s", Ours: 28.123, Reference: 30, ReferenceName: "C", Ratio: 0.93, RatioMin: 0.9, RatioMax: 1.1, Limit: 41, OfLimit: 0.68, N: 7},
		{Name: "dot", Unit: "GB/s", Ours: 5, Reference: unknown, Ratio: unknown, RatioMin: unknown, RatioMax: unknown, Limit: unknown, OfLimit: unknown, N: 7},
	},
}

// TestJSON pins the names that programs rely on.
func TestJSON(t *testing.T) {
	b, err := json.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	keys(t, tree, "bench", "machine", "rows")
	keys(t, tree["machine"].(map[string]any), "cpu", "cores", "memory", "go", "os")
	row := tree["rows"].([]any)[0].(map[string]any)
	keys(t, row, "name", "unit", "ours", "reference", "reference_name", "ratio", "ratio_min", "ratio_max", "limit", "of_limit", "n")
	if row["ours"] != 28.12 || row["n"] != 7.0 {
		t.Errorf("%v", row)
	}
	if alone := tree["rows"].([]any)[1].(map[string]any); alone["ratio"] != nil || alone["limit"] != nil {
		t.Errorf("%v", alone)
	}
	var back Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back.Rows[1].Ratio.Known() || back.Rows[0].Ratio != 0.93 || !reflect.DeepEqual(back.Machine, sample.Machine) {
		t.Errorf("%+v", back)
	}
}

func keys(t *testing.T, m map[string]any, want ...string) {
	t.Helper()
	var got []string
	for k := range m {
		got = append(got, k)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the keys are %v, expected %v", got, want)
	}
}

func TestTable(t *testing.T) {
	r := sample
	r.Notes = []string{"There is no compiler."}
	text := r.Table()
	for _, want := range []string{"stream on a CPU, 2 cores, 8 GiB", "28.1", "0.93", "0.90…1.10", "0.680", "–", "There is no compiler."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestThisMachine(t *testing.T) {
	m := ThisMachine()
	if m.CPU == "" || m.Cores < 1 || m.Go == "" || m.OS == "" {
		t.Errorf("%+v", m)
	}
}
