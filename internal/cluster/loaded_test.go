package cluster_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// In: random files of every format. Out: that a function over the file and over the data set
// loaded from it has the same bits, whatever types it declares.

// TestFileAndSetAgree loads random files and runs functions over both.
func TestFileAndSetAgree(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("60"); err != nil {
			t.Fatal(err)
		}
	}
	// What every test run takes is always the same, so that a red run is due to the change.
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("20261122"); err != nil {
			t.Fatal(err)
		}
	}
	l := &loads{bed: newBed(t, 3), dir: t.TempDir()}
	rapid.Check(t, l.one)
	t.Logf("%d functions agree, %d are refused by both, %d by the set alone; %d columns cannot be stored", l.agree, l.refused, l.alone, l.unfit)
	if l.agree < l.refused {
		t.Errorf("only %d functions ran, %d were refused", l.agree, l.refused)
	}
}

type loads struct {
	*bed
	dir                          string
	agree, refused, alone, unfit int
}

func (l *loads) one(t *rapid.T) {
	ext := rapid.SampledFrom([]string{".csv", ".csv", ".npy", ".arrow", ".parquet"}).Draw(t, "format")
	path := filepath.Join(l.dir, "x"+ext)
	rows := rapid.SampledFrom([]int64{0, 1, 2, 7, 100, 4096, 4097, 5000, 9000}).Draw(t, "rows")
	var err error
	if ext == ".csv" {
		err = os.WriteFile(path, []byte(drawCSV(t, rows)), 0o644)
	} else {
		err = data.Write(path, drawTyped(t, ext, rows))
	}
	if err != nil {
		t.Fatal(err)
	}
	set := l.loaded(t, path, cluster.LoadOptions{
		Shards:   rapid.IntRange(1, 4).Draw(t, "shards"),
		Replicas: rapid.IntRange(1, 2).Draw(t, "replicas"),
		By:       rapid.SampledFrom([]string{"blocks", "rows"}).Draw(t, "by"),
		Replace:  true,
	})
	if set == nil {
		return
	}
	for i := range set.Columns {
		c := &set.Columns[i]
		l.compare(t, path, c, c.Kind, c.Means, c.Nullable)
		kind := rapid.SampledFrom([]num.Kind{num.Bool, num.I8, num.I32, num.I64, num.U8, num.U64, num.F32, num.F64}).Draw(t, "kind")
		l.compare(t, path, c, kind, meaning.Meaning{}, len(c.Dims) == 0 && rapid.Bool().Draw(t, "option"))
	}
}

// loaded loads a file without the columns that cannot be stored; nil if there are no others.
func (l *loads) loaded(t *rapid.T, path string, opt cluster.LoadOptions) *catalog.Set {
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	loaded, err := l.Client.Load(t.Context(), src, "x", opt)
	if unfit := (*store.UnfitError)(nil); errors.As(err, &unfit) {
		l.unfit += len(unfit.Names)
		if opt.Skip = unfit.Names; len(opt.Skip) == len(src.Columns()) {
			return nil
		}
		loaded, err = l.Client.Load(t.Context(), src, "x", opt)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Columns)+len(loaded.Left) != len(src.Columns()) {
		t.Fatalf("of %d columns %v are stored and %v are left out", len(src.Columns()), loaded.Columns, loaded.Left)
	}
	return loaded.Set
}

// compare runs functions that declare a column as a kind that means something, over the file and over the set.
func (l *loads) compare(t *rapid.T, path string, c *catalog.Column, k num.Kind, means meaning.Meaning, option bool) {
	elem := (&catalog.Column{Kind: k, Dims: c.Dims, Nullable: option && len(c.Dims) == 0, Means: means}).Type()
	argument := "v: &[R; N]"
	program := fmt.Sprintf("record R { %s: %s }\n", c.Name, elem)
	if strings.HasSuffix(path, ".npy") {
		argument, program = "v: &["+elem+"; N]", ""
	}
	value := "r." + c.Name
	if program == "" {
		value = "r"
	}
	bodies := []string{fmt.Sprintf("-> [%s; N] { v.map(|r| %s) }", elem, value)}
	if !option && means.Sort == meaning.None && len(c.Dims) == 0 && (k == num.I64 || k.IsFloat()) {
		bodies = append(bodies, fmt.Sprintf("-> %s { v.map(|r| %s).sum() }", k, value))
	}
	if option && len(c.Dims) == 0 {
		bodies = append(bodies, fmt.Sprintf("-> [bool; N] { v.map(|r| %s.is_some()) }", value))
	}
	for _, body := range bodies {
		text := program + "fn f(" + argument + ") " + body
		p, err := compile.Check(diag.NewSource("f.gw", text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		f, err := p.Func("")
		if err != nil {
			t.Fatal(err)
		}
		l.both(t, f, path, c, k, means == c.Means && (!c.Nullable || option), text)
	}
}

func (l *loads) both(t *rapid.T, f *compile.Func, path string, c *catalog.Column, k num.Kind, asStored bool, text string) {
	want, errFile := l.run(context.Background(), f, compile.Args{"v": compile.File{Path: path}}, run.Options{})
	remote, err := l.Client.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	strategy := rapid.SampledFrom([]cluster.Strategy{cluster.Ship, cluster.Auto, cluster.Fetch}).Draw(t, "strategy")
	got, errSet := l.beside(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}}, strategy)
	switch {
	case errFile == nil && errSet == nil:
		if err := same(want, got); err != nil {
			t.Fatalf("%s, column %s stored as %s (%s): %v\n%s", path, c.Name, c.Type(), c.Stored, err, text)
		}
		l.agree++
	case errFile != nil && errSet != nil:
		if k == c.Kind && asStored {
			t.Fatalf("%s, column %s stored as %s is refused as %s: %v\n%s", path, c.Name, c.Type(), k, errFile, text)
		}
		l.refused++
	case errFile == nil && strings.HasSuffix(path, ".csv") && c.Kind == num.F64 && k != num.F64:
		l.alone++ // text has no width; what is stored has
	case errFile == nil && strings.HasSuffix(path, ".csv") && c.Means.Sort == meaning.Text:
		l.alone++ // numbers that begin with zeros are stored as text
	default:
		t.Fatalf("%s, column %s stored as %s (%s):\nfile: %v\nset:  %v\n%s", path, c.Name, c.Type(), c.Stored, errFile, errSet, text)
	}
}

