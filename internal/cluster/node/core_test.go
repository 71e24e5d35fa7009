package node

import (
	"encoding/binary"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// arrived gives a core a Walk of one state that wants row 10, as a preinstalled
// function's, and returns the job that runs it.
func arrived(t *testing.T, c *Core, raw []byte) *Start {
	t.Helper()
	raw[1] = byte(parcel.Builtin)
	out := c.Step(0, &Received{From: client, Bytes: raw})
	if len(out) != 1 {
		t.Fatalf("%d effects, expected the start of a job", len(out))
	}
	return out[0].(*Start)
}

// What is passed on whole is not copied; what was replaced or reordered is
// encoded anew, with the same meaning.
func TestForwardInPlace(t *testing.T) {
	for _, test := range []struct {
		name   string
		edit   func(b *parcel.Batch) *parcel.Batch
		whole  bool
		faults int
	}{
		{"in place", func(b *parcel.Batch) *parcel.Batch {
			binary.LittleEndian.PutUint64(b.Values[0], 77)
			return b
		}, true, 0},
		{"a column replaced", func(b *parcel.Batch) *parcel.Batch {
			b.Values[0] = binary.LittleEndian.AppendUint64(nil, 77)
			return b
		}, false, 0},
		{"another batch", func(b *parcel.Batch) *parcel.Batch {
			b.Faults = []parcel.Fault{{Site: 1, Place: 2}} // as if they had come along
			other := b.Pick([]int{0})
			other.Faults = nil
			binary.LittleEndian.PutUint64(other.Values[0], 77)
			return other
		}, false, 1},
	} {
		c := New(1, roomy)
		c.Step(0, &Learned{View: halves()})
		raw := walkParcel(1, []byte("kernel"), 10)
		s := arrived(t, c, raw)
		out := c.Step(5, &Advanced{Ended: Ended{Job: s.Job}, Batch: test.edit(s.Work.(*Advance).Batch), Steps: 1})
		send := out[0].(*Send)
		h, _, payload, err := parcel.ReadHeader(send.Bytes)
		if err != nil || h.Hops != 4095 || h.Left != 10_000_000-5 || h.Caller != client || h.Flags != parcel.Builtin {
			t.Errorf("%s: header %+v, %v", test.name, h, err)
		}
		b := new(parcel.Batch)
		err = parcel.ReadBatch(b, payload)
		if err != nil || b.States != 1 || b.Want(0) != 77 || !slices.Equal(b.Sizes, []int64{100}) || len(b.Faults) != test.faults {
			t.Errorf("%s: batch %+v, %v", test.name, b, err)
		}
		if same := &send.Bytes[0] == &raw[0]; same != test.whole {
			t.Errorf("%s: the received bytes are passed on: %v", test.name, same)
		}
	}
}

// Kernels with the same first eight bytes cannot be made; so one is put there.
func TestSecondKernelWithOnePrefix(t *testing.T) {
	c := New(1, roomy)
	known := &code{prefix: prefixOf("A"), bytes: []byte("another"), id: kernel.ID{1}, ready: true}
	c.codes.byPrefix[known.prefix] = known
	c.codes.touch(known)
	c.codes.idle++
	out := c.Step(0, &Received{From: client, Bytes: parcelOf(argsOf(t, "kind=run request=1 code=A carries"))})
	text := newScript().show(out[0])
	if len(out) != 1 || !strings.Contains(text, "refused: the kernel "+kernel.Hash(codeOf("A")).String()+" has the same first eight bytes as 01") {
		t.Errorf("%d effects, first %s", len(out), text)
	}
	if string(known.bytes) != "another" || c.parcels != 0 {
		t.Error("the refused parcel left something behind")
	}
}

// Of requests that have left, only so many are remembered, the newest ones.
func TestRememberedAreFew(t *testing.T) {
	limits := roomy
	limits.Parcels = 4
	c := New(1, limits)
	c.Step(0, &Learned{View: halves()})
	arrived(t, c, walkParcel(1, []byte("kernel"), 10))
	const many = 3 * remembered
	for i := range uint64(many) {
		raw := walkParcel(2+i, []byte("kernel"), 60)
		raw[1] = byte(parcel.Builtin)
		if out := c.Step(0, &Received{From: client, Bytes: raw}); len(out) != 1 {
			t.Fatalf("%d effects", len(out))
		}
		if n := len(c.requests); n > limits.Parcels+remembered {
			t.Fatalf("%d requests are known", n)
		}
	}
	if c.requests[name{client, 1}] == nil || c.requests[name{client, many + 1}] == nil || c.requests[name{client, 2}] != nil {
		t.Error("the request in hand and the newest one must be known, the oldest must not")
	}
	if n := c.Status().Remembered; n != len(c.requests)-1 {
		t.Errorf("the status says that %d of %d are remembered", n, len(c.requests)-1)
	}
}

// An answer that no parcel can hold is a refusal.
func TestAnswerTooLong(t *testing.T) {
	c := New(1, roomy)
	out := c.Step(0, &Received{From: client, Bytes: parcelOf(argsOf(t, "kind=read request=1"))})
	out = c.Step(0, &Answered{Ended: Ended{Job: out[0].(*Start).Job}, Answer: &parcel.Answer{Columns: [][]byte{make([]byte, parcel.MaxBytes)}}})
	if text := newScript().show(out[0]); len(out) != 1 || !strings.Contains(text, "last") || !strings.Contains(text, "refused: the answer is longer") {
		t.Errorf("%d effects, first %s", len(out), text)
	}
	if left := c.leftovers(); left != "" {
		t.Error(left)
	}
}

// When the states that are done make an answer that no parcel can hold, the
// request has ended, and the others do not travel on.
func TestStatesTooLong(t *testing.T) {
	c := New(1, Limits{Parcels: 1, Bytes: parcel.MaxBytes, Steps: 1, Turns: 1, Codes: 2, Jobs: 1, Retry: 1, RegionBytes: 1})
	c.Step(0, &Learned{View: halves()})
	b := parcel.Batch{Set: 7, Kinds: []byte{byte(num.I64), byte(num.I64)}, Keep: 3, States: (parcel.MaxBytes - 60) / 16}
	b.Values = [][]byte{make([]byte, 8*b.States), make([]byte, 8*b.States)}
	h := parcel.Header{Kind: parcel.Walk, Flags: parcel.Builtin, Hops: 9, Left: 1e6, Request: 1, Caller: client, Code: 1}
	s := c.Step(0, &Received{From: client, Bytes: b.Append(h.Append(nil, nil))})[0].(*Start)
	f := &Advanced{Ended: Ended{Job: s.Job}, Batch: s.Work.(*Advance).Batch}
	for i := range f.Batch.States {
		binary.LittleEndian.PutUint64(f.Batch.Values[0][8*i:], ^uint64(0)) // done
	}
	binary.LittleEndian.PutUint64(f.Batch.Values[0], 60) // at node 2
	for site := range uint32(100) {                      // these make the answer too long
		f.Faults = append(f.Faults, parcel.Fault{Site: site, Place: 1})
	}
	out := c.Step(0, f)
	if len(out) != 1 {
		t.Fatalf("%d effects, expected a failure alone", len(out))
	}
	if text := newScript().show(out[0]); !strings.Contains(text, "last") || !strings.Contains(text, "refused: the states' answer is longer") {
		t.Errorf("%.300s", text)
	}
	if left := c.leftovers(); left != "" {
		t.Error(left)
	}
}

// States that fill a parcel cannot go back with a reason; then the request ends.
func TestGiveBackTooLong(t *testing.T) {
	limits := roomy
	limits.Parcels = 1
	c := New(1, limits)
	c.Step(0, &Learned{View: halves()})
	arrived(t, c, walkParcel(1, []byte("kernel"), 10))
	b := parcel.Batch{Set: 7, Kinds: []byte{byte(num.I64), byte(num.I64)}, Keep: 2, States: (parcel.MaxBytes - 60) / 16}
	b.Values = [][]byte{make([]byte, 8*b.States), make([]byte, 8*b.States)}
	h := parcel.Header{Kind: parcel.Walk, Flags: parcel.Builtin, Left: 1e6, Request: 2, Caller: client, Code: 1}
	out := c.Step(0, &Received{From: client, Bytes: b.Append(h.Append(nil, nil))})
	if text := newScript().show(out[0]); !strings.Contains(text, "last") || !strings.Contains(text, "busy") || strings.Contains(text, "states=") {
		t.Errorf("%.300s", text)
	}
}

// A merged parcel stays far below what a parcel may be.
func TestTogetherBytes(t *testing.T) {
	limits := roomy
	limits.Jobs, limits.Bytes, limits.Turns = 1, 1<<30, 1<<20
	c := New(1, limits)
	c.Step(0, &Learned{View: halves()})
	arrived(t, c, walkParcel(1, []byte("kernel"), 10))
	for i := range 3 {
		b := parcel.Batch{Set: 7, Kinds: []byte{byte(num.I64), byte(num.I64)}, Keep: 2, States: togetherBytes / 16 / 2}
		b.Values = [][]byte{make([]byte, 8*b.States), make([]byte, 8*b.States)}
		h := parcel.Header{Kind: parcel.Walk, Flags: parcel.Builtin, Left: 1e6, Request: 2, Caller: client, Code: 1}
		if out := c.Step(int64(i), &Received{From: client, Bytes: b.Append(h.Append(nil, nil))}); len(out) != 0 {
			t.Fatalf("%d effects although a job runs", len(out))
		}
	}
	if n := c.lanes[working].queued; n != 2 {
		t.Errorf("%d jobs wait, expected that two parcels of three share one", n)
	}
}

// States that part and meet again on one node do not make their parcel count
// more each time.
func TestPartAndMeet(t *testing.T) {
	limits := roomy
	limits.Jobs = 1
	c := New(1, limits)
	v := halves()
	v.Sets[0].Shards[1].Replicas = []catalog.Peer{1}
	c.Step(0, &Learned{View: v})
	out := c.Step(0, &Received{From: client, Bytes: parcelOf(argsOf(t, "kind=walk code=A builtin states=0:10,1:10,2:60,3:60"))})
	for i := range 200 {
		s := out[len(out)-1].(*Start)
		b := s.Work.(*Advance).Batch
		for k := range b.States { // some go to the other shard and some stay
			binary.LittleEndian.PutUint64(b.Values[0][8*k:], uint64(10+50*((i+k)%2)))
		}
		out = c.Step(0, &Advanced{Ended: Ended{Job: s.Job}, Batch: b, Steps: 1})
		if h := c.jobs[c.lastJob].errand.(*advancing).cargo.from[0]; h.refs > 4 {
			t.Fatalf("round %d: four states have %d references to their parcel", i, h.refs)
		}
	}
}

// A number of an earlier life's request is not used again.
func TestNumbersOfLives(t *testing.T) {
	numbers := map[uint64]bool{}
	for life := range int64(3) {
		c := New(1, roomy)
		v := halves()
		v.Nodes[0].Incarnation = 1 + life
		c.Step(0, &Learned{View: v})
		for i := range 4 {
			text := "kind=fan code=A builtin pieces=2:0-1 request=" + string(rune('1'+i))
			out := c.Step(0, &Received{From: client, Bytes: parcelOf(argsOf(t, text))})
			h, _, _, err := parcel.ReadHeader(out[0].(*Send).Bytes)
			if err != nil || h.Caller != 1 || numbers[h.Request] {
				t.Fatalf("life %d: header %+v, %v", life, h, err)
			}
			numbers[h.Request] = true
		}
	}
}

// Whoever holds a piece's shard stands in for an owner that is gone, this node
// first.
func TestStandIn(t *testing.T) {
	c := New(1, roomy)
	v := halves()
	v.Nodes = append(v.Nodes, catalog.Node{Peer: 3}, catalog.Node{Peer: 4}, catalog.Node{Peer: 5})
	v.Sets[0].Shards = []catalog.Shard{
		{Lo: 0, Hi: 25, Replicas: []catalog.Peer{2, 4, 1}}, {Lo: 25, Hi: 50, Replicas: []catalog.Peer{2, 8, 5, 4}}, {Lo: 50, Hi: 100, Replicas: []catalog.Peer{2}}}
	c.Step(0, &Learned{View: v})
	c.Step(0, &Gone{Peer: 2})
	for _, test := range []struct {
		owner      catalog.Peer
		set, shard uint32
		want       catalog.Peer
	}{
		{1, 7, 2, 1}, {4, 7, 0, 4}, {3, 7, 1, 3}, // reachable, whatever it holds
		{2, 7, 0, 1}, {9, 7, 0, 1}, // gone, and not in the view
		{2, 7, 1, 5}, {9, 7, 1, 5}, // 8 is not alive
		{2, 7, 2, 0}, {2, 7, 3, 0}, {2, 8, 0, 0}, {2, 7, 1 << 31, 0},
	} {
		p := &parcel.Piece{Owner: test.owner, Shard: test.shard}
		if got := c.holder(p, test.set); got != test.want {
			t.Errorf("a piece of node %d beside shard %d of set %d goes to %d, expected %d", test.owner, test.shard, test.set, got, test.want)
		}
	}
}

// What a node trusts stays small: nothing that reads or checks programs.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/godwit-run/godwit/internal/cluster/parcel") {
		t.Fatalf("parcel is not among %d packages", len(deps))
	}
	for _, p := range []string{"syntax", "types", "graph", "elaborate", "lower", "compile"} {
		if slices.Contains(deps, "github.com/godwit-run/godwit/"+p) {
			t.Errorf("node reaches %s", p)
		}
	}
}

