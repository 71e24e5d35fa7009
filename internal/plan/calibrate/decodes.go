package calibrate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: two files of each form, of numbers that take few bytes there and of numbers that take many. Out: what decoding takes for a byte and for a value:
// the two times on which both files agree.

// decoded is how many values each file has, and decodes how often each is decoded.
const decoded, decodes = 1 << 16, 3

// decodeTimes measures the forms that can be written here, in a folder of its own.
func decodeTimes(ctx context.Context) (map[string]machine.Decode, error) {
	dir, err := os.MkdirTemp("", "godwit-calibrate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(seed, 3))
	few, many := make([]byte, 8*decoded), make([]byte, 8*decoded)
	for i := range decoded {
		binary.LittleEndian.PutUint64(few[8*i:], uint64(random.IntN(100)))
		binary.LittleEndian.PutUint64(many[8*i:], math.Float64bits(random.Float64()))
	}
	out := map[string]machine.Decode{}
	for _, extension := range []string{".csv", ".jsonl", ".parquet"} {
		var form string
		var took [2]float64
		var of [2]data.Stored
		for i, c := range []data.OutColumn{{Name: "a", Kind: num.I64, Values: few}, {Name: "a", Kind: num.F64, Values: many}} {
			path := filepath.Join(dir, fmt.Sprint(i)+extension)
			if err := data.Write(path, &data.Output{Rows: decoded, Columns: []data.OutColumn{c}}); err != nil {
				return nil, err
			}
			if of[i], took[i], err = decodeTime(ctx, path, c.Kind); err != nil {
				return nil, err
			}
			form = of[i].Form
		}
		out[form] = decodeFit(of, took)
	}
	return out, nil
}

// decodeTime is the nanoseconds that the only column of a file takes a single worker.
func decodeTime(ctx context.Context, path string, k num.Kind) (of data.Stored, took float64, err error) {
	src, err := data.Open(path)
	if err != nil {
		return of, 0, err
	}
	defer src.Close()
	of, ok := data.StoredOf(src, 0)
	if !ok {
		return of, 0, fmt.Errorf("%s has nothing to decode", path)
	}
	values := make([]byte, decoded*k.Size())
	var times []float64
	for range decodes {
		start := time.Now()
		for i, c := range src.Chunks() {
			if _, err := src.Fill(ctx, i, []data.Want{{Kind: k}}, []data.Dest{{Values: values[c.Lo*int64(k.Size()) : c.Hi*int64(k.Size())]}}); err != nil {
				return of, 0, err
			}
		}
		times = append(times, float64(time.Since(start)))
	}
	return of, machine.Of(times).P50, nil
}

// decodeFit solves for both times. None is less than a tenth of all: what is measured is near to what a byte alone, or a value alone, would tell.
func decodeFit(of [2]data.Stored, took [2]float64) machine.Decode {
	det := of[0].Bytes*of[1].Values - of[1].Bytes*of[0].Values
	d := machine.Decode{Byte: (took[0]*of[1].Values - took[1]*of[0].Values) / det, Value: (of[0].Bytes*took[1] - of[1].Bytes*took[0]) / det}
	least := machine.Decode{Byte: took[1] / of[1].Bytes / 10, Value: took[0] / of[0].Values / 10}
	if d.Byte < least.Byte || math.IsNaN(d.Byte) || math.IsInf(d.Byte, 0) {
		d.Byte = least.Byte
		d.Value = math.Max(least.Value, (took[0]-d.Byte*of[0].Bytes)/of[0].Values)
	}
	if d.Value < least.Value || math.IsNaN(d.Value) || math.IsInf(d.Value, 0) {
		d.Value = least.Value
		d.Byte = math.Max(least.Byte, (took[1]-d.Value*of[1].Values)/of[1].Bytes)
	}
	return d
}
