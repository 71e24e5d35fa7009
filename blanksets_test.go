package godwit_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// In: random tables of CSV with fields of text that are empty, quoted and empty, words for missing values, and nothing of these. Out: the
// data set of them, loaded at once, in folders, packed or by appends, answers as the files do, to programs that declare Str and Option<Str>.

const blankProgram = `record S { id: i64, k: Str, w: Str }
record O { id: i64, k: Option<Str>, w: Option<Str> }
record M { k: Str, n: i64 }
fn s_rows(t: &[S; N]) -> [S; N] { t.map(|r| r) }
fn s_texts(t: &[S; N]) -> [Str] { t.map(|r| r.k).texts() }
fn s_codes(t: &[S; N]) -> [i64; N] { t.map(|r| r.w.code() as i64) }
fn s_groups(t: &[S; N]) -> [(Str, i64, i64)] { t.group_by(|r| r.k).agg(|g| (g.key(), g.count(), g.sum(|r| r.id))) }
fn s_distinct(t: &[S; N]) -> [Str] { t.map(|r| r.w).distinct() }
fn s_histogram(t: &[S; N]) -> [i64] { t.map(|r| r.w).histogram() }
fn s_empty(t: &[S; N]) -> i64 { t.count(|r| r.k == "") }
fn s_meet(t: &[S; N]) -> i64 { t.count(|r| r.k == r.w) }
fn s_filter(t: &[S; N]) -> [S] { t.filter(|r| r.k != "" && r.w < "m").sort(|r| r.k) }
fn s_prefix(t: &[S; N]) -> i64 { t.count(|r| r.w.starts_with("")) + t.count(|r| r.k.contains("e")) * 1000 }
fn s_upper(t: &[S; N]) -> [Str] { t.map(|r| r.k.upper()).distinct().sort() }
fn s_least(t: &[S; N]) -> Str { t.map(|r| r.w).min() }
fn s_join(t: &[S; N]) -> i64 { let by = t.map(|r| r.k).distinct().index_by(|k| k); t.join(by, |r| r.w).map(|(a, b)| a.id).sum() }
fn s_look(t: &[S; N]) -> [Str; N] where N >= 1 { t.map(|r| t[(r.id * 7 % N as i64).clamp(0, N - 1)].w) }
fn o_look(t: &[O; N]) -> [Option<Str>; N] where N >= 1 { t.map(|r| t[(r.id * 7 % N as i64).clamp(0, N - 1)].w) }
fn o_rows(t: &[O; N]) -> [O; N] { t.map(|r| r) }
fn o_some(t: &[O; N]) -> (i64, i64) { (t.count(|r| r.k.is_some()), t.count(|r| r.w.is_none())) }
fn o_or(t: &[O; N]) -> [Str; N] { t.map(|r| r.w.or("nothing")) }
fn o_groups(t: &[O; N]) -> [(Option<Str>, i64)] { t.group_by(|r| r.k).agg(|g| (g.key(), g.sum(|r| r.id))) }
fn o_codes(t: &[O; N]) -> [i64] { t.filter(|r| r.w.is_some()).map(|r| match r.w { Some(w) => w.code() as i64, None => 0 - 1 }) }
fn o_present(t: &[O; N]) -> [Str] { t.filter(|r| r.k.is_some()).map(|r| r.k.or("x")).distinct() }
`

// blankTable is a random CSV of some rows. kinds say what fields of k and w may be.
func blankTable(r *rand.Rand, rows, first int, kinds [2]string) string {
	words := []string{"Ulm", "Köln", `"a, ""b"""`, "éte", "z", "x y", "e", "Me"}
	field := func(kind string) string {
		switch kind[r.IntN(len(kind))] {
		case 'b':
			return []string{"", "", `""`}[r.IntN(3)]
		case 'r': // so that some shards have none
			if r.IntN(40) == 0 {
				return ""
			}
		case 'n':
			return "NA"
		case 'v': // many different ones, so that codes need more than a byte
			return fmt.Sprintf("w%d", r.IntN(300))
		}
		return words[r.IntN(len(words))]
	}
	var b strings.Builder
	b.WriteString("id,k,w\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%s,%s\n", first+i, field(kinds[0]), field(kinds[1]))
	}
	return b.String()
}

type blankBed struct {
	t     *testing.T
	r     *rand.Rand
	ways  [][]godwit.Option // of a call over a set, of which some are taken at random
	p     *godwit.Program
	names []string
}

func newBlankBed(t *testing.T, r *rand.Rand) *blankBed {
	t.Helper()
	var lines, names []string
	for line := range strings.Lines(blankProgram) {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "fn "), "(")
		if ok && strings.HasPrefix(line, "fn ") {
			if _, err := godwit.Compile(strings.Join(append(recordsOf(blankProgram), line), "")); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			names = append(names, name)
		}
		lines = append(lines, line)
	}
	p, err := godwit.Compile(strings.Join(lines, ""))
	if err != nil {
		t.Fatal(err)
	}
	b := &blankBed{t: t, r: r, p: p, names: names}
	rt, engines := enginesHere(t)
	for _, s := range []godwit.Strategy{godwit.Auto, godwit.Ship, godwit.Fetch, godwit.Gather} {
		b.ways = append(b.ways, []godwit.Option{godwit.WithStrategy(s)})
	}
	for _, e := range engines {
		b.ways = append(b.ways, []godwit.Option{godwit.WithEngine(e), godwit.WithRuntime(rt), godwit.WithStrategy(godwit.Fetch)})
	}
	return b
}

