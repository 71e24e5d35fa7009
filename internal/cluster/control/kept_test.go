package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// counted counts how often all records are read, and may have watches that bring nothing.
type counted struct {
	records
	whole atomic.Int32
	mute  bool
}

func (c *counted) read(ctx context.Context, keys ...string) ([]record, int64, error) {
	if slices.Contains(keys, viewPrefix) {
		c.whole.Add(1)
	}
	return c.records.read(ctx, keys...)
}

func (c *counted) watch(ctx context.Context, prefix string, after int64) log {
	if c.mute {
		return muteLog{}
	}
	return c.records.watch(ctx, prefix, after)
}

type muteLog struct{}

func (muteLog) next(ctx context.Context) ([]record, int64, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}
func (muteLog) progress(context.Context) {}

func countedOver(t *testing.T, rec records, mute bool) (*registry, *counted) {
	c := &counted{records: rec, mute: mute}
	g := newRegistry(c, Options{})
	t.Cleanup(g.cancel)
	return g, c
}

// wide is a set with a record of 0.9 MiB, as a client may have it written for one row.
func wide(id uint32) *catalog.Set {
	s := &catalog.Set{ID: id, Name: fmt.Sprint("wide", id), Rows: 1, By: "blocks", Shards: []catalog.Shard{{Hi: 1, Bytes: 482, Assigned: []catalog.Peer{1}}}}
	for i := range maxColumns {
		s.Columns = append(s.Columns, catalog.Column{Name: fmt.Sprintf("%0195d", i), Stored: "int8"})
	}
	return s
}

// Views of a large catalogue read the records whole once, for the watch.
func TestManyViews(t *testing.T) {
	t.Parallel()
	const sets, views = 60, 50
	m := NewMemory()
	text := encodeSet(wide(1))
	for id := range uint32(sets) {
		value := []byte(strings.Replace(string(text), `"wide1"`, fmt.Sprintf(`"wide%d"`, id+1), 1))
		_, _, err := m.rec.commit(within(t), nil, []change{{key: numbered(setPrefix, id+1), value: value}})
		check(t, err)
	}
	g, c := countedOver(t, m.rec, false)
	began := time.Now()
	first := <-must[<-chan *catalog.View](t)(g.Watch(within(t)))
	t.Logf("%d records of %d bytes are read and decoded in %v", len(first.Sets), len(text), time.Since(began))
	began = time.Now()
	for range views {
		must[uint32](t)(m.Allocate(within(t))) // the records go on, and no view changes
		if v := must[*catalog.View](t)(g.View(within(t))); len(v.Sets) != sets {
			t.Fatalf("%d sets, expected %d", len(v.Sets), sets)
		}
	}
	if took := time.Since(began); took > 20*time.Second || c.whole.Load() > 1 {
		t.Errorf("%d views took %v, and all records were read %d times", views, took, c.whole.Load())
	}
}

// The next view of another node has what was written, and so has one after writes that no view
// shows; in etcd, by one watch.
func TestFreshViews(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Name: "one"})
	writer := dial(t, Options{}, s)
	a := join(t, writer, "a")
	for name, reader := range map[string]Control{"over the network": dial(t, Options{}, s), "in the process": s.Control()} {
		g, c := countedOver(t, reader.(*registry).rec, false)
		must[<-chan *catalog.View](t)(g.Watch(within(t)))
		const rounds = 30
		var took []time.Duration
		for i := range rounds {
			check(t, writer.Drain(within(t), named(t, "a"), i%2 == 0))
			for range 2 {
				asked := time.Now()
				v := must[*catalog.View](t)(g.View(within(t)))
				took = append(took, time.Since(asked))
				if n, ok := v.Node(a.Peer()); !ok || n.Draining != (i%2 == 0) {
					t.Fatalf("%s: view %d is older than the change", name, i)
				}
				must[uint32](t)(writer.Allocate(within(t)))
			}
		}
		slices.Sort(took)
		t.Logf("%s: a view takes %v in the median, %v at worst", name, took[len(took)/2], took[len(took)-1])
		if n := c.whole.Load(); n != 1 {
			t.Errorf("%s: all records were read %d times", name, n)
		}
	}
}

// Where the watch brings nothing, all is read, by one for those who ask at the same time.
func TestViewWithoutNews(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	g, c := countedOver(t, m.rec, true)
	must[<-chan *catalog.View](t)(g.Watch(within(t)))
	a := join(t, m, "a")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if v, err := g.View(within(t)); err != nil {
				t.Error(err)
			} else if _, ok := v.Node(a.Peer()); !ok {
				t.Error("the view is an old one")
			}
		})
	}
	wg.Wait()
	if n := c.whole.Load(); n != 2 {
		t.Errorf("all records were read %d times, expected once for the watch and once for the views", n)
	}
}

// Records that began anew are not taken for those that are kept.
func TestViewOfNewRecords(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	join(t, m, "a")
	g, c := countedOver(t, m.rec, false)
	old := must[*catalog.View](t)(g.View(within(t)))
	anew := NewMemory()
	b := join(t, anew, "b")
	c.records = anew.rec
	v := must[*catalog.View](t)(g.View(within(t)))
	if n, ok := v.Node(b.Peer()); v.Records == old.Records || !ok || n.Name != named(t, "b") {
		t.Errorf("the view is %+v", v)
	}
}
