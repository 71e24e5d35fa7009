package node

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"pgregory.net/rapid"
)

// tally is what became of a request: how often it was received, how many
// answers said that they are the last, and, of a Walk, the ids of states that
// came and that went.
type tally struct {
	kind     parcel.Kind
	received int
	last     int
	came     []int64
	went     []int64
	share    uint64 // of a Send: what was passed on or given back
	hops     uint16 // the most that a parcel of it had
	off      bool   // cancelled, its client gone, or sent twice: no exact count
}

// world throws inputs at two cores at once, which must do the same.
type world struct {
	t        *rapid.T
	cores    [2]*Core
	shows    [2]*script
	now      int64
	revision int64
	sent     [][]byte // parcels so far, to be repeated
	from     []catalog.Peer
	running  []*Start // of core 0, in order
	twins    map[JobID]*Start
	tallies  map[name]*tally
	children []parcel.Header // Fan parcels sent, to be answered
	childTo  []catalog.Peer
	next     uint64
	walking  uint64 // the last Walk's number
}

// TestRandomInputs takes more than rapid's usual number of turns, since most
// mistakes here need several things to coincide.
func TestRandomInputs(t *testing.T) {
	for range 8 {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t)
			for range rapid.IntRange(1, 200).Draw(t, "inputs") {
				w.input()
			}
			w.drain()
		})
	}
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, twins: map[JobID]*Start{}, tallies: map[name]*tally{}}
	limits := Limits{
		Parcels: rapid.IntRange(1, 24).Draw(t, "parcels"), Bytes: rapid.SampledFrom([]int64{200, 1000, 1 << 20}).Draw(t, "bytes"),
		Steps: rapid.SampledFrom([]int64{10, 100, 10_000}).Draw(t, "steps"), Turns: 4, Codes: rapid.IntRange(2, 3).Draw(t, "codes"),
		Jobs: rapid.IntRange(1, 3).Draw(t, "jobs"), Calls: rapid.IntRange(1, 2).Draw(t, "calls"), Retry: 10, RegionBytes: 1 << 20, CodeBytes: rapid.SampledFrom([]int64{12, 20, 1 << 10}).Draw(t, "code bytes"),
	}
	for i := range w.cores {
		w.cores[i] = New(1, limits)
		w.shows[i] = newScript()
	}
	w.learn()
	return w
}

// step gives an input to both cores and compares what they do. make must give
// each its own copy.
func (w *world) step(what string, make func(core int) Input) {
	var shown [2]string
	for i, c := range w.cores {
		if left := c.leftovers(); !c.Waits() && left != "" {
			w.t.Fatalf("%s: a core that waits for nothing has\n%s", what, left)
		}
		effects := c.Step(w.now, make(i))
		for _, e := range effects {
			shown[i] += w.shows[i].show(e) + "\n"
			w.note(i, e)
		}
	}
	if shown[0] != shown[1] {
		w.t.Fatalf("%s: two runs differ:\n%s\n%s", what, shown[0], shown[1])
	}
	c := w.cores[0]
	switch l := c.limits; {
	case c.overfull() != "":
		w.t.Fatalf("%s: %s", what, c.overfull())
	case c.miscounted() != "":
		w.t.Fatalf("%s: %s", what, c.miscounted())
	case c.bytes > l.Bytes || c.bytes < 0:
		w.t.Fatalf("%s: %d bytes in hand, the limit is %d", what, c.bytes, l.Bytes)
	case c.parcels > l.Parcels || c.parcels < 0:
		w.t.Fatalf("%s: %d parcels in hand, the limit is %d", what, c.parcels, l.Parcels)
	case c.codes.bytes > l.CodeBytes:
		w.t.Fatalf("%s: %d bytes of code are known, the limit is %d", what, c.codes.bytes, l.CodeBytes)
	case len(c.codes.byPrefix) > l.Codes:
		w.t.Fatalf("%s: %d kernels known, the limit is %d", what, len(c.codes.byPrefix), l.Codes)
	case c.lazy() != "":
		w.t.Fatalf("%s: %s", what, c.lazy())
	case len(c.recalled) > l.Codes:
		w.t.Fatalf("%s: %d kernels are to be recalled, the limit is %d", what, len(c.recalled), l.Codes)
	case c.stuck() != "":
		w.t.Fatalf("%s: %s", what, c.stuck())
	case c.waitsInVain() != nil:
		w.t.Fatalf("%s: states of request %d wait to leave, although no job of it runs", what, c.waitsInVain().number)
	case len(w.running) != len(c.jobs):
		w.t.Fatalf("%s: %d jobs were started and not finished, the node counts %d", what, len(w.running), len(c.jobs))
	}
}

