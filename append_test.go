package godwit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

const appendProgram = `record R { k: Str, v: i64, o: Option<i64>, day: Date }
fn total(r: &[R; N]) -> (i64, i64) { (r.len(), r.sum(|e| e.v)) }
fn rows(r: &[R; N]) -> [R; N] { r.map(|e| e) }
fn texts(r: &[R; N]) -> [Str] { r.map(|e| e.k).distinct().sort() }`

// part is a file of rows, and their number and sum.
func part(t *testing.T, dir string, n, words int) (path string, sum int64) {
	t.Helper()
	var b strings.Builder
	b.WriteString("day,v,k,o\n")
	for range n {
		v := rand.Int64N(1000)
		sum += v
		o := ""
		if v%3 == 0 {
			o = fmt.Sprint(v)
		}
		fmt.Fprintf(&b, "2020-01-%02d,%d,w%d,%s\n", 1+v%28, v, rand.IntN(words), o)
	}
	path = filepath.Join(dir, fmt.Sprintf("%d.csv", rand.Uint32()))
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, sum
}

func appendSetting(t *testing.T, n int) (*godwit.Cluster, *godwit.Program) {
	t.Helper()
	c, err := godwit.LocalCluster(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	p, err := godwit.Compile(appendProgram)
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

func askSet(t *testing.T, p *godwit.Program, c *godwit.Cluster, name string, args godwit.Args) string {
	t.Helper()
	f, err := p.Func(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Call(t.Context(), args, godwit.WithCluster(c))
	if err != nil {
		t.Fatal(err)
	}
	return string(r.JSON())
}

// Rows that are added follow those that were there, with their texts among those of the set: the set is what the files are together.
func TestAppend(t *testing.T) {
	c, p := appendSetting(t, 3)
	for _, by := range []string{"blocks", "rows", "hash(k)"} {
		dir := t.TempDir()
		name := "s" + by[:1]
		var paths []string
		for i, n := range []int{700, 3, 0, 400} {
			path, _ := part(t, dir, n, 10+300*i) // the codes become wider
			paths = append(paths, path)
			opt := godwit.LoadOptions{Shards: 3, Replicas: 2, By: by}
			if i > 0 {
				opt = godwit.LoadOptions{Append: true}
			}
			l, err := c.Load(t.Context(), path, name, opt)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && (l.More == nil || l.More.Rows != int64(n) || l.More.Known || len(l.Shards[0].Assigned) != 2 || l.By != by) {
				t.Errorf("%s: %+v of %+v", by, l.More, l.Set)
			}
		}
		kind := []string{"texts", "total"}
		if by != "hash(k)" {
			kind = append(kind, "rows")
		}
		for _, f := range kind {
			got, want := askSet(t, p, c, f, godwit.Args{"r": godwit.DataSet(name)}), askSet(t, p, c, f, godwit.Args{"r": godwit.Files(paths)})
			if got != want {
				t.Errorf("%s, %s: %.200s, expected %.200s", by, f, got, want)
			}
		}
		before := askSet(t, p, c, "total", godwit.Args{"r": godwit.DataSet(name)})
		for _, path := range []string{paths[3], paths[1]} { // whose answers were lost
			l, err := c.Load(t.Context(), path, name, godwit.LoadOptions{Append: true})
			if err != nil || l.More == nil || !l.More.Known {
				t.Errorf("again: %+v, %v", l, err)
			}
		}
		if after := askSet(t, p, c, "total", godwit.Args{"r": godwit.DataSet(name)}); after != before {
			t.Errorf("rows were added twice: %s, %s", before, after)
		}
		l, err := c.Load(t.Context(), paths[1], name, godwit.LoadOptions{Append: true, Again: true})
		if err != nil || l.More.Known || l.Rows != 1106 {
			t.Errorf("wanted again: %+v, %v", l, err)
		}
	}
}

// An append that has the rows cut or kept otherwise says so, and what was before; one that asks for what is so says nothing.
func TestAppendRecuts(t *testing.T) {
	c, _ := appendSetting(t, 3)
	path, _ := part(t, t.TempDir(), 700, 10)
	if _, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Shards: 2, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		opt  godwit.LoadOptions
		want []string
	}{
		{godwit.LoadOptions{Shards: 2, Replicas: 2, By: "blocks"}, nil},
		{godwit.LoadOptions{Shards: 3, Replicas: 1, By: "hash(k)"}, []string{
			"all rows are stored with --by hash(k) now, before it was --by blocks", "all rows are stored with --shards 3 now, before it was --shards 2",
			"all rows are stored with --replicas 1 now, before it was --replicas 2"}},
	} {
		step.opt.Append, step.opt.Again = true, true
		l, err := c.Load(t.Context(), path, "s", step.opt)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.Notes, step.want) {
			t.Errorf("%+v: %q, expected %q", step.opt, l.Notes, step.want)
		}
	}
}

// Rows that several add at the same time are all added.
func TestAppendCrowd(t *testing.T) {
	c, p := appendSetting(t, 3)
	dir := t.TempDir()
	first, sum := part(t, dir, 500, 10)
	if _, err := c.Load(t.Context(), first, "s", godwit.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	rows := 500
	for i := range 8 {
		path, more := part(t, dir, 30+i, 400)
		rows, sum = rows+30+i, sum+more
		writers.Go(func() {
			if _, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if got := askSet(t, p, c, "total", godwit.Args{"r": godwit.DataSet("s")}); got != fmt.Sprintf("[%d,%d]", rows, sum) {
		t.Errorf("%s, expected %d rows with the sum %d", got, rows, sum)
	}
}

// What does not go with the set is refused, with its place, and nothing of it is left.
func TestAppendRefused(t *testing.T) {
	c, p := appendSetting(t, 2)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := c.Load(t.Context(), write("first.csv", "k,v,o,day\na,1,,2020-01-01\n"), "s", godwit.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	before := askSet(t, p, c, "rows", godwit.Args{"r": godwit.DataSet("s")})
	for _, bad := range []struct{ name, text, want string }{
		{"type.csv", "k,v,o,day\na,x,,2020-01-01\n", "type.csv:2:3: column `v`: expected an integer (i64), found \"x\""},
		{"late.csv", "k,v,o,day\n" + strings.Repeat("a,1,,2020-01-01\n", 5000) + "a,1.5,,2020-01-01\n", "late.csv:5002:3: column `v`: expected an integer (i64), found \"1.5\""},
		{"day.csv", "k,v,o,day\na,1,,soon\n", "day.csv:2:6: column `day`: expected a date such as 2001-03-14, found \"soon\""},
		{"null.csv", "k,v,o,day\na,,,2020-01-01\n", "null.csv:2:3: column `v`: expected a value, found an empty field"},
		{"few.csv", "k,v,day\na,1,2020-01-01\n", "@s has the column `o`: "},
		{"more.csv", "k,v,o,day,x\na,1,,2020-01-01,2\n", "column `x`: @s has no such column"},
		{"null.jsonl", `{"k": null, "v": 1, "o": 1, "day": "2020-01-01"}`, "column `k`: expected text, found a null: @s has none in this column"},
		{"number.jsonl", `{"k": 5, "v": 1, "o": 1, "day": "2020-01-01"}`, "column `k`: expected Str, as @s has it, found integers"},
	} {
		_, err := c.Load(t.Context(), write(bad.name, bad.text), "s", godwit.LoadOptions{Append: true})
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, expected %s", bad.name, err, bad.want)
		}
	}
	for want, opt := range map[string]godwit.LoadOptions{
		"@s lies on the disks of its nodes, and rows that are added lie where it does: leave --far out": {Append: true, Again: true, Far: true},
		"column `o`: @s has this column, so it cannot be left out":                                      {Append: true, Again: true, Skip: []string{"o"}},
	} {
		if _, err := c.Load(t.Context(), filepath.Join(dir, "first.csv"), "s", opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if _, err := c.Load(t.Context(), filepath.Join(dir, "first.csv"), "none", godwit.LoadOptions{Append: true}); err == nil || !strings.Contains(err.Error(), "the cluster has no data set @none") {
		t.Error(err)
	}
	if after := askSet(t, p, c, "rows", godwit.Args{"r": godwit.DataSet("s")}); after != before {
		t.Errorf("%s became %s", before, after)
	}
	if sets := c.View().Sets; len(sets) != 2 {
		t.Errorf("%d data sets: that of the rows and that of its texts were expected", len(sets))
	}
}

// Who reads a set while rows are added reads one of its versions, and ends without an error; of those who add at the same time each adds
// all of its rows or none.
func TestAppendWhileRead(t *testing.T) {
	c, p := appendSetting(t, 3)
	dir := t.TempDir()
	path, sum := part(t, dir, 500, 50)
	if _, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("total")
	if err != nil {
		t.Fatal(err)
	}
	known := map[[2]int64]bool{{500, sum}: true}
	var mu sync.Mutex
	var read atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				r, err := f.Call(ctx, godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c))
				if errors.Is(err, context.Canceled) {
					return
				}
				got, err2 := godwit.As[struct{ N, Sum int64 }](r)
				mu.Lock()
				ok := known[[2]int64{got.N, got.Sum}]
				mu.Unlock()
				if err != nil || err2 != nil || !ok {
					t.Errorf("a reader has %v: %v %v", got, err, err2)
					return
				}
				read.Add(1)
			}
		})
	}
	rows, all := int64(500), sum
	for range 2 {
		writers.Go(func() {
			for range 4 {
				path, more := part(t, dir, 40, 400)
				mu.Lock() // what a reader may see is known before it can
				for k := range known {
					known[[2]int64{k[0] + 40, k[1] + more}] = true
				}
				mu.Unlock()
				_, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true})
				switch {
				case err == nil:
					mu.Lock()
					rows, all = rows+40, all+more
					mu.Unlock()
				default:
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
	if got := askSet(t, p, c, "total", godwit.Args{"r": godwit.DataSet("s")}); got != fmt.Sprintf("[%d,%d]", rows, all) {
		t.Errorf("%s, expected %d rows with the sum %d", got, rows, all)
	}
	if read.Load() == 0 {
		t.Error("nobody has read meanwhile")
	}
	t.Logf("%d reads", read.Load())
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) { // the view is what was heard of last
		var names []string
		for _, s := range c.View().Sets {
			names = append(names, s.Name)
		}
		if len(names) == 2 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("data sets %v: those of older versions are gone", names)
		}
	}
}