func recordsOf(text string) (list []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "record") {
			list = append(list, line)
		}
	}
	return list
}

// ask gives the answer as JSON and as files; of an error only that it is about a value that is missing.
func (b *blankBed) ask(name string, arg any, opts ...godwit.Option) string {
	b.t.Helper()
	f, err := b.p.Func(name)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := f.Call(b.t.Context(), godwit.Args{"t": arg}, opts...)
	if err != nil {
		if strings.Contains(err.Error(), "expected a value, found") {
			return "refused"
		}
		return err.Error()
	}
	defer r.Close()
	answer := append(r.JSON(), r.Type()...)
	if strings.HasSuffix(name, "rows") {
		for _, ext := range []string{"csv", "arrow", "parquet", "jsonl"} {
			path := filepath.Join(b.t.TempDir(), "out."+ext)
			if err := r.WriteFile(path); err != nil {
				b.t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				b.t.Fatal(err)
			}
			answer = append(answer, text...)
		}
	}
	return string(answer)
}

// same compares a set with files that have its rows in its order, or in another one.
func (b *blankBed) same(what string, c *godwit.Cluster, set string, files any, ordered bool) {
	b.t.Helper()
	for _, n := range b.r.Perm(len(b.names))[:8] {
		name := b.names[n]
		if !ordered && !strings.Contains("s_texts s_groups s_empty s_meet s_prefix s_upper s_least s_histogram o_some", name) {
			continue
		}
		want := b.ask(name, files, godwit.WithEngine("interp"))
		if name == "s_texts" && b.ask("s_rows", files) == "refused" {
			continue // with words for missing values its rows are nobody's as Str: whether it has the empty text is not kept
		}
		if ordered { // else the native and other engines are compared by other tests
			if got := b.ask(name, files); got != want {
				b.t.Errorf("%s: %s of the files: %.120q, the interpreter has %.120q", what, name, got, want)
			}
		}
		for _, way := range b.r.Perm(len(b.ways))[:1] {
			if got := b.ask(name, godwit.DataSet(set), append(b.ways[way], godwit.WithCluster(c))...); got != want {
				b.t.Errorf("%s: %s of the set, way %d: %.120q, want %.120q", what, name, way, got, want)
			}
		}
	}
}

func (b *blankBed) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	if strings.HasSuffix(name, ".gz") {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write([]byte(text))
		if err := w.Close(); err != nil {
			b.t.Fatal(err)
		}
		text = packed.String()
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// A data set gives what the CSV gives that it was loaded from, however often rows were added, empty fields included.
func TestBlanksInDataSets(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b := newBlankBed(t, r)
	for round := range 5 {
		c := started(t, 1+round)
		kinds := []string{"t", "r", "rt", "tb", "tbv", "tn", "tbn", "tv", "b", "n", "bn"}
		one := kinds[r.IntN(len(kinds))]
		opt := godwit.LoadOptions{Shards: 1 + r.IntN(4), Replicas: 1 + r.IntN(1+round), By: []string{"blocks", "rows", "hash(k)", "hash(id)"}[r.IntN(4)]}
		ordered := !strings.HasPrefix(opt.By, "hash")
		var paths []string
		what := fmt.Sprintf("%d nodes, %d shards, %d replicas, by %s:", 1+round, opt.Shards, opt.Replicas, opt.By)
		first := 0
		for part := range 1 + r.IntN(4) {
			two := [2]string{one, kinds[r.IntN(len(kinds))]}
			if r.IntN(2) == 0 {
				two[0] = kinds[r.IntN(len(kinds))]
			}
			if part == 0 && r.IntN(3) == 0 {
				two = [2]string{"tb", "tb"}
			}
			if two[0] == "n" && part == 0 && opt.By == "hash(k)" { // the key has a type from the first rows on
				two[0] = "tn"
			}
			if two[0] == "b" && part == 0 && opt.By == "hash(k)" {
				two[0] = "tb"
			}
			rows := 1 + r.IntN(60)
			if strings.Contains(two[0]+two[1], "v") {
				rows = 800
			}
			text := blankTable(r, rows, first, two)
			first += rows
			path := b.write([]string{"p.csv", "p.csv.gz"}[r.IntN(2)], text)
			paths = append(paths, path)
			what += " " + two[0] + "/" + two[1]
			spec := path + "?na=NA"
			if part > 0 {
				opt = godwit.LoadOptions{Append: true, Widen: true}
			}
			if _, err := c.Load(t.Context(), spec, "t", opt); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			files := godwit.Text(strings.Join(paths, ",") + "?na=NA")
			b.same(what, c, "t", files, ordered)
			if part == 0 {
				continue
			}
			if _, err := c.Load(t.Context(), strings.Join(paths, ",")+"?na=NA", "u", godwit.LoadOptions{Replace: true, Shards: 2}); err != nil {
				t.Fatal(err)
			}
			b.same(what+", at once", c, "u", files, true)
		}
		if t.Failed() {
			return
		}
	}
}