// waitsInVain gives a request whose states wait to leave with nothing to wait
// for.
func (c *Core) waitsInVain() *request {
	for r := c.oldest; r != nil; r = r.next {
		if len(r.leaving) > 0 && !r.runs() {
			return r
		}
	}
	return nil
}

// stuck tells of a job that stays behind with nothing to wait for.
func (c *Core) stuck() string {
	gathering := 0
	for r := c.oldest; r != nil; r = r.next {
		jobs := slices.Collect(r.advancing())
		for _, j := range jobs {
			switch {
			case !j.behind:
			case j.until > 0:
				if gathering++; j.until > c.now+gatherTime || !slices.Contains(c.gathering, j) {
					return fmt.Sprintf("states of request %d gather until %d", r.number, j.until)
				}
			case !slices.ContainsFunc(jobs, func(k *advancing) bool {
				return k.work.Shard == j.work.Shard && (!k.behind || k.until > 0)
			}):
				return fmt.Sprintf("states of request %d stay behind in shard %d, where no others of it are", r.number, j.work.Shard)
			}
		}
	}
	if gathering != len(c.gathering) {
		return fmt.Sprintf("%d jobs gather, the node knows %d", gathering, len(c.gathering))
	}
	return ""
}

// note keeps the accounts of effects.
func (w *world) note(core int, e Effect) {
	switch e := e.(type) {
	case *Start:
		if core == 0 {
			w.running = append(w.running, e)
			if e.Left < 0 {
				w.t.Fatalf("job %d has %d left", e.Job, e.Left)
			}
		} else {
			w.twins[e.Job] = e
		}
	case *Send:
		if core == 0 {
			w.noteSend(e)
		}
	}
}

func (w *world) noteSend(e *Send) {
	h, _, payload, err := parcel.ReadHeader(e.Bytes)
	if err != nil {
		w.t.Fatalf("a parcel was sent that cannot be read: %v", err)
	}
	if h.Kind == parcel.Fan {
		w.children, w.childTo = append(w.children, h), append(w.childTo, e.To)
	}
	a := w.tallies[name{h.Caller, h.Request}]
	if a == nil {
		return
	}
	if h.Flags&parcel.Last != 0 {
		a.last++
	}
	if a.kind == parcel.Send {
		a.share += shareIn(w.t, &h, payload)
		return
	}
	var went *parcel.Batch
	switch h.Kind {
	case parcel.Walk:
		went = new(parcel.Batch)
		if err = parcel.ReadBatch(went, payload); err == nil && h.Hops >= a.hops {
			err = fmt.Errorf("%d hops left of %d", h.Hops, a.hops)
		}
	case parcel.Fail:
		var f *parcel.Failure
		if f, err = parcel.ReadFailure(payload); err == nil {
			went = f.States
		}
	case parcel.Result:
		var ans *parcel.Answer
		if ans, err = parcel.ReadAnswer(payload); err == nil && a.kind == parcel.Walk {
			for i := range ans.States {
				a.went = append(a.went, int64(binary.LittleEndian.Uint64(ans.Columns[0][8*i:])))
			}
		}
	}
	if err != nil {
		w.t.Fatalf("a %s was sent that is wrong: %v", h.Kind, err)
	}
	if went != nil {
		for i := range went.States {
			if i > 0 && went.ID(i) < went.ID(i-1) {
				w.t.Fatalf("states %s are not in order", showStates(went))
			}
			a.went = append(a.went, went.ID(i))
		}
	}
}

// shareIn is the share of its request that a parcel takes away.
func shareIn(t *rapid.T, h *parcel.Header, payload []byte) uint64 {
	switch {
	case h.Kind == parcel.Send:
		c, err := parcel.ReadCall(payload)
		if err != nil {
			t.Fatalf("a send was sent that is wrong: %v", err)
		}
		return c.Share
	case h.Kind == parcel.Result && h.Flags&parcel.Last == 0:
		a, err := parcel.ReadAnswer(payload)
		if err != nil || len(a.Columns) != 0 {
			t.Fatalf("the end of a run is %+v, %v", a, err)
		}
		return a.Steps
	}
	return 0
}

