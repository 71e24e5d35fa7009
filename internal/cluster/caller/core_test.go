package caller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"pgregory.net/rapid"
)

// storm drives a core with inputs in any order and checks after each what
// always holds.
type storm struct {
	t         *rapid.T
	core      *Core
	now       int64
	open      map[ID]int64 // deadlines
	delivered map[ID]bool
	heard     [][]byte // parcels that the core has sent
	trace     strings.Builder
	next      ID
	revision  int64
}

func (s *storm) step(in Input) {
	for _, e := range s.core.Step(s.now, in) {
		switch e := e.(type) {
		case *Send:
			if _, err := parcel.Decode(e.Bytes); err != nil {
				s.t.Fatalf("sends what cannot be read: %v", err)
			}
			s.heard = append(s.heard, slices.Clone(e.Bytes))
			fmt.Fprintf(&s.trace, "%d %x\n", e.To, e.Bytes)
		case *Deliver:
			if _, ok := s.open[e.ID]; !ok || s.delivered[e.ID] {
				s.t.Fatalf("delivers %d, which is not open", e.ID)
			}
			if (e.Answer == nil) == (e.Err == nil) {
				s.t.Fatalf("delivers %v and %v", e.Answer, e.Err)
			}
			delete(s.open, e.ID)
			s.delivered[e.ID] = true
			fmt.Fprintf(&s.trace, "deliver %d %v %+v\n", e.ID, e.Err, e.Stats)
		}
	}
	for id, deadline := range s.open {
		if deadline <= s.now {
			s.t.Fatalf("operation %d is open after its deadline", id)
		}
	}
}

func (s *storm) view() *catalog.View {
	s.revision++
	v := &catalog.View{Revision: s.revision - int64(rapid.IntRange(0, 2).Draw(s.t, "old"))}
	for p := catalog.Peer(1); p <= 3; p++ {
		if rapid.IntRange(0, 4).Draw(s.t, "alive") > 0 {
			v.Nodes = append(v.Nodes, catalog.Node{Peer: p, Name: fmt.Sprint("n", p), Incarnation: int64(rapid.IntRange(1, 2).Draw(s.t, "life"))})
		}
	}
	v.Sets = []catalog.Set{{ID: 1, Name: "s", Rows: 30}}
	for i, assigned := range [][]catalog.Peer{{1, 2}, {2}, {3, 1}} {
		sh := catalog.Shard{Lo: int64(10 * i), Hi: int64(10*i + 10), Assigned: assigned}
		for _, n := range v.Nodes {
			if rapid.IntRange(0, 9).Draw(s.t, "holds") < 8 == slices.Contains(assigned, n.Peer) {
				sh.Replicas = append(sh.Replicas, n.Peer)
			}
		}
		v.Sets[0].Shards = append(v.Sets[0].Shards, sh)
	}
	return v
}

func (s *storm) operation() Input {
	s.next++
	left := int64(rapid.IntRange(0, 5_000_000).Draw(s.t, "left"))
	s.open[s.next] = s.now + left
	if left == 0 {
		s.open[s.next] = s.now + 1
	}
	if rapid.IntRange(0, 4).Draw(s.t, "fan") == 0 {
		tree := &parcel.Tree{Task: parcel.Task{Set: 1, Operands: []parcel.Operand{{How: parcel.Out}}}}
		for i, shard := range rapid.SliceOfN(rapid.Uint32Range(0, 3), 0, 4).Draw(s.t, "pieces") {
			tree.Pieces = append(tree.Pieces, parcel.Piece{Shard: shard, Lo: int64(i), Hi: int64(i) + 1, Outs: []parcel.Extent{{First: int64(i), Count: 1}}})
		}
		return &Fan{ID: s.next, Code: code("f"), Tree: tree, Left: left}
	}
	if rapid.Bool().Draw(s.t, "walk") {
		wants := rapid.SliceOfN(rapid.Int64Range(-2, 30), 0, 4).Draw(s.t, "wants")
		return &Walk{ID: s.next, Code: code("w"), Batch: batch(1, wants, nil), Left: left}
	}
	return &Ask{ID: s.next, Kind: parcel.Run, Code: code(rapid.SampledFrom([]string{"", "k", "l"}).Draw(s.t, "code") + "x"), Left: left,
		Set: 1, Shard: rapid.IntRange(-1, 3).Draw(s.t, "shard"), To: catalog.Peer(rapid.IntRange(0, 3).Draw(s.t, "to"))}
}

