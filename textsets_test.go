package godwit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// tripsCSV is a table with text, some of it missing or strange, dates and times.
func tripsCSV(t *testing.T, rows int) string {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	words := []string{"UA", "AA", "été", "a, \"b\"", "zz top", "B6", "x"}
	var b strings.Builder
	b.WriteString("day,left,carrier,note,miles,late\n")
	for range rows {
		note := words[r.IntN(len(words))]
		if r.IntN(4) == 0 {
			note = ""
		}
		fmt.Fprintf(&b, "2001-%02d-%02d,2001-03-14T%02d:%02d:00Z,%q,%s,%d,%v\n", 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60),
			strings.ReplaceAll(words[r.IntN(4)], `"`, ""), `"`+strings.ReplaceAll(note, `"`, `""`)+`"`, r.IntN(3000), r.IntN(2) == 0)
	}
	path := filepath.Join(t.TempDir(), "trips.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const tripsProgram = `record Trip { day: Date, left: Timestamp, carrier: Str, note: Option<Str>, miles: i64, late: bool }
record Other { carrier: Str, rank: i64 }
fn carriers(f: &[Trip; N]) -> [(Str, i64, f64)] { f.group_by(|r| r.carrier).agg(|g| (g.key(), g.count(), g.mean(|r| r.miles))) }
fn notes(f: &[Trip; N]) -> [(Option<Str>, i64)] { f.group_by(|r| r.note).agg(|g| (g.key(), g.sum(|r| r.miles))) }
fn months(f: &[Trip; N]) -> [i64; 12] { f.filter(|r| r.carrier != "UA" && r.left.hour() > 5).histogram::<12>(|r| r.day.month() - 1) }
fn some(f: &[Trip; N]) -> [Trip] { f.filter(|r| r.carrier.starts_with("U") && r.day >= 2001-10-01).sort(|r| r.left).take(9) }
fn words(f: &[Trip; N]) -> [Str] { f.map(|r| r.carrier.upper()).distinct() }
fn asked(f: &[Trip; N], c: Str, part: Str) -> (i64, i64) { (f.filter(|r| r.carrier == c || r.note.or("").contains(part)).map(|r| r.miles).sum(), f.count(|r| r.carrier > c)) }
fn last(f: &[Trip; N]) -> Date { f.map(|r| r.day).max() }
fn joined(f: &[Trip; N], o: &[Other; M]) -> i64 { let by = o.index_by(|r| r.carrier); f.join(by, |r| r.carrier).map(|(a, b)| a.miles * b.rank).sum() }
`

// A data set with text and times answers as the file that it was loaded from, however it is cut, copied and asked.
func TestTextInDataSets(t *testing.T) {
	path := tripsCSV(t, 20_000)
	others := filepath.Join(t.TempDir(), "others.csv")
	if err := os.WriteFile(others, []byte("carrier,rank\nUA,2\nnobody,3\nété,5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := godwit.Compile(tripsProgram)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name string, file, other any, opts ...godwit.Option) string {
		t.Helper()
		f, err := p.Func(name)
		if err != nil {
			t.Fatal(err)
		}
		args := godwit.Args{"f": file}
		if name == "joined" {
			args["o"] = other
		}
		if name == "asked" {
			args["c"], args["part"] = "UA", "e"
		}
		r, err := f.Call(t.Context(), args, opts...)
		if err != nil {
			return err.Error()
		}
		return string(r.JSON())
	}
	for _, nodes := range []int{1, 3} {
		c := started(t, nodes)
		stored(t, c, others, "others", godwit.LoadOptions{Shards: 2})
		for _, by := range []string{"blocks", "rows", "hash(carrier)", "hash(day)"} {
			stored(t, c, path, "trips", godwit.LoadOptions{Shards: 3, Replicas: min(nodes, 2), By: by, Replace: true})
			for _, name := range []string{"carriers", "notes", "months", "some", "words", "asked", "last", "joined"} {
				want := ask(name, godwit.File(path), godwit.File(others))
				if hashed := strings.HasPrefix(by, "hash"); hashed && name != "months" && name != "asked" && name != "last" && name != "joined" {
					continue // the order of rows is another
				}
				for _, s := range []godwit.Strategy{godwit.Auto, godwit.Ship, godwit.Fetch} {
					for _, other := range []any{godwit.File(others), godwit.DataSet("others")} {
						if got := ask(name, godwit.DataSet("trips"), other, godwit.WithCluster(c), godwit.WithStrategy(s)); got != want {
							t.Errorf("%d nodes, by %s, %s, strategy %v: %.300s, want %.300s", nodes, by, name, s, got, want)
						}
					}
				}
			}
		}
		if n := len(c.View().Sets); n != 4 { // two, each with its companion
			t.Errorf("%d data sets", n)
		}
		if err := c.Drop(t.Context(), "trips"); err != nil {
			t.Fatal(err)
		}
		within(t, 10*time.Second, "the set is dropped with its dictionaries", func() bool { return len(c.View().Sets) == 2 })
	}
}

// What does not go with a data set's types is an error that says what to write; names of dictionaries are nobody's.
func TestTextSetsRefuse(t *testing.T) {
	c := started(t, 1)
	path := tripsCSV(t, 50)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("2001-01-01,2001-03-14T00:00:00Z,\"AA\",\"UA\",1,true\n"); err != nil || f.Close() != nil { // which no seed needs to have drawn
		t.Fatal(err)
	}
	stored(t, c, path, "trips", godwit.LoadOptions{})
	if _, err := c.Load(t.Context(), path, "texts.7", godwit.LoadOptions{}); err == nil || !strings.Contains(err.Error(), "dictionaries") {
		t.Errorf("a name of dictionaries was taken: %v", err)
	}
	for source, want := range map[string]string{
		"record T { miles: Str }\nfn f(f: &[T; N]) -> i64 { f.count(|r| r.miles == \"a\") }":             "expected text (Str), found i64",
		"record T { left: Timestamp<ms> }\nfn f(f: &[T; N]) -> i64 { f.count(|r| r.left > 2001-01-01) }": "Timestamp<us>",
		"record T { day: Decimal<9, 2> }\nfn f(f: &[T; N]) -> i64 { f.count(|r| r.day > 1.0) }":          "Date",
		"record T { carrier: i64 }\nfn f(f: &[T; N]) -> i64 { f.count(|r| r.carrier > 1) }":              "carrier",
	} {
		_, err := fn(t, source).Call(t.Context(), godwit.Args{"f": godwit.DataSet("trips")}, godwit.WithCluster(c))
		if err == nil || !strings.Contains(err.Error()+help(err), want) {
			t.Errorf("%s: %v, expected %q", source, err, want)
		}
	}
	stored(t, c, path+"?na=UA", "words", godwit.LoadOptions{}) // a word for a missing value is no empty text
	_, err = fn(t, "record T { note: Str }\nfn f(f: &[T; N]) -> i64 { f.count(|r| r.note == \"AA\") }").Call(t.Context(), godwit.Args{"f": godwit.DataSet("words")}, godwit.WithCluster(c))
	if err == nil || !strings.Contains(err.Error()+help(err), "Option") {
		t.Errorf("a missing value was read as text: %v", err)
	}
	if err := c.Drop(t.Context(), "words"); err != nil {
		t.Fatal(err)
	}
	// Nobody drops the companion of a set that is there.
	stored(t, c, path, "more", godwit.LoadOptions{})
	more, ok := c.View().Named("more")
	if !ok {
		t.Fatal("it is not there")
	}
	texts := fmt.Sprintf("texts.%d", more.ID)
	if err := c.Drop(t.Context(), texts); err == nil || !strings.Contains(err.Error(), "drop more, and they go with it") {
		t.Errorf("dictionaries in use were dropped: %v", err)
	}
	if _, err := fn(t, "record T { carrier: Str }\nfn f(f: &[T; N]) -> i64 { f.count(|r| r.carrier == \"UA\") }").Call(t.Context(), godwit.Args{"f": godwit.DataSet("more")}, godwit.WithCluster(c)); err != nil {
		t.Error(err)
	}
	if err := c.Drop(t.Context(), "more"); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Second, "the dictionaries go with it", func() bool { _, there := c.View().Named(texts); return !there })
}

// Dictionaries of some megabytes, and columns whose elements are a byte long, are fetched like any others.
func TestManyTexts(t *testing.T) {
	const rows = 250_000
	var b strings.Builder
	b.WriteString("name,late\n")
	for i := range rows {
		fmt.Fprintf(&b, "somebody number %d,%v\n", i*7919%rows, i%3 == 0)
	}
	path := filepath.Join(t.TempDir(), "many.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c := started(t, 2)
	stored(t, c, path, "many", godwit.LoadOptions{Shards: 2})
	f := fn(t, "record R { name: Str }\nfn f(r: &[R; N]) -> (i64, i64) { (r.map(|x| x.name).distinct().len(), r.count(|x| x.name == \"somebody number 77\")) }")
	bytes := filepath.Join(t.TempDir(), "bytes.npy")
	if _, err := fn(t, "fn f(x: &[bool; N]) -> [u8; N] { (0..N).map(|i| (i as i64 % 251) as u8) }").Call(t.Context(), godwit.Args{"x": make([]bool, 3_000_001)}, godwit.WithFile(bytes)); err != nil {
		t.Fatal(err)
	}
	stored(t, c, bytes, "bytes", godwit.LoadOptions{Shards: 1})
	back := fn(t, "fn f(x: &[u8; N]) -> i64 where N: Range<1, 10_000_000> { let mut s = 0; for i in 0..N { s = (s * 31 + (x[N - 1 - i] as i64)) % 1_000_003; } s }")
	want, err := back.Call(t.Context(), godwit.Args{"x": godwit.File(bytes)})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []godwit.Strategy{godwit.Auto, godwit.Ship, godwit.Fetch} {
		res, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("many")}, godwit.WithCluster(c), godwit.WithStrategy(s))
		if err != nil || string(res.JSON()) != fmt.Sprintf("[%d,1]", rows) {
			t.Errorf("strategy %v: %v, %v", s, res, err)
		}
		got, err := back.Call(t.Context(), godwit.Args{"x": godwit.DataSet("bytes")}, godwit.WithCluster(c), godwit.WithStrategy(s))
		if err != nil || string(got.JSON()) != string(want.JSON()) {
			t.Errorf("strategy %v: %v, %v", s, got, err)
		}
	}
}