var words = []string{
	"kind=run code=A carries lo=0 hi=2", "kind=run code=A", "kind=run code=B", "kind=run code=B carries", "kind=run code=C carries=D",
	"kind=run code=C carries partial=A", "kind=run code=D carries partial=D along", "kind=run code=A builtin",
	"kind=read", "kind=status", "kind=put size=60", "kind=drop",
	"kind=fan code=A carries pieces=1:0-1,2:1-2,1:2-3,3:3-4", "kind=fan code=B builtin hops=0 pieces=1:0-1,1:1-2", "kind=fan code=A pieces=2:0-1,3:1-3",
	"kind=send code=P carries bytes=x", "kind=send code=P bytes=x", "kind=send code=P bytes=x", "kind=send code=Q bytes=x hops=1", "kind=send code=A bytes=x",
	"kind=walk", "kind=walk", "kind=walk", "kind=walk", "kind=walk", "kind=walk",
}

// input draws one input.
func (w *world) input() {
	w.now += rapid.Int64Range(0, 50).Draw(w.t, "pause")
	switch k := rapid.IntRange(0, 99).Draw(w.t, "input"); {
	case k < 40:
		w.request()
	case k < 75:
		w.finish()
	case k < 80:
		w.repeat()
	case k < 84:
		w.garbage()
	case k < 88:
		w.answerChild()
	case k < 92:
		w.code()
	case k < 94:
		w.cancel()
	case k < 96:
		w.gone()
	case k < 97:
		w.learn()
	case k < 98:
		w.remember()
	case k < 99 && rapid.Bool().Draw(w.t, "withdraw"):
		letter := rapid.SampledFrom([]string{"P", "Q", "A"}).Draw(w.t, "code")
		w.step("withdraw", func(int) Input { return &Withdraw{ID: kernel.Hash(codeOf(letter))} })
	default:
		w.tick(rapid.SampledFrom([]int64{0, 0, 500, 900, 5_000, 300_000, 1_000_000}).Draw(w.t, "time"))
	}
}

func (w *world) receive(from catalog.Peer, raw []byte) {
	w.sent, w.from = append(w.sent, raw), append(w.from, from)
	w.step("receive", func(int) Input { return &Received{From: from, Bytes: slices.Clone(raw)} })
}

func (w *world) request() {
	text := rapid.SampledFrom(words).Draw(w.t, "words")
	w.next++
	number := w.next
	if text == "kind=walk" {
		text = w.walk(&number)
	}
	text += fmt.Sprintf(" request=%d left=%d", number, rapid.SampledFrom([]int{0, 1_000, 20_000, 1 << 20, 1 << 20, 1 << 20, 1 << 20}).Draw(w.t, "left"))
	a := argsOf(w.t, text)
	raw := parcelOf(a)
	h, _, payload, _ := parcel.ReadHeader(raw)
	t := w.tallies[name{client, number}]
	if t == nil {
		t = &tally{kind: h.Kind}
		w.tallies[name{client, number}] = t
	}
	t.received++
	t.hops = max(t.hops, h.Hops)
	if h.Kind == parcel.Walk {
		b := new(parcel.Batch)
		if err := parcel.ReadBatch(b, payload); err != nil {
			w.t.Fatal(err)
		}
		for i := range b.States {
			t.came = append(t.came, b.ID(i))
		}
	}
	from := client
	if h.Kind == parcel.Walk && rapid.Bool().Draw(w.t, "passed on") {
		from = 2
	}
	w.receive(from, raw)
}

// wants draws a row, mostly one that is here.
func (w *world) wants() int64 {
	return rapid.SampledFrom([]int64{-1, -1, 0, 5, 10, 15, 19, 20, 25, 30, 39, 40, 45, 60, 70, 90, 99}).Draw(w.t, "want")
}