// reply answers something that was sent, in any way a node might, or worse.
func (s *storm) reply() Input {
	from := catalog.Peer(rapid.IntRange(1, 3).Draw(s.t, "from"))
	if len(s.heard) == 0 {
		return &Received{From: from, Bytes: rapid.SliceOf(rapid.Byte()).Draw(s.t, "garbage")}
	}
	asked, err := parcel.Decode(rapid.SampledFrom(s.heard).Draw(s.t, "to what"))
	if err != nil {
		s.t.Fatal(err)
	}
	p := parcel.Parcel{Header: parcel.Header{Kind: parcel.Result, Request: asked.Request, Caller: self, Code: asked.Header.Code}}
	given := batch(1, []int64{rapid.Int64Range(-1, 29).Draw(s.t, "want")}, []int64{rapid.Int64Range(0, 3).Draw(s.t, "id")})
	switch rapid.IntRange(0, 5).Draw(s.t, "answer") {
	case 0:
		p.Payload = (&parcel.Answer{Columns: [][]byte{{1}}}).Append(nil)
	case 1:
		p.Payload = (&parcel.Answer{States: 1, Columns: given.Values[1:]}).Append(nil)
	case 2, 3:
		f := parcel.Failure{Reason: parcel.Reason(rapid.IntRange(1, int(parcel.Internal)).Draw(s.t, "reason")), Node: from, Set: 1, Shard: int32(rapid.IntRange(-1, 3).Draw(s.t, "shard"))}
		if rapid.Bool().Draw(s.t, "states") {
			f.States = given
		}
		p.Kind, p.Payload = parcel.Fail, f.Append(nil)
	case 4:
		p.Kind = parcel.NeedCode
	case 5:
		p.Payload = rapid.SliceOf(rapid.Byte()).Draw(s.t, "garbage")
	}
	b, err := p.Append(nil)
	if err != nil { // without a kernel there is none to ask for
		b = nil
	}
	return &Received{From: from, Bytes: b}
}

func (s *storm) input() Input {
	switch rapid.IntRange(0, 9).Draw(s.t, "input") {
	case 0:
		return &Learned{s.view()}
	case 1:
		return &Gone{catalog.Peer(rapid.IntRange(1, 3).Draw(s.t, "gone"))}
	case 2:
		id := ID(rapid.IntRange(1, int(s.next)+1).Draw(s.t, "abandoned"))
		if deadline, ok := s.open[id]; ok && deadline > s.now {
			delete(s.open, id)
			s.delivered[id] = true
		}
		return &Abandon{id}
	case 3, 4:
		return s.operation()
	case 5:
		if at, ok := s.core.Next(); ok {
			s.now = max(s.now, at)
		}
		return &Tick{}
	}
	return s.reply()
}

// TestStorm: whatever happens, each operation ends once and by its deadline,
// nothing is left, and the same inputs have the same effects.
func TestStorm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var inputs []Input
		var times []int64
		s := &storm{t: rt, core: New(self, Options{First: 1}), open: map[ID]int64{}, delivered: map[ID]bool{}}
		feed := func(in Input) {
			inputs, times = append(inputs, in), append(times, s.now)
			s.step(in)
		}
		feed(&Learned{s.view()})
		for range rapid.IntRange(1, 60).Draw(rt, "inputs") {
			s.now += int64(rapid.IntRange(0, 100_000).Draw(rt, "time"))
			feed(s.input())
		}
		for range 1000 {
			at, ok := s.core.Next()
			if !ok {
				break
			}
			s.now = max(s.now, at)
			feed(&Tick{})
		}
		if len(s.open) > 0 || !s.core.Idle() {
			rt.Fatalf("%d operations are open, idle %v", len(s.open), s.core.Idle())
		}
		again := &storm{t: rt, core: New(self, Options{First: 1}), open: map[ID]int64{}, delivered: map[ID]bool{}}
		for i, in := range inputs {
			again.now = times[i]
			for id := s.next; id > 0; id-- { // what may be delivered was checked above
				again.open[id] = 1 << 62
			}
			again.step(in)
		}
		if !bytes.Equal([]byte(s.trace.String()), []byte(again.trace.String())) {
			rt.Fatal("a second run differs")
		}
	})
}

// BenchmarkWalkOne is the caller's part of a round trip of one state.
func BenchmarkWalkOne(b *testing.B) {
	c := New(self, Options{})
	c.Step(0, &Learned{&catalog.View{Revision: 1, Nodes: []catalog.Node{{Peer: 1, Incarnation: 1}},
		Sets: []catalog.Set{{ID: 1, Rows: 10, Shards: []catalog.Shard{{Hi: 10, Replicas: []catalog.Peer{1}}}}}}})
	states := batch(1, []int64{3}, []int64{0})
	result := parcel.Parcel{Header: parcel.Header{Kind: parcel.Result, Caller: self}, Payload: (&parcel.Answer{States: 1, Columns: states.Values[1:]}).Append(nil)}
	bytes, err := result.Append(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Step(int64(i), &Walk{ID: ID(i), Code: code("w"), Batch: states, Left: 1_000_000})
		result.Request = uint64(i)
		parcel.Readdress(bytes, &result.Header)
		if e := c.Step(int64(i), &Received{From: 1, Bytes: bytes}); len(e) != 1 {
			b.Fatal("not delivered")
		}
	}
}

func TestErrorsOfContexts(t *testing.T) {
	for _, c := range []struct {
		reason parcel.Reason
		is     error
		not    error
	}{{parcel.Expired, context.DeadlineExceeded, context.Canceled}, {parcel.Cancelled, context.Canceled, context.DeadlineExceeded}} {
		err := fmt.Errorf("wrapped: %w", &Error{Reason: c.reason, Shard: -1})
		if !errors.Is(err, c.is) || errors.Is(err, c.not) {
			t.Errorf("%v is not %v, or is %v", err, c.is, c.not)
		}
	}
	if errors.Is(&Error{Reason: parcel.Busy}, context.DeadlineExceeded) {
		t.Error("busy passes for a deadline")
	}
}