// drawTyped draws a table of any kinds. Values are of a few widths, so that they fit others.
func drawTyped(t *rapid.T, ext string, rows int64) *data.Output {
	out := &data.Output{Rows: rows}
	columns := 1
	if ext != ".npy" {
		columns = rapid.IntRange(1, 3).Draw(t, "columns")
	}
	for i := range columns {
		c := data.OutColumn{Name: fmt.Sprint("c", i), Kind: num.Bool + num.Kind(rapid.IntRange(0, 10).Draw(t, "stored"))}
		width := int64(1)
		if rapid.IntRange(0, 3).Draw(t, "nested") == 0 {
			c.Dims = []int64{3}
			width = 3
		}
		bits := rapid.SampledFrom([]int{1, 7, 25, 64}).Draw(t, "bits")
		some := rapid.SliceOfN(rapid.Uint64(), 16, 16).Draw(t, "values")
		for j := range rows * width {
			c.Values = appendBits(c.Values, c.Kind, some[(j*7+j/16)%16]>>(64-bits)+uint64(j%2))
		}
		if ext != ".npy" && c.Dims == nil && rapid.Bool().Draw(t, "nulls") {
			c.Valid = make([]byte, rows)
			for j := range c.Valid {
				c.Valid[j] = byte(some[j%16] >> 60 & 1)
			}
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}

func appendBits(b []byte, k num.Kind, bits uint64) []byte {
	switch k {
	case num.Bool:
		bits &= 1
	case num.F32:
		bits = uint64(math.Float32bits(float32(int64(bits)) / 8))
	case num.F64:
		bits = math.Float64bits(float64(int64(bits)) / 8)
	}
	return append(b, binary.LittleEndian.AppendUint64(nil, bits)[:k.Size()]...)
}

// flavours are the fields that a column of text has.
var flavours = [][]string{
	{"1", "2", "-3", "+4", "005"},
	{"0", "1"},
	{"true", "False", "1", "0"},
	{"9007199254740993", "-9007199254740993", "1"},
	{"18446744073709551615", "9223372036854775808", "0"},
	{"1.5", "-2.25", "1e3", "100"},
	{"0.1", "3.14159", "2.718281828459045", "1e-40"},
	{"NaN", "inf", "-0", "7"},
	{"16777217", "16777216"},
	{"100000000000000000000", "1"},
	{"", "5"},
	{" 12 ", "\"13\"", "\"\""},
	{"x", "\"a,\n\"\"b\"\"\""},
	{"1", "NA"},
}

// drawCSV draws text in which the fields of a column are of one flavour at first, and perhaps
// of others, or empty, from some row on.
func drawCSV(t *rapid.T, rows int64) string {
	columns := rapid.IntRange(2, 4).Draw(t, "columns")
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	type part struct {
		from   int64
		fields []string
	}
	parts := make([][]part, columns)
	var names []string
	for i := range parts {
		names = append(names, fmt.Sprint("c", i))
		first := rapid.SampledFrom(flavours).Draw(t, "fields")
		parts[i] = []part{{0, first}}
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			parts[i] = []part{{0, []string{""}}, {rows * 9 / 10, first}}
		case 1:
			parts[i] = append(parts[i], part{rows - 1, rapid.SampledFrom(flavours).Draw(t, "last")})
		}
	}
	var b strings.Builder
	if rapid.Bool().Draw(t, "mark") {
		b.WriteString("\ufeff")
	}
	b.WriteString(strings.Join(names, ",") + end)
	seed := rapid.IntRange(0, 1000).Draw(t, "seed")
	for row := range rows {
		for i, list := range parts {
			at := len(list) - 1
			for ; at > 0 && list[at].from > row; at-- {
			}
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(list[at].fields[(int(row)*(i+3)+seed)%len(list[at].fields)])
		}
		b.WriteString(end)
	}
	text := b.String()
	if slices.Contains([]int64{0, 1}, rows%3) {
		text = strings.TrimSuffix(text, end)
	}
	return text
}