// walk draws a Walk, often of the last one's request.
func (w *world) walk(number *uint64) string {
	if w.walking != 0 && rapid.IntRange(0, 3).Draw(w.t, "another") > 0 {
		*number = w.walking
	}
	w.walking = *number
	text := "kind=walk states="
	// Sometimes so many that others gather later.
	for i := range rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(wide, 2*wide)).Draw(w.t, "states") {
		text += fmt.Sprintf("%d:%d,", rapid.Int64Range(0, 500).Draw(w.t, "id")+500*int64(i%2), w.wants())
	}
	if rapid.IntRange(0, 30).Draw(w.t, "bad") == 0 {
		text += "1000:100,"
	}
	return text + rapid.SampledFrom([]string{" code=A carries", " code=A", " code=B builtin", " code=B builtin", " code=C"}).Draw(w.t, "code") +
		fmt.Sprintf(" hops=%d", rapid.IntRange(0, 4).Draw(w.t, "hops")) +
		rapid.SampledFrom([]string{"", "", "", "", " size=99", " set=9"}).Draw(w.t, "more")
}

// finish ends a running job, mostly well.
func (w *world) finish() {
	if len(w.running) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.running)-1).Draw(w.t, "job")
	s := w.running[i]
	w.running = slices.Delete(w.running, i, i+1)
	text := fmt.Sprintf("job=%d steps=%d", s.Job, rapid.IntRange(0, 10).Draw(w.t, "steps"))
	if rapid.IntRange(0, 19).Draw(w.t, "well") == 0 {
		text += rapid.SampledFrom([]string{" fail=refused", " fail=shard-missing", " fail=busy", " bug="}).Draw(w.t, "fail")
	} else if adv, ok := s.Work.(*Advance); ok {
		text += " wants="
		for k := range adv.Batch.States {
			text += fmt.Sprintf("%d:%d,", adv.Batch.ID(k), w.wants())
		}
		text += rapid.SampledFrom([]string{"", "", " faults=1:2"}).Draw(w.t, "faults")
	} else if c, ok := s.Work.(*Compute); ok {
		text += fmt.Sprintf(" rows=%d-%d", c.Task.Lo, c.Task.Hi)
	} else if _, ok := s.Work.(*Native); ok {
		text += rapid.SampledFrom([]string{"", " reply=r", " sends=1:a", " sends=2:a", " sends=1:a,2:b,1/Q:c", " reply=r sends=1:a", " sends=9:x", " sends=1/X:x"}).Draw(w.t, "ran")
	}
	w.step("finish "+text, func(core int) Input { return w.shows[core].finish(argsOf(w.t, text)) })
}

// repeat sends an earlier parcel once more, out of order.
func (w *world) repeat() {
	if len(w.sent) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.sent)-1).Draw(w.t, "which")
	if h, _, _, err := parcel.ReadHeader(w.sent[i]); err == nil {
		if t := w.tallies[name{h.Caller, h.Request}]; t != nil {
			t.off = true
			t.received++
		}
	}
	w.receive(w.from[i], w.sent[i])
}

func (w *world) garbage() {
	raw := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(w.t, "garbage")
	if len(w.sent) > 0 && rapid.Bool().Draw(w.t, "damaged") {
		raw = slices.Clone(w.sent[rapid.IntRange(0, len(w.sent)-1).Draw(w.t, "which")])
		if len(raw) == 0 {
			return
		}
		raw[rapid.IntRange(0, len(raw)-1).Draw(w.t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(w.t, "bits"))
		raw = raw[:rapid.IntRange(0, len(raw)).Draw(w.t, "length")]
		if len(raw) >= parcel.HeaderSize { // not in the name of a request that is counted
			binary.LittleEndian.PutUint32(raw[16:], uint32(client+8))
		}
	}
	if h, _, _, err := parcel.ReadHeader(raw); err == nil && h.Left > 1<<20 {
		return // its deadline is too far away for the end of the test
	}
	w.step("garbage", func(int) Input { return &Received{From: 2, Bytes: slices.Clone(raw)} })
}

func (w *world) answerChild() {
	if len(w.children) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.children)-1).Draw(w.t, "child")
	h, to := w.children[i], w.childTo[i]
	text := fmt.Sprintf("kind=result caller=1 request=%d rows=1-2", h.Request)
	if rapid.IntRange(0, 3).Draw(w.t, "fails") == 0 {
		text = fmt.Sprintf("kind=fail caller=1 request=%d reason=busy", h.Request)
	}
	w.receive(to, parcelOf(argsOf(w.t, text)))
}