// FuzzReceive: whatever bytes come, from whomever, nothing is left when time has
// passed.
func FuzzReceive(f *testing.F) {
	for _, text := range words {
		if text != "kind=walk" {
			f.Add(parcelOf(argsOf(f, text)), uint32(client))
		}
	}
	f.Add(parcelOf(argsOf(f, "kind=walk code=A carries states=0:10,1:50")), uint32(2))
	f.Add(parcelOf(argsOf(f, "kind=cancel")), uint32(2))
	f.Fuzz(func(t *testing.T, raw []byte, from uint32) {
		c := New(1, roomy)
		c.Step(0, &Learned{View: halves()})
		running := c.Step(0, &Received{From: catalog.Peer(from), Bytes: raw})
		for n := 0; len(running) > 0 && n < 1000; n++ {
			if s, ok := running[0].(*Start); ok {
				running = append(running, c.Step(int64(n), plainEnd(s))...)
			}
			running = running[1:]
		}
		c.Step(1<<33, &Tick{})
		if left := c.leftovers(); left != "" {
			t.Error(left)
		}
	})
}

// plainEnd ends a job as its work ends, after very many steps.
func plainEnd(s *Start) Finished {
	end := Ended{Job: s.Job}
	switch w := s.Work.(type) {
	case *Advance:
		return &Advanced{Ended: end, Batch: w.Batch, Steps: 1 << 39}
	case *Compile, *Install:
		return &Compiled{Ended: end}
	case *Native:
		return &Called{Ended: end}
	}
	return &Answered{Ended: end, Answer: &parcel.Answer{}}
}

