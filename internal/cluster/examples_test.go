package cluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/run"
)

// example is one run of examples/*/case, with its files open.
type example struct {
	name string
	f    *compile.Func
	args compile.Args
	open map[string]data.Source // arguments that are files, by path
	file map[string]string      // the path of each such argument
	want *outcome
}

// examples reads what the examples run, and runs each on this machine alone.
func examples(t *testing.T, b *bed) []*example {
	t.Helper()
	cases, err := filepath.Glob("../../examples/*/case")
	if err != nil || len(cases) < 13 {
		t.Fatalf("found %d examples (%v)", len(cases), err)
	}
	var list []*example
	for _, path := range cases {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "run" {
				list = append(list, newExample(t, b, filepath.Dir(path), words[1:]))
			}
		}
	}
	return list
}

func newExample(t *testing.T, b *bed, dir string, words []string) *example {
	t.Helper()
	sources, err := compile.Read(filepath.Join(dir, words[0]))
	if err != nil {
		t.Fatal(err)
	}
	e := &example{name: strings.Join(words, " "), f: compiled(t, sources...), open: map[string]data.Source{}, file: map[string]string{}}
	if e.args, err = compile.ParseArgs(words[1:]); err != nil {
		t.Fatal(err)
	}
	for name, a := range e.args {
		path := filepath.Join(dir, string(a.(compile.Text)))
		if _, err := os.Stat(path); err != nil {
			continue
		}
		src, err := data.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		e.open[path], e.file[name] = src, path
		e.args[name] = compile.Table{Source: src}
	}
	if e.want, err = b.run(context.Background(), e.f, e.args, run.Options{}); err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	return e
}

// setName is the name of a file's data set.
func setName(path, cut string) string {
	dir, file := filepath.Split(path)
	return filepath.Base(dir) + "-" + strings.ReplaceAll(file, "#", "-") + "-" + cut
}

// load stores an example's files in one cut.
func (e *example) load(t *testing.T, b *bed, cut string, opt cluster.LoadOptions) {
	t.Helper()
	for path, src := range e.open {
		if _, there := b.Client.View().Named(setName(path, cut)); there {
			continue
		}
		if err := b.load(src, setName(path, cut), opt); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// run runs an example with those of its files as data sets that are wanted.
func (e *example) run(b *bed, cut string, s cluster.Strategy, wanted func(path string) bool) (*outcome, error) {
	args := compile.Args{}
	for name, a := range e.args {
		args[name] = a
	}
	for name, path := range e.file {
		if !wanted(path) {
			continue
		}
		src, err := b.Client.Open(setName(path, cut))
		if err != nil {
			return nil, err
		}
		args[name] = compile.Table{Source: src}
	}
	return b.beside(context.Background(), e.f, args, s)
}

// largest is the file with the most rows.
func (e *example) largest(path string) bool {
	for _, src := range e.open {
		if src.Rows() > e.open[path].Rows() {
			return false
		}
	}
	return true
}

func all(string) bool { return true }

// agree runs all examples in one cut, and reports how many launches of each ran
// beside shards.
func agree(t *testing.T, b *bed, list []*example, cut string, strategies ...cluster.Strategy) map[string]int64 {
	t.Helper()
	away := map[string]int64{}
	for _, e := range list {
		for _, s := range strategies {
			for which, wanted := range map[string]func(string) bool{"all": all, "the largest": e.largest} {
				got, err := e.run(b, cut, s, wanted)
				if err == nil {
					err = same(e.want, got)
				}
				if err != nil {
					t.Errorf("%s, %s, %s in the cluster: %v", e.name, s, which, err)
					continue
				}
				if s == cluster.Fetch && got.away > 0 {
					t.Errorf("%s, fetch: launches ran elsewhere:\n%s", e.name, got.places())
				}
				away[e.name] += got.away
			}
		}
	}
	return away
}

// TestExamples runs every example over data sets in several cuts: the answers
// have the bits of this machine alone.
func TestExamples(t *testing.T) {
	b := newBed(t, 5)
	list := examples(t, b)
	away := map[string]int64{}
	for _, shards := range []int{1, 2, 3, 5, 8} {
		for _, by := range []string{"blocks", "rows"} {
			cut := fmt.Sprint(by, shards)
			t.Run(cut, func(t *testing.T) {
				for _, e := range list {
					e.load(t, b, cut, cluster.LoadOptions{Shards: shards, By: by})
				}
				for name, n := range agree(t, b, list, cut, cluster.Ship, cluster.Fetch, cluster.Gather, cluster.Auto) {
					away[name] += n
				}
			})
		}
	}
	for _, e := range list {
		if away[e.name] == 0 {
			t.Errorf("%s never ran beside its shards", e.name)
		}
	}
}

// TestExamplesWithReplicas kills one node of five when every shard has two
// replicas: at first nobody knows, then its lease ends.
func TestExamplesWithReplicas(t *testing.T) {
	b := newBed(t, 5)
	list := examples(t, b)
	for _, e := range list {
		e.load(t, b, "rows5", cluster.LoadOptions{Shards: 5, Replicas: 2, By: "rows"})
	}
	agree(t, b, list, "rows5", cluster.Ship)
	dead := b.Nodes[1].Peer()
	b.Network.Change(func(now time.Duration, n *memnet.Network) { n.Crash(now, dead) })
	agree(t, b, list, "rows5", cluster.Ship)
	if !b.Control.Expire(dead) {
		t.Fatal("the node was not alive")
	}
	agree(t, b, list, "rows5", cluster.Ship, cluster.Fetch, cluster.Gather, cluster.Auto)
}
