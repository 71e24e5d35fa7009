package control

import (
	"reflect"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// testDrain: a mark shows in views, outlives the node's life, and goes when it is taken back.
func testDrain(t *testing.T, w world) {
	c := w.open()
	views := must[<-chan *catalog.View](t)(w.open().Watch(within(t)))
	a, b := join(t, c, "a"), join(t, c, "b")
	marked := func(v *catalog.View) bool { n, ok := v.Node(a.Peer()); return ok && n.Draining }
	check(t, c.Drain(within(t), named(t, "a"), true))
	v := until(t, views, marked)
	if n, _ := v.Node(b.Peer()); n.Draining {
		t.Error("another node is marked too")
	}
	w.expire(a.Peer())
	until(t, views, func(v *catalog.View) bool { _, ok := v.Node(a.Peer()); return !ok })
	join(t, c, "a")
	until(t, views, func(v *catalog.View) bool { _, ok := v.Node(a.Peer()); return ok })
	if v := must[*catalog.View](t)(c.View(within(t))); !marked(v) {
		t.Error("the mark went with the node's life")
	}
	check(t, c.Drain(within(t), named(t, "a"), false))
	until(t, views, func(v *catalog.View) bool { _, ok := v.Node(a.Peer()); return ok && !marked(v) })
	refused[*UnknownError](t, c.Drain(within(t), named(t, "nobody"), true))
}

// testAway: a node whose life is over is named, until it is back or nobody waits for it.
func testAway(t *testing.T, w world) {
	c := w.open()
	views := must[<-chan *catalog.View](t)(w.open().Watch(within(t)))
	a := join(t, c, "a")
	name := named(t, "a") // other tests have nodes here, too
	is := func(want bool) func(*catalog.View) bool {
		return func(v *catalog.View) bool {
			_, alive := v.Node(a.Peer())
			return !(want && alive) && want == slices.Contains(v.Away, catalog.Away{Peer: a.Peer(), Name: name})
		}
	}
	gone, back := is(true), is(false)
	until(t, views, back)
	w.expire(a.Peer())
	until(t, views, gone)
	if v := must[*catalog.View](t)(c.View(within(t))); !gone(v) {
		t.Errorf("who asks later is told of %v", v.Away)
	}
	join(t, c, "a")
	until(t, views, back)
	w.expire(a.Peer())
	until(t, views, gone)
	check(t, c.Drain(within(t), name, true))
	until(t, views, back)
	check(t, c.Drain(within(t), name, false))
	if v := must[*catalog.View](t)(c.View(within(t))); !back(v) {
		t.Errorf("%v is waited for", v.Away)
	}
	join(t, c, "a")
	w.expire(a.Peer())
	until(t, views, gone)
}

// A view survives its text.
func TestViewText(t *testing.T) {
	t.Parallel()
	set := example
	set.Shards = append([]catalog.Shard(nil), set.Shards...)
	set.Shards[0].Replicas = []catalog.Peer{2}
	list, err := trust.List{}.RevokeCertificate("00112233445566aa")
	check(t, err)
	v := &catalog.View{Revision: 9, Trust: list, Away: []catalog.Away{{Peer: 2, Name: "c"}}, Sets: []catalog.Set{set},
		Nodes: []catalog.Node{{Peer: 1, Name: "a", Address: "a:1", Metrics: "a:2", Arch: "amd64", Incarnation: 3, Draining: true}, {Peer: 4, Name: "b"}}}
	got := must[*catalog.View](t)(DecodeView(EncodeView(v)))
	if !reflect.DeepEqual(got, v) {
		t.Errorf("%+v became %+v", v, got)
	}
	if s := must[*catalog.Set](t)(ReadSet(AppendSet(&example))); !reflect.DeepEqual(*s, example) {
		t.Errorf("%+v became %+v", example, *s)
	}
	for _, bad := range []string{``, `{}`, `{"format":1,"nodes":[{"peer":2},{"peer":1}]}`, `{"format":1,"sets":[{"id":1,"record":{}}]}`} {
		if _, err := DecodeView([]byte(bad)); err == nil {
			t.Errorf("%s is a view", bad)
		}
	}
}