// A job that ends as another kind of work does fails its request.
func TestEndOfAnotherKind(t *testing.T) {
	for _, text := range []string{"kind=run code=A carries lo=0 hi=2", "kind=run code=A builtin", "kind=read", "kind=status",
		"kind=send code=P carries bytes=x", "kind=walk code=A builtin states=0:10"} {
		c := New(1, roomy)
		c.Step(0, &Learned{View: halves()})
		running := c.Step(0, &Received{From: client, Bytes: parcelOf(argsOf(t, text))})
		failed := false
		for n := 0; len(running) > 0 && n < 100; n++ {
			switch e := running[0].(type) {
			case *Start:
				var end Finished = &Advanced{Ended: Ended{Job: e.Job}}
				if _, ok := e.Work.(*Advance); ok {
					end = &Compiled{Ended: Ended{Job: e.Job}}
				}
				running = append(running, c.Step(0, end)...)
			case *Send:
				failed = failed || strings.Contains(newScript().show(e), "the job ended with a *node.")
			}
			running = running[1:]
		}
		if left := c.leftovers(); left != "" || !failed {
			t.Errorf("%s: failed: %t; %s", text, failed, left)
		}
	}
}

// Kernels that wait to be recalled are no more than can be known.
func TestRecallIsBounded(t *testing.T) {
	limits := roomy
	limits.Jobs, limits.Codes = 1, 3
	c := New(1, limits)
	c.Step(0, &Learned{View: halves()})
	if out := c.Step(0, &Received{From: client, Bytes: parcelOf(argsOf(t, "kind=run code=A carries request=1"))}); len(out) != 1 {
		t.Fatalf("%d effects, expected that a kernel is compiled", len(out))
	}
	for i := range byte(9) {
		b := []byte{i}
		if out := c.Step(0, &Remember{ID: kernel.Hash(b), Bytes: b}); len(out) != 0 {
			t.Fatalf("%d effects although a job runs", len(out))
		}
	}
	if n := len(c.recalled); n != limits.Codes-1 {
		t.Errorf("%d kernels wait to be recalled, expected %d beside the one that is compiled", n, limits.Codes-1)
	}
}
