package chaos

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// tables are the files that calls are about, and the programs.
type tables struct {
	dir  string
	sets []tableFile
}

type tableFile struct{ name, file string }

const (
	rows      = 400_000
	chaseRows = 100_000
	queries   = 300
)

// programs by file name.
var programs = map[string]string{
	"fold.gw":  "fn total(v: &[f64; N]) -> f64 { v.iter().sum() }\n",
	"chase.gw": "fn chase(next: &[idx<N>; N], start: idx<N>, steps: u32) -> idx<N>\nwhere N: Range<1, 1_000_000_000>, steps: Range<0, 4096>\n{\n    let mut i = start;\n    for _ in 0..steps { i = next[i]; }\n    i\n}\n",
	"search.gw": `fn search(keys: &[i64; N], queries: &[i64; Q]) -> [i64; Q]
where N: Range<1, 1_000_000_000>
{
    queries.map(|q| {
        let mut lo = 0;
        let mut hi = N;
        for _ in 0..30 {
            if lo < hi {
                let mid = (lo + hi) / 2;
                if keys[mid.clamp_idx()] < q { lo = mid + 1; } else { hi = mid; }
            }
        }
        lo
    })
}
`,
	"group.gw":     "record Row { key: i16, value: i64 }\nfn group(t: &[Row; N]) -> [f64; 32] {\n    t.filter(|r| r.value > 15).group_by::<32>(|r| (r.key / 100).clamp(0, 31)).mean(|r| r.value as f64)\n}\n",
	"histogram.gw": "fn buckets(v: &[f64; N], lo: f64, hi: f64) -> [i64; 64] {\n    v.histogram::<64>(|x| (((x - lo) / (hi - lo) * 64.0).clamp(0.0, 63.0)) as i64)\n}\n",
	"scan.gw":      "fn running(v: &[f64; N]) -> [f64; N] { v.scan(0.0, |a, x| a + x) }\n",
	"filter.gw":    "fn kept(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 0.0) }\n",
	"map.gw":       "fn scaled(v: &[f64; N], k: f64) -> [f64; N] { v.map(|x| x * k + 1.0) }\n",
	"burn.gw":      "fn burn(v: &[f64; N]) -> f64 {\n    v.map(|x| { let mut a = x; for _ in 0..100_000 { a = a * 0.9999 + 0.5; } a }).sum()\n}\n",
}

// makeTables writes everything.
func makeTables(dir string, seed uint64) (*tables, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	t := &tables{dir: dir}
	r := rand.New(rand.NewPCG(seed, 99))
	values, keys := make([]uint64, rows), make([]uint64, rows)
	for i := range values {
		values[i] = math.Float64bits((r.Float64()*2e6 - 1e6) * math.Pow(10, float64(r.IntN(17)-8)))
		keys[i] = r.Uint64N(1_000_000_000)
	}
	slices.Sort(keys)
	next, asked := make([]uint64, chaseRows), make([]uint64, queries)
	for i, p := range r.Perm(chaseRows) {
		next[i] = uint64(p)
	}
	for i := range asked {
		asked[i] = r.Uint64N(1_000_000_000)
	}
	groups, amounts := make([]uint64, rows), make([]uint64, rows)
	for i := range groups {
		groups[i], amounts[i] = r.Uint64N(4000), r.Uint64N(200)
	}
	for _, f := range []struct {
		name, file string
		columns    []data.OutColumn
	}{
		{"v", "v.npy", []data.OutColumn{column("v", num.F64, values)}},
		{"next", "next.npy", []data.OutColumn{column("next", num.I64, next)}},
		{"keys", "keys.npy", []data.OutColumn{column("keys", num.I64, keys)}},
		{"table", "table.parquet", []data.OutColumn{column("key", num.I16, groups), column("value", num.I64, amounts)}},
		{"", "queries.npy", []data.OutColumn{column("queries", num.I64, asked)}},
	} {
		file := filepath.Join(dir, f.file)
		n := int64(len(f.columns[0].Values) / f.columns[0].Kind.Size())
		if err := data.Write(file, &data.Output{Rows: n, Columns: f.columns}); err != nil {
			return nil, fmt.Errorf("write %s: %w", file, err)
		}
		if f.name != "" {
			t.sets = append(t.sets, tableFile{f.name, file})
		}
	}
	return t, nil
}

func column(name string, k num.Kind, bits []uint64) data.OutColumn {
	b := make([]byte, 0, len(bits)*k.Size())
	for _, v := range bits {
		var e [8]byte
		binary.LittleEndian.PutUint64(e[:], v)
		b = append(b, e[:k.Size()]...)
	}
	return data.OutColumn{Name: name, Kind: k, Values: b}
}
