package godwit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// started is a cluster inside of the test.
func started(t *testing.T, nodes int) *godwit.Cluster {
	t.Helper()
	c, err := godwit.LocalCluster(t.Context(), nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return c
}

func stored(t *testing.T, c *godwit.Cluster, path, name string, opt godwit.LoadOptions) {
	t.Helper()
	if _, err := c.Load(t.Context(), path, name, opt); err != nil {
		t.Fatal(err)
	}
}

const wordnet = "examples/wordnet/hypernym.npy"

func ancestor(t *testing.T) *godwit.Func {
	t.Helper()
	p, err := godwit.CompileFile("examples/wordnet/ancestor.gw")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestClusterCall(t *testing.T) {
	c := started(t, 4)
	stored(t, c, wordnet, "hypernym", godwit.LoadOptions{Shards: 4})
	f := ancestor(t)
	for _, arg := range []any{godwit.DataSet("hypernym"), godwit.Text("@hypernym"), godwit.DataSet("hypernym#value"), godwit.File(wordnet)} {
		res, err := f.Call(t.Context(), godwit.Args{"parent": arg, "start": 10815, "steps": 13}, godwit.WithCluster(c), godwit.WithStrategy(godwit.Ship))
		if err != nil {
			t.Errorf("%v: %v", arg, err)
			continue
		}
		if root, err := res.Int64(); err != nil || root != 0 {
			t.Errorf("%v: got %d (%v), want 0", arg, root, err)
		}
	}
	res, err := f.Call(t.Context(), godwit.Args{"parent": godwit.DataSet("hypernym"), "start": 10815, "steps": 5}, godwit.WithCluster(c), godwit.WithStrategy(godwit.Ship))
	if err != nil {
		t.Fatal(err)
	}
	local, err := f.Call(t.Context(), godwit.Args{"parent": godwit.File(wordnet), "start": 10815, "steps": 5})
	if err != nil {
		t.Fatal(err)
	}
	if res.String() != local.String() {
		t.Errorf("got %s, want %s", res, local)
	}
	if local.Stats().Travel != nil {
		t.Errorf("a call without a cluster travelled: %+v", local.Stats().Travel)
	}
	switch tr := res.Stats().Travel; {
	case tr == nil:
		t.Error("the call says nothing of its travels")
	case len(tr.Nodes) == 0 || tr.Parcels == 0 || tr.Bytes == 0:
		t.Errorf("the call did not travel: %+v", tr)
	case tr.CodeBytes != 0:
		t.Errorf("%d bytes of code travelled again", tr.CodeBytes)
	case !strings.Contains(strings.Join(tr.Places, "\n"), "states move among the 4 shards of @hypernym"):
		t.Errorf("launches ran elsewhere: %q", tr.Places)
	}
}

func TestClusterDropAndReplace(t *testing.T) {
	c := started(t, 3)
	dir := t.TempDir()
	total := fn(t, `fn f(v: &[i64; N]) -> i64 { v.sum() }`)
	sum := func() (int64, error) {
		res, err := total.Call(t.Context(), godwit.Args{"v": godwit.DataSet("v")}, godwit.WithCluster(c))
		if err != nil {
			return 0, err
		}
		return res.Int64()
	}
	for _, n := range []int64{10_000, 20_000} {
		path := filepath.Join(dir, "v.npy")
		if err := generate.Permutation(t.Context(), path, n, 1); err != nil {
			t.Fatal(err)
		}
		stored(t, c, path, "v", godwit.LoadOptions{Replace: true, Replicas: 2})
		if got, err := sum(); err != nil || got != n*(n-1)/2 {
			t.Errorf("sum of 0 to %d: %d (%v)", n-1, got, err)
		}
		if sets := c.View().Sets; len(sets) != 1 {
			t.Errorf("%d data sets after a replacement: %v", len(sets), sets)
		}
	}
	stored(t, c, filepath.Join(dir, "v.npy"), "v", godwit.LoadOptions{Replace: true, Shards: 2, By: "rows"})
	kept, err := c.Load(t.Context(), filepath.Join(dir, "v.npy"), "v", godwit.LoadOptions{Replace: true})
	if err != nil || len(kept.Shards) != 2 || len(kept.Shards[0].Assigned) != 2 || kept.By != "rows" || !slices.Equal(kept.Kept, []string{"--replicas 2", "--shards 2", "--by rows"}) {
		t.Errorf("a set with 2 replicas and 2 shards was replaced by %+v (%v)", kept, err)
	}
	if kept, err = c.Load(t.Context(), filepath.Join(dir, "v.npy"), "v", godwit.LoadOptions{Replace: true, Replicas: 1, Shards: 3, By: "blocks"}); err != nil || len(kept.Shards) != 3 || len(kept.Shards[0].Assigned) != 1 || len(kept.Kept) > 0 {
		t.Errorf("all was said, and it was replaced by %+v (%v)", kept, err)
	}
	if _, err := c.Load(t.Context(), filepath.Join(dir, "v.npy"), "v", godwit.LoadOptions{}); err == nil || !strings.Contains(err.Error(), "there is a data set @v already") {
		t.Errorf("a name in use: %v", err)
	}
	if err := c.Drop(t.Context(), "v"); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Second, "the set is dropped", func() bool { return len(c.View().Sets) == 0 })
	if _, err := sum(); err == nil || !strings.Contains(err.Error(), "no data set @v") {
		t.Errorf("after the drop: %v", err)
	}
	if err := c.Drop(t.Context(), "v"); err == nil || !strings.Contains(err.Error(), "no data set @v, nor any other") {
		t.Errorf("a set was dropped twice: %v", err)
	}
}

// within waits until something is so.
func within(t *testing.T, limit time.Duration, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

func TestClusterErrors(t *testing.T) {
	c := started(t, 2)
	stored(t, c, wordnet, "hypernym", godwit.LoadOptions{})
	stored(t, c, "examples/flights/flights-200k.arrow", "flights", godwit.LoadOptions{Shards: 2})
	for _, tc := range []struct {
		name, program string
		arg           any
		without       bool // no cluster
		want          []string
	}{
		{"no such set", `fn f(v: &[i64; N]) -> i64 { v.sum() }`, godwit.DataSet("words"), false, []string{"`v`", "no data set @words", "@hypernym"}},
		{"no cluster", `fn f(v: &[i64; N]) -> i64 { v.sum() }`, godwit.DataSet("hypernym"), true, []string{"`v`", "@hypernym", "no cluster"}},
		{"no such column", `fn f(v: &[i64; N]) -> i64 { v.sum() }`, godwit.DataSet("flights#delays"), false, []string{"delays", "delay"}},
		{"no such field", `record R { deley: i16 } fn f(v: &[R; N]) -> i64 { v.map(|r| r.deley as i64).sum() }`, godwit.DataSet("flights"), false, []string{"deley", "delay"}},
		{"another type", `fn f(v: &[i8; N]) -> i64 { v.map(|x| x as i64).sum() }`, godwit.DataSet("hypernym"), false, []string{"@hypernym: row ", ": column `value`", "i8"}},
		{"a record of a column", `fn f(v: &[f32; N, 3]) -> f32 { v.map(|r| r.sum()).sum() }`, godwit.DataSet("hypernym"), false, []string{"@hypernym", "`v`"}},
		{"a set for a scalar", `fn f(v: i64) -> i64 { v }`, godwit.DataSet("hypernym"), false, []string{"`v`", "one value"}},
		{"a set at another node", `fn f(v: &[i64; N] @ Node(2)) -> i64 { v.sum() }`, godwit.DataSet("hypernym"), false, []string{"@hypernym", "Node(2)"}},
		{"a file at a node", `fn f(v: &[i64; N] @ Node(1)) -> i64 { v.sum() }`, godwit.File(wordnet), false, []string{"Node(1)"}},
		{"an empty name", `fn f(v: &[i64; N]) -> i64 { v.sum() }`, godwit.DataSet(""), false, []string{"no data set"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			with := c
			if tc.without {
				with = nil
			}
			_, err := fn(t, tc.program).Call(t.Context(), godwit.Args{"v": tc.arg}, godwit.WithCluster(with))
			var input *godwit.InputError
			if !errors.As(err, &input) {
				t.Fatalf("got %T %v, want an *InputError", err, err)
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("does not say %q: %v", w, err)
				}
			}
		})
	}
	wide := make([]int64, 30_000)
	wide[20_000] = 1 << 40
	path := filepath.Join(t.TempDir(), "wide.npy")
	res, err := fn(t, `fn f(v: &[i64; N]) -> [i64; N] { v.map(|x| x + 0) }`).Call(t.Context(), godwit.Args{"v": wide})
	if err == nil {
		err = res.WriteFile(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	stored(t, c, path, "wide", godwit.LoadOptions{Shards: 3})
	_, err = fn(t, `fn f(v: &[i32; N]) -> i32 { v.max() }`).Call(t.Context(), godwit.Args{"v": godwit.DataSet("wide")}, godwit.WithCluster(c))
	if err == nil || !strings.Contains(err.Error(), "@wide: row 20000: column `value`: expected i32") {
		t.Errorf("a row of the second shard: %v", err)
	}
	if _, err := godwit.Connect(t.Context(), t.TempDir(), godwit.ConnectOptions{}); err == nil || !strings.Contains(err.Error(), "godwit up") {
		t.Errorf("a directory without a cluster: %v", err)
	}
}

func TestClusterLoadErrors(t *testing.T) {
	c := started(t, 2)
	text := filepath.Join(t.TempDir(), "text.csv")
	if err := os.WriteFile(text, []byte("name\n1.5\n9007199254740993\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path, name string
		opt        godwit.LoadOptions
		want       string
	}{
		{"none.npy", "a", godwit.LoadOptions{}, "none.npy"},
		{text, "a", godwit.LoadOptions{}, "text.csv:3:1: column `name`: expected numbers of one kind, found 9007199254740993"},
		{text, "a", godwit.LoadOptions{Skip: []string{"name"}}, "no column that is stored"},
		{text, "a", godwit.LoadOptions{Skip: []string{"nam"}}, "there is no column `nam`"},
		{wordnet, "9a", godwit.LoadOptions{}, "cannot be the name"},
		{wordnet, "a", godwit.LoadOptions{Shards: -1}, "-1 shards"},
		{wordnet, "a", godwit.LoadOptions{Replicas: 3}, "3 replicas"},
		{wordnet, "a", godwit.LoadOptions{By: "colour"}, "colour"},
		{wordnet, "a", godwit.LoadOptions{By: "hash(x)"}, "`x`"},
	} {
		_, err := c.Load(t.Context(), tc.path, tc.name, tc.opt)
		var input *godwit.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("load %s as %s, %+v: %T %v, want %q", tc.path, tc.name, tc.opt, err, err, tc.want)
		}
	}
	if sets := c.View().Sets; len(sets) != 0 {
		t.Errorf("left %d data sets behind", len(sets))
	}
}

func TestClusterPlaces(t *testing.T) {
	c := started(t, 3)
	stored(t, c, wordnet, "whole", godwit.LoadOptions{Shards: 1})
	stored(t, c, wordnet, "cut", godwit.LoadOptions{Shards: 3})
	at := int64(c.View().Sets[0].Shards[0].Replicas[0])
	const program = `fn f(v: &[i64; N] @ %s) -> i64 { v.sum() }`
	want := call[int64](t, fn(t, `fn f(v: &[i64; N]) -> i64 { v.sum() }`), godwit.Args{"v": godwit.File(wordnet)})
	for _, tc := range []struct {
		place string
		arg   any
		fails bool
	}{
		{"Cluster", godwit.DataSet("whole"), false},
		{"Cluster", godwit.DataSet("cut"), false},
		{"Cluster", godwit.File(wordnet), false},
		{fmt.Sprintf("Node(%d)", at), godwit.DataSet("whole"), false},
		{fmt.Sprintf("Node(%d)", at%3+1), godwit.DataSet("whole"), true},
		{fmt.Sprintf("Node(%d)", at), godwit.DataSet("cut"), true},
		{"Node(9)", godwit.DataSet("whole"), true},
	} {
		res, err := fn(t, fmt.Sprintf(program, tc.place)).Call(t.Context(), godwit.Args{"v": tc.arg}, godwit.WithCluster(c))
		if tc.fails {
			if err == nil || !strings.Contains(err.Error(), tc.place) {
				t.Errorf("@ %s of %v: %v", tc.place, tc.arg, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("@ %s of %v: %v", tc.place, tc.arg, err)
			continue
		}
		if got, err := res.Int64(); err != nil || got != want {
			t.Errorf("@ %s of %v: %d (%v), want %d", tc.place, tc.arg, got, err, want)
		}
	}
}

// TestClusterAtTheSameTime makes many calls at once over one connection.
func TestClusterAtTheSameTime(t *testing.T) {
	c := started(t, 4)
	stored(t, c, wordnet, "hypernym", godwit.LoadOptions{Shards: 4, Replicas: 2})
	stored(t, c, "examples/flights/flights-200k.parquet", "flights", godwit.LoadOptions{Shards: 3})
	chase := ancestor(t)
	late := fn(t, `record F { delay: i16 } fn f(f: &[F; N]) -> i64 { f.map(|r| r.delay as i64).sum() }`)
	sum := call[int64](t, late, godwit.Args{"f": godwit.File("examples/flights/flights-200k.parquet")})
	var each sync.WaitGroup
	for i := range 40 {
		each.Go(func() {
			start := 1000*i + 7
			want, err := chase.Call(t.Context(), godwit.Args{"parent": godwit.File(wordnet), "start": start, "steps": 3})
			if err != nil {
				t.Error(err)
				return
			}
			got, err := chase.Call(t.Context(), godwit.Args{"parent": godwit.DataSet("hypernym"), "start": start, "steps": 3}, godwit.WithCluster(c))
			if err != nil || got.String() != want.String() {
				t.Errorf("from %d: %v (%v), want %v", start, got, err, want)
			}
			if i%4 != 0 {
				return
			}
			got, err = late.Call(t.Context(), godwit.Args{"f": godwit.DataSet("flights")}, godwit.WithCluster(c), godwit.WithStrategy(godwit.Ship))
			if err != nil {
				t.Error(err)
			} else if n, _ := got.Int64(); n != sum {
				t.Errorf("sum %d, want %d", n, sum)
			}
		})
	}
	each.Wait()
	idle(t, c)
}

// idle waits until no node has anything in hand but the question itself.
func idle(t *testing.T, c *godwit.Cluster) {
	t.Helper()
	within(t, 20*time.Second, "nodes have nothing in hand", func() bool {
		busy := false
		for _, n := range reports(t, c) {
			busy = busy || n.Core.Requests > 1 || n.Core.Jobs > 1
		}
		return !busy
	})
}

// TestClusterCancel ends calls by their contexts: the error is the context's, and
// nodes let go of the work.
func TestClusterCancel(t *testing.T) {
	c := started(t, 3)
	path := filepath.Join(t.TempDir(), "cycle.npy")
	if err := generate.Permutation(t.Context(), path, 200_000, 1); err != nil {
		t.Fatal(err)
	}
	stored(t, c, path, "cycle", godwit.LoadOptions{Shards: 3})
	f := fn(t, `fn f(next: &[idx<N>; N], starts: &[idx<N>; M], steps: u32) -> [idx<N>; M]
where N: Range<1, 1_000_000_000>, steps: Range<0, 4096>
{
    starts.map(|s| { let mut i = s; for _ in 0..steps { i = next[i]; } i })
}`)
	starts := make([]int64, 20_000)
	for i := range starts {
		starts[i] = int64(i)
	}
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		began := time.Now()
		_, err := f.Call(ctx, godwit.Args{"next": godwit.DataSet("cycle"), "starts": starts, "steps": 4096}, godwit.WithCluster(c), godwit.WithStrategy(godwit.Ship))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
		if took := time.Since(began); took > after+5*time.Second {
			t.Errorf("a call with %v to go took %v", after, took)
		}
	}
	idle(t, c)
	res, err := f.Call(t.Context(), godwit.Args{"next": godwit.DataSet("cycle"), "starts": starts[:10], "steps": 4096}, godwit.WithCluster(c))
	if err != nil {
		t.Fatalf("after cancelled calls: %v", err)
	}
	want, err := f.Call(t.Context(), godwit.Args{"next": godwit.File(path), "starts": starts[:10], "steps": 4096})
	if err != nil || res.String() != want.String() {
		t.Errorf("got %v, want %v (%v)", res, want, err)
	}
}

func TestClusterGenerated(t *testing.T) {
	c := started(t, 3)
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := generate.NPY(t.Context(), path, num.F32, []int64{6_000_011}, 5); err != nil {
		t.Fatal(err)
	}
	f := fn(t, `fn f(v: &[f32; N]) -> f32 { v.sum() }`)
	want := call[float32](t, f, godwit.Args{"v": godwit.File(path)})
	for _, by := range []string{"blocks", "rows"} {
		stored(t, c, path, by, godwit.LoadOptions{Shards: 7, By: by})
		for _, s := range []godwit.Strategy{godwit.Auto, godwit.Ship, godwit.Fetch} {
			res, err := f.Call(t.Context(), godwit.Args{"v": godwit.DataSet(by)}, godwit.WithCluster(c), godwit.WithStrategy(s))
			if err != nil {
				t.Errorf("%s, %s: %v", by, s, err)
				continue
			}
			if got, err := godwit.As[float32](res); err != nil || got != want {
				t.Errorf("%s, %s: %v (%v), want %v", by, s, got, err, want)
			}
			beside := strings.Contains(strings.Join(res.Stats().Places, "\n"), "beside 7 shards of @"+by)
			if beside != (s != godwit.Fetch) {
				t.Errorf("%s, %s ran at %q", by, s, res.Stats().Places)
			}
		}
	}
}

// reports are what the nodes say about themselves.
func reports(t *testing.T, c *godwit.Cluster) []daemon.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	nodes, err := c.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]daemon.Report, len(nodes))
	for i, n := range nodes {
		if n.Error != "" {
			t.Fatalf("%s: %s", n.Name, n.Error)
		}
		if err := json.Unmarshal(n.Report, &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