// code is a kernel, or the news that it was lost, whether asked for or not.
func (w *world) code() {
	text := "kind=code code=" + rapid.SampledFrom([]string{"A", "B", "C", "P", "Q"}).Draw(w.t, "code") +
		rapid.SampledFrom([]string{" carries", " carries", "", " carries=E"}).Draw(w.t, "carries")
	w.receive(rapid.SampledFrom([]catalog.Peer{client, 2}).Draw(w.t, "from"), parcelOf(argsOf(w.t, text)))
}

func (w *world) cancel() {
	number := w.next - min(w.next, uint64(rapid.IntRange(0, 3).Draw(w.t, "back")))
	if t := w.tallies[name{client, number}]; t != nil {
		t.off = true
	}
	w.receive(client, parcelOf(argsOf(w.t, fmt.Sprintf("kind=cancel request=%d left=10000", number))))
}

func (w *world) gone() {
	p := rapid.SampledFrom([]catalog.Peer{2, 3, client}).Draw(w.t, "peer")
	if p == client {
		for _, t := range w.tallies {
			t.off = true
		}
	}
	w.step("gone", func(int) Input { return &Gone{Peer: p} })
}

func (w *world) learn() {
	w.revision++
	nodes := rapid.SampledFrom([]string{"1@1,2@1,3@1", "1@1,2@1,3@1", "1@1,3@2", "1@1,2@3"}).Draw(w.t, "nodes")
	text := fmt.Sprintf("revision=%d nodes=%s set=7 shards=0-20:1,20-40:2+1,40-60:2,60-80:3+2,80-100:3", w.revision, nodes)
	w.step("learn", func(int) Input { return &Learned{View: viewOf(argsOf(w.t, text))} })
}

func (w *world) remember() {
	letter := rapid.SampledFrom([]string{"A", "B", "C", "P"}).Draw(w.t, "code")
	text := rapid.SampledFrom([]string{letter, letter, "D"}).Draw(w.t, "bytes")
	native := letter == "P"
	w.step("remember", func(int) Input {
		return &Remember{ID: kernel.Hash(codeOf(letter)), Native: native, Bytes: codeOf(text)}
	})
}

func (w *world) tick(after int64) {
	w.now += after
	w.step("tick", func(int) Input { return &Tick{} })
}

// drain ends everything and checks the accounts.
func (w *world) drain() {
	w.tick(0)
	for range 4 {
		for len(w.running) > 0 {
			s := w.running[0]
			w.running = w.running[1:]
			text := fmt.Sprintf("job=%d wants=", s.Job)
			if adv, ok := s.Work.(*Advance); ok {
				for k := range adv.Batch.States {
					text += fmt.Sprintf("%d:-1,", adv.Batch.ID(k))
				}
			} else {
				text = fmt.Sprintf("job=%d", s.Job)
			}
			w.step("drain "+text, func(core int) Input { return w.shows[core].finish(argsOf(w.t, text)) })
		}
		w.tick(1 << 21)
	}
	for _, c := range w.cores {
		if left := c.leftovers(); left != "" {
			w.t.Fatalf("when all is over there is\n%s", left)
		}
		if c.Waits() {
			w.t.Fatal("when all is over the core still waits for time to pass")
		}
	}
	for n, t := range w.tallies {
		slices.Sort(t.came)
		slices.Sort(t.went)
		switch {
		case t.kind == parcel.Send:
			if !t.off && t.last == 0 && t.share != parcel.Whole {
				w.t.Fatalf("request %d: no reply, and %d of the share of %d was passed on or given back", n.number, t.share, parcel.Whole)
			}
		case t.last > t.received:
			w.t.Fatalf("request %d (%s): received %d times, %d last answers", n.number, t.kind, t.received, t.last)
		case t.off:
		case t.kind != parcel.Walk && t.last != 1:
			w.t.Fatalf("request %d (%s): %d last answers", n.number, t.kind, t.last)
		case t.kind == parcel.Walk && t.last == 0 && !slices.Equal(t.came, t.went):
			w.t.Fatalf("request %d: states %v came, and %v went", n.number, t.came, t.went)
		}
	}
}
