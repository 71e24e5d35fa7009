package godwit_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Damaged files on the whole way, from the command line's argument to the result: as
// mapped memory, in windows, and row groups that statistics rule out. Package data tests
// its readers alone.

// overFile are programs that read a file in the ways that there are: in order, at random,
// and with a predicate.
var overFile = map[string][]string{
	".npy":     {"fn f(v: &[i32; N]) -> i64 { v.map(|x| x as i64).sum() }", "fn f(v: &[i32; N]) -> [i32; N] { v.sort() }"},
	".csv":     {table + "fn f(v: &[Row; N]) -> [f64; 8] { v.filter(|r| r.a > 3).group_by::<8>(|r| r.a.clamp(0, 7)).mean(|r| r.b) }"},
	".arrow":   {table + "fn f(v: &[Row; N]) -> [f64; 8] { v.filter(|r| r.a > 3).group_by::<8>(|r| r.a.clamp(0, 7)).mean(|r| r.b) }"},
	".parquet": {table + "fn f(v: &[Row; N]) -> [f64; 8] { v.filter(|r| r.a > 3).group_by::<8>(|r| r.a.clamp(0, 7)).mean(|r| r.b) }"},
}

const table = "record Row { a: i32, b: f64 }\n"

// intact writes a file of some rows.
func intact(t testing.TB, ext string) []byte {
	const rows = 5000
	a, b := make([]byte, 4*rows), make([]byte, 8*rows)
	for i := range rows {
		binary.LittleEndian.PutUint32(a[4*i:], uint32(i%11))
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(float64(i)/3))
	}
	out := &data.Output{Rows: rows, Columns: []data.OutColumn{{Name: "a", Kind: num.I32, Values: a}, {Name: "b", Kind: num.F64, Values: b}}}
	if ext == ".npy" {
		out.Columns = out.Columns[:1]
	}
	path := filepath.Join(t.TempDir(), "x"+ext)
	if err := data.Write(path, out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What a damaged file may cost: its few kilobytes say nothing that would be worth more.
const (
	damagedBytes = 512 << 20
	damagedTime  = 10 * time.Second
)

// callDamaged runs the programs over a file. They give a result or an error of the
// file's, soon and with little memory.
func callDamaged(t *testing.T, rt *godwit.Runtime, fs []*godwit.Func, path string) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for _, f := range fs {
		_, err := f.Call(context.Background(), godwit.Args{"v": godwit.File(path)}, godwit.WithRuntime(rt), godwit.WithThreads(2))
		if err != nil && !errors.As(err, new(*godwit.InputError)) && !errors.As(err, new(*godwit.Fault)) {
			t.Errorf("expected an *InputError or a *Fault, found %T: %v", err, err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > damagedBytes {
		t.Errorf("%d bytes were allocated", n)
	}
	if took := time.Since(start); took > damagedTime {
		t.Errorf("it took %v", took)
	}
}

func overDamaged(t testing.TB, ext string) (list []*godwit.Func) {
	for _, src := range overFile[ext] {
		p, err := godwit.Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Func("")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

// words are what lengths, offsets and counts are turned into.
var words = [][]byte{
	{0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0x7f}, {0, 0, 0, 0}, {0, 0, 0, 0x80}, {1, 0, 0, 0x40},
	{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, {0, 0, 0, 0, 0, 0, 0, 0},
	{0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0},
}

// damage changes a few places, most of them where a format keeps what it says about
// itself: near the beginning and the end.
func damage(r *rand.Rand, text []byte) []byte {
	b := slices.Clone(text)
	for range 1 + r.IntN(4) {
		if len(b) < 16 {
			return b
		}
		at := r.IntN(len(b))
		switch edge := min(len(b), 2048); r.IntN(5) {
		case 0, 1:
			at = r.IntN(edge)
		case 2, 3:
			at = len(b) - 1 - r.IntN(edge)
		}
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			copy(b[at:], words[r.IntN(len(words))])
		case 3:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(64)))
		case 4:
			b = slices.Insert(b, at, words[r.IntN(len(words))]...)
		default:
			from := r.IntN(len(b))
			copy(b[at:], b[from:min(len(b), from+32)])
		}
	}
	return b
}

// TestDamagedFiles is a slice of what the fuzz targets below do, always the same.
func TestDamagedFiles(t *testing.T) {
	rt := godwit.NewRuntime()
	defer rt.Close()
	for ext := range overFile {
		t.Run(ext[1:], func(t *testing.T) {
			fs, text, r := overDamaged(t, ext), intact(t, ext), rand.New(rand.NewPCG(5, 6))
			path := filepath.Join(t.TempDir(), "x"+ext)
			for i := range 250 {
				if err := os.WriteFile(path, damage(r, text), 0o600); err != nil {
					t.Fatal(err)
				}
				if callDamaged(t, rt, fs, path); t.Failed() {
					t.Fatalf("damage number %d", i)
				}
			}
		})
	}
}

func fuzzFile(f *testing.F, ext string) {
	f.Add(intact(f, ext))
	rt := godwit.NewRuntime()
	f.Cleanup(func() { rt.Close() })
	fs, dir := overDamaged(f, ext), f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, "x"+ext)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		callDamaged(t, rt, fs, path)
	})
}

func FuzzCallNPY(f *testing.F)     { fuzzFile(f, ".npy") }
func FuzzCallCSV(f *testing.F)     { fuzzFile(f, ".csv") }
func FuzzCallArrow(f *testing.F)   { fuzzFile(f, ".arrow") }
func FuzzCallParquet(f *testing.F) { fuzzFile(f, ".parquet") }
