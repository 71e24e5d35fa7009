package node

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var update = flag.Bool("update", false, "write what the scripts print into testdata")

// TestScripts runs the scripts in testdata. A script is blocks, each a command,
// a line ----, and the effects that it must have, up to an empty line:
//
//	receive from=C1 kind=walk request=1 code=A set=7 states=0:10
//	----
//	start 1 advance A shard=0 states=0:10
//
// script.run lists the commands. Peers are numbers, and C1, C2, … for clients;
// kernels are letters; times are in microseconds.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			s := newScript()
			for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
				command, _, _ := strings.Cut(block, "\n----")
				fmt.Fprintf(&got, "%s\n----\n%s\n", command, s.run(t, command))
			}
			if *update {
				if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := strings.TrimRight(string(text), "\n"); strings.TrimRight(got.String(), "\n") != want {
				t.Errorf("%s differs; run go test -update and read the difference. It printed:\n%s", path, got.String())
			}
		})
	}
}

// script is a core with names for what it sees.
type script struct {
	c       *Core
	now     int64
	jobs    map[JobID]Work
	kernels map[kernel.ID]string
	last    []byte // the last parcel received, for `again`
	lanes   bool   // starts say who they are for
	owners  map[catalog.Peer]string
}

func newScript() *script {
	s := &script{jobs: map[JobID]Work{}, kernels: map[kernel.ID]string{}}
	for l := 'A'; l <= 'Z'; l++ {
		s.kernels[kernel.Hash(codeOf(string(l)))] = string(l)
	}
	return s
}

func codeOf(letter string) []byte { return []byte("kernel " + letter) }

func prefixOf(letter string) parcel.Prefix {
	if letter == "" {
		return 0
	}
	return parcel.PrefixOf(kernel.Hash(codeOf(letter)))
}

// fataler is what a test of any kind can do.
type fataler interface{ Fatalf(string, ...any) }

// args are the words key=value of a command.
type args struct {
	t    fataler
	m    map[string]string
	used map[string]bool
}

func argsOf(t fataler, text string) args {
	a := args{t, map[string]string{}, map[string]bool{}}
	for _, w := range strings.Fields(text) {
		k, v, _ := strings.Cut(w, "=")
		a.m[k] = v
	}
	return a
}

func (a args) str(key string) string { a.used[key] = true; return a.m[key] }

func (a args) has(key string) bool { a.used[key] = true; _, ok := a.m[key]; return ok }

func (a args) num(key string, otherwise int64) int64 {
	if !a.has(key) {
		return otherwise
	}
	n, err := strconv.ParseInt(a.m[key], 10, 64)
	if err != nil {
		a.t.Fatalf("%s=%s: %v", key, a.m[key], err)
	}
	return n
}

func (a args) peer(key string, otherwise catalog.Peer) catalog.Peer {
	if !a.has(key) {
		return otherwise
	}
	return peerOf(a.t, a.m[key])
}

func peerOf(t fataler, s string) catalog.Peer {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "C"))
	if err != nil {
		t.Fatalf("peer %q: %v", s, err)
	}
	if strings.HasPrefix(s, "C") {
		return catalog.FirstClient + catalog.Peer(n)
	}
	return catalog.Peer(n)
}

func peerName(p catalog.Peer) string {
	if p >= catalog.FirstClient {
		return fmt.Sprintf("C%d", p-catalog.FirstClient)
	}
	return strconv.Itoa(int(p))
}

// pairs splits "1:2,3:4".
func pairs(t fataler, s, sep string) (list [][2]int64) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) {
		a, b, _ := strings.Cut(w, sep)
		x, err := strconv.ParseInt(a, 10, 64)
		y, err2 := strconv.ParseInt(b, 10, 64)
		if err != nil || err2 != nil {
			t.Fatalf("%q is not a number%snumber", w, sep)
		}
		list = append(list, [2]int64{x, y})
	}
	return list
}

// run carries out one command; lines that begin with # are remarks.
func (s *script) run(t *testing.T, text string) string {
	t.Helper()
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
	words := strings.Fields(strings.Join(lines, " "))
	a := argsOf(t, strings.Join(words[1:], " "))
	s.now += a.num("after", 0)
	var effects []Effect
	switch words[0] {
	case "node":
		s.c = New(a.peer("self", 1), Limits{
			Parcels: int(a.num("parcels", 16)), Bytes: a.num("bytes", 1<<20), Steps: a.num("steps", 1000), Turns: a.num("turns", 10),
			ClientParcels: int(a.num("clientparcels", 0)), ClientBytes: a.num("clientbytes", 0), ClientKernels: int(a.num("clientkernels", 0)), Spare: int(a.num("spare", 0)),
			Codes: int(a.num("codes", 4)), Jobs: int(a.num("jobs", 4)), Retry: a.num("retry", 5000), RegionBytes: 1 << 20, CodeBytes: a.num("codebytes", 1<<10), Calls: int(a.num("calls", 4)),
		})
		s.lanes, s.owners = a.has("lanes"), map[catalog.Peer]string{}
	case "owner": // peer=, name= of its certificate
		s.owners[a.peer("peer", 0)] = a.str("name")
	case "view": // revision=, nodes=1,2 or 1@incarnation, set= rows= shards=lo-hi:peer+peer,…
		effects = s.c.Step(s.now, &Learned{View: viewOf(a)})
	case "receive": // see parcelOf
		s.last = parcelOf(a)
		effects = s.c.Step(s.now, s.received(a))
	case "again": // the last parcel once more
		effects = s.c.Step(s.now, &Received{From: a.peer("from", client), Bytes: slices.Clone(s.last)})
	case "garbage":
		b, err := hex.DecodeString(a.str("hex"))
		if err != nil {
			t.Fatal(err)
		}
		effects = s.c.Step(s.now, &Received{From: a.peer("from", client), Bytes: b})
	case "finish":
		effects = s.c.Step(s.now, s.finish(a))
	case "gone":
		effects = s.c.Step(s.now, &Gone{Peer: a.peer("peer", 0)})
	case "lacks": // set=, shard=, why=
		effects = s.c.Step(s.now, &Lacks{Set: uint32(a.num("set", 7)), Shard: int(a.num("shard", 0)), Why: a.str("why")})
	case "holds": // set=, shard=
		effects = s.c.Step(s.now, &Holds{Set: uint32(a.num("set", 7)), Shard: int(a.num("shard", 0))})
	case "remember": // code=, package, bytes=letter of another kernel
		letter := a.str("code")
		in := &Remember{ID: kernel.Hash(codeOf(letter)), Native: a.has("package"), Bytes: codeOf(letter)}
		if a.has("bytes") {
			in.Bytes = codeOf(a.str("bytes"))
		}
		effects = s.c.Step(s.now, in)
	case "withdraw":
		effects = s.c.Step(s.now, &Withdraw{ID: kernel.Hash(codeOf(a.str("code")))})
	case "tick":
		effects = s.c.Step(s.now, &Tick{})
	case "status":
		b, err := json.Marshal(s.c.Status())
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(b), `,"`, ",\n\"") + "\n"
	case "idle":
		return s.c.leftovers()
	default:
		t.Fatalf("unknown command %q", words[0])
	}
	for k := range a.m {
		if !a.used[k] {
			t.Fatalf("%s: unknown argument %s", words[0], k)
		}
	}
	var out strings.Builder
	for _, e := range effects {
		fmt.Fprintln(&out, s.show(e))
	}
	return out.String()
}

// received has the owners that the script knows, if there are any.
func (s *script) received(a args) *Received {
	in := &Received{From: a.peer("from", client), Bytes: slices.Clone(s.last)}
	if len(s.owners) > 0 {
		in.Owners = func(p catalog.Peer) string { return s.owners[p] }
	}
	return in
}

// leftovers lists what is still in hand.
func (c *Core) leftovers() string {
	s := ""
	say := func(n int, what string) {
		if n != 0 {
			s += fmt.Sprintf("%d %s\n", n, what)
		}
	}
	say(c.parcels, "parcels in hand")
	say(int(c.bytes), "bytes in hand")
	say(len(c.requests), "requests known")
	say(len(c.jobs), "jobs running")
	for i := range c.lanes {
		say(c.lanes[i].queued, "jobs queued")
	}
	if text := c.miscounted(); text != "" {
		s += text + "\n"
	}
	say(len(c.gathering), "jobs gathering")
	say(len(c.recalled), "kernels to be recalled")
	say(c.parked, "parcels parked")
	say(len(c.children), "children")
	busy := 0
	for _, e := range c.codes.byPrefix {
		if e.pins != 0 || !e.ready || len(e.waiting) != 0 {
			busy++
		}
	}
	say(busy, "kernels in use")
	say(len(c.codes.byPrefix)-busy-c.codes.idle, "kernels miscounted")
	size := c.codes.bytes
	for _, e := range c.codes.byPrefix {
		size -= int64(len(e.bytes))
	}
	say(int(size), "bytes of code miscounted")
	if (c.oldest == nil) != (len(c.requests) == 0) || (c.newest == nil) != (c.oldest == nil) {
		s += "the list of requests is not that of the map\n"
	}
	return s
}

func viewOf(a args) *catalog.View {
	v := &catalog.View{Revision: a.num("revision", 1)}
	for _, w := range strings.Split(a.str("nodes"), ",") {
		name, life, _ := strings.Cut(w, "@")
		inc, _ := strconv.Atoi(life)
		v.Nodes = append(v.Nodes, catalog.Node{Peer: peerOf(a.t, name), Incarnation: int64(inc)})
	}
	if !a.has("shards") {
		return v
	}
	set := catalog.Set{ID: uint32(a.num("set", 7)), Name: "table"}
	for _, w := range strings.Split(a.str("shards"), ",") {
		span, owners, _ := strings.Cut(w, ":")
		rows := pairs(a.t, span, "-")[0]
		sh := catalog.Shard{Lo: rows[0], Hi: rows[1]}
		for _, o := range strings.Split(owners, "+") {
			sh.Replicas = append(sh.Replicas, peerOf(a.t, o))
		}
		set.Shards, set.Rows = append(set.Shards, sh), sh.Hi
	}
	v.Sets = []catalog.Set{set}
	return v
}

var kindOf = map[string]parcel.Kind{
	"run": parcel.Run, "walk": parcel.Walk, "fan": parcel.Fan, "read": parcel.Read, "put": parcel.Put, "seal": parcel.Seal,
	"drop": parcel.Drop, "status": parcel.Status, "result": parcel.Result, "fail": parcel.Fail,
	"needcode": parcel.NeedCode, "code": parcel.Code, "cancel": parcel.Cancel, "send": parcel.Send, "copy": parcel.Copy,
}

// parcelOf makes a parcel of the words after receive: from= kind= request=
// code= caller= hops= left=, carries[=letter] for the kernel's bytes or another
// kernel's, builtin, and what the kind needs.
func parcelOf(a args) []byte {
	kind, ok := kindOf[a.str("kind")]
	if !ok {
		a.t.Fatalf("unknown kind %q", a.str("kind"))
	}
	h := parcel.Header{Kind: kind, Hops: uint16(a.num("hops", 8)), Left: uint32(a.num("left", 1_000_000)),
		Request: uint64(a.num("request", 0)), Caller: a.peer("caller", a.peer("from", client)), Code: prefixOf(a.str("code"))}
	var code []byte
	if a.has("carries") {
		h.Flags |= parcel.Carries
		if code = codeOf(a.str("carries")); a.str("carries") == "" {
			code = codeOf(a.str("code"))
		}
	}
	if a.has("builtin") {
		h.Flags |= parcel.Builtin
	}
	var payload []byte
	set := uint32(a.num("set", 7))
	switch kind {
	case parcel.Run:
		payload = taskOf(a, set).Append(nil)
	case parcel.Walk:
		payload = batchOf(a, set).Append(nil)
	case parcel.Fan:
		t := parcel.Tree{Task: *taskOf(a, set), For: a.peer("for", 0)}
		for _, w := range strings.Split(a.str("pieces"), ",") {
			owner, span, _ := strings.Cut(w, ":")
			span, shard, _ := strings.Cut(span, "@")
			p := pairs(a.t, span, "-")[0]
			n, _ := strconv.Atoi(shard)
			t.Pieces = append(t.Pieces, parcel.Piece{Owner: peerOf(a.t, owner), Shard: uint32(n), Lo: p[0], Hi: p[1]})
			if !a.has("inout") {
				t.Pieces[len(t.Pieces)-1].Outs = slices.Repeat([]parcel.Extent{{First: p[0], Count: p[1] - p[0]}}, t.Outs())
			}
		}
		payload = t.Append(nil)
	case parcel.Read:
		payload = (&parcel.Gather{Set: set, Lo: a.num("lo", 0), Hi: a.num("hi", 1)}).Append(nil)
	case parcel.Put, parcel.Seal, parcel.Drop:
		payload = (&parcel.Blob{Set: set, Hi: 1, Bytes: make([]byte, a.num("size", 0)), Total: 1 << 20}).Append(nil)
	case parcel.Copy:
		payload = (&parcel.Part{Set: set, Offset: a.num("offset", 0), Count: a.num("count", 1)}).Append(nil)
	case parcel.Send:
		payload = callOf(a).Append(nil)
	case parcel.Result:
		h.Flags |= parcel.Last
		payload = answerOf(a).Append(nil)
	case parcel.Fail:
		h.Flags |= parcel.Last
		payload = (&parcel.Failure{Reason: reasonOf(a, a.str("reason")), Detail: "told so", Node: a.peer("from", 0), Shard: -1}).Append(nil)
	}
	if a.has("cut") {
		payload = payload[:len(payload)-int(a.num("cut", 0))]
	}
	return append(h.Append(nil, code), payload...)
}

// taskOf is a task with one Out operand, or outs=, of as many elements as outer
// indices.
func taskOf(a args, set uint32) *parcel.Task {
	lo, hi := a.num("lo", 0), a.num("hi", 1)
	t := &parcel.Task{Set: set, Lo: lo, Hi: hi, Operands: []parcel.Operand{{How: parcel.Stored}, {How: parcel.Out, First: lo, Count: hi - lo}}}
	for range a.num("outs", 1) - 1 {
		t.Operands = append(t.Operands, t.Operands[1])
	}
	if a.has("inout") {
		t.Operands[1] = parcel.Operand{How: parcel.InOut, Bytes: []byte{1}}
	}
	if a.has("partial") {
		t.Partial = parcel.Partial{Code: prefixOf(a.str("partial")), Block: 4}
		if a.has("along") {
			t.Partial.Kernel = codeOf(a.str("partial"))
		}
	}
	return t
}

// callOf has the text bytes= and the share= 1/n of a request; grants=name has eight
// bytes to write each.
func callOf(a args) *parcel.Call {
	c := &parcel.Call{Share: parcel.Whole / uint64(a.num("share", 1)), Bytes: []byte(a.str("bytes"))}
	for _, name := range strings.FieldsFunc(a.str("grants"), func(r rune) bool { return r == ',' }) {
		c.Grants = append(c.Grants, parcel.Grant{Name: name, Bytes: 8, Write: true})
	}
	return c
}

// sendsOf reads to:text and to/package:text.
func sendsOf(a args) (list []Outgoing) {
	for _, w := range strings.FieldsFunc(a.str("sends"), func(r rune) bool { return r == ',' }) {
		to, text, _ := strings.Cut(w, ":")
		to, letter, other := strings.Cut(to, "/")
		o := Outgoing{To: peerOf(a.t, to), Payload: []byte(text)}
		if other {
			o.ID = kernel.Hash(codeOf(letter))
		}
		list = append(list, o)
	}
	return list
}

// batchOf has the states id:want, each with a third column that is 10·id.
func batchOf(a args, set uint32) *parcel.Batch {
	b := &parcel.Batch{Set: set, Kinds: []byte{byte(num.I64), byte(num.I64), byte(num.U16)}, Keep: 0b110,
		Values: make([][]byte, 3), Sizes: []int64{a.num("size", 100)}, Faults: faultsOf(a)}
	for _, p := range pairs(a.t, a.str("states"), ":") {
		b.Values[0] = binary.LittleEndian.AppendUint64(b.Values[0], uint64(p[1]))
		b.Values[1] = binary.LittleEndian.AppendUint64(b.Values[1], uint64(p[0]))
		b.Values[2] = binary.LittleEndian.AppendUint16(b.Values[2], uint16(10*p[0]))
		b.States++
	}
	return b
}

// answerOf has rows lo-hi of one column of bytes, each its number.
func answerOf(a args) *parcel.Answer {
	ans := &parcel.Answer{Hops: uint32(a.num("forwards", 0)), Steps: uint64(a.num("steps", 0)), Faults: faultsOf(a)}
	for _, p := range pairs(a.t, a.str("rows"), "-") {
		var col []byte
		for i := p[0]; i < p[1]; i++ {
			col = append(col, byte(i))
		}
		ans.Columns, ans.Extents = append(ans.Columns, col), append(ans.Extents, parcel.Extent{First: p[0], Count: p[1] - p[0]})
	}
	return ans
}

func faultsOf(a args) (list []parcel.Fault) {
	for _, p := range pairs(a.t, a.str("faults"), ":") {
		list = append(list, parcel.Fault{Site: uint32(p[0]), Place: p[1]})
	}
	return list
}

func reasonOf(a args, s string) parcel.Reason {
	for r := parcel.Busy; r.Valid(); r++ {
		if strings.ReplaceAll(r.String(), " ", "-") == s {
			return r
		}
	}
	a.t.Fatalf("unknown reason %q", s)
	return 0
}

// finish ends a job: wants=id:want,… of an Advance, reply=text and
// sends=to:text,… of a Native, rows=lo-hi of others, or fail=reason; with steps=
// and faults=site:place.
func (s *script) finish(a args) Finished {
	end := Ended{Job: JobID(a.num("job", 0)), Timing: parcel.Timing{Run: uint32(a.num("run", 0))}}
	steps := uint64(a.num("steps", 1))
	w := s.jobs[end.Job]
	delete(s.jobs, end.Job)
	if a.has("fail") {
		return &Failed{Ended: end, Err: &WorkError{Reason: reasonOf(a, a.str("fail")), Detail: "it did not work"}}
	} else if a.has("bug") {
		return &Failed{Ended: end, Err: fmt.Errorf("a surprise")}
	}
	switch w := w.(type) {
	case *Advance:
		for _, p := range pairs(a.t, a.str("wants"), ":") {
			for i := range w.Batch.States {
				if w.Batch.ID(i) == p[0] {
					binary.LittleEndian.PutUint64(w.Batch.Values[0][8*i:], uint64(p[1]))
				}
			}
		}
		return &Advanced{Ended: end, Batch: w.Batch, Faults: faultsOf(a), Steps: steps}
	case *Native:
		return &Called{Ended: end, Replied: a.has("reply"), Reply: []byte(a.str("reply")), Sends: sendsOf(a)}
	case *Install:
		return &Compiled{Ended: end}
	case *Compile:
		f := &Compiled{Ended: end}
		if a.has("bound") { // steps of an outer index of the kernel
			n := a.num("bound", 0)
			f.Bound = func([]int64) int64 { return n }
		}
		return f
	}
	answer := answerOf(a)
	answer.Steps = max(answer.Steps, steps)
	return &Answered{Ended: end, Answer: answer}
}

// show prints an effect.
func (s *script) show(e Effect) string {
	switch e := e.(type) {
	case *Send:
		return "send " + peerName(e.To) + " " + s.showParcel(e.Bytes)
	case *Start:
		s.jobs[e.Job] = e.Work
		text := fmt.Sprintf("start %d %s left=%d", e.Job, s.showWork(e.Work), e.Left)
		if s.lanes {
			text += fmt.Sprintf(" for %s of %s", peerName(e.Client), e.Owner)
			if e.Small {
				text += ", small"
			}
		}
		return text
	case *Stop:
		return fmt.Sprintf("stop %d", e.Job)
	case *Alarm:
		return fmt.Sprintf("alarm %d", e.After)
	case *Forget:
		return "forget " + s.kernels[e.ID]
	}
	return fmt.Sprintf("unknown effect %T", e)
}

func (s *script) showWork(w Work) string {
	switch w := w.(type) {
	case *Compile:
		return "compile " + s.kernels[w.ID]
	case *Install:
		return "install " + s.kernels[w.ID]
	case *Native:
		return "native " + s.kernels[w.ID] + showCall(w.Call)
	case *Compute:
		text := fmt.Sprintf("compute %s %d-%d", s.name(w.ID, w.Builtin), w.Task.Lo, w.Task.Hi)
		if len(w.Task.Operands) > 1 { // damaged parcels may have fewer
			o := w.Task.Operands[1]
			text += fmt.Sprintf(" out=%d-%d", o.First, o.First+o.Count)
		}
		if w.Partial != (kernel.ID{}) {
			text += " partial=" + s.kernels[w.Partial]
		}
		return text
	case *Advance:
		return fmt.Sprintf("advance %s shard=%d turns=%d states=%s", s.name(w.ID, w.Builtin), w.Shard, w.Turns, showStates(w.Batch))
	case *Collect:
		return fmt.Sprintf("collect set=%d %d-%d", w.Gather.Set, w.Gather.Lo, w.Gather.Hi)
	case *Keep:
		return fmt.Sprintf("keep %s set=%d shard=%d", w.Kind, w.Blob.Set, w.Blob.Shard)
	case *Copy:
		return fmt.Sprintf("copy set=%d shard=%d %d+%d", w.Part.Set, w.Part.Shard, w.Part.Offset, w.Part.Count)
	case *Report:
		return "report"
	}
	return fmt.Sprintf("unknown work %T", w)
}

func (s *script) name(id kernel.ID, builtin bool) string {
	if builtin {
		for k, n := range s.kernels {
			if parcel.PrefixOf(k) == parcel.PrefixOf(id) {
				return "builtin " + n
			}
		}
	}
	return s.kernels[id]
}

func showCall(c *parcel.Call) string {
	text := fmt.Sprintf(" %q", c.Bytes)
	switch {
	case c.Share == 0:
		text += " share=0"
	case c.Share != parcel.Whole:
		text += fmt.Sprintf(" share=1/%d", parcel.Whole/c.Share)
	}
	for _, g := range c.Grants {
		text += " grant=" + g.Name
	}
	return text
}

// showStates prints id:want, and a third column that is not 10·id.
func showStates(b *parcel.Batch) string {
	var list []string
	for i := range b.States {
		text := fmt.Sprintf("%d:%d", b.ID(i), b.Want(i))
		if len(b.Values) > 2 {
			if v := binary.LittleEndian.Uint16(b.Values[2][2*i:]); v != uint16(10*b.ID(i)) {
				text += fmt.Sprintf("(%d)", v)
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, ",") + showFaults(b.Faults)
}

func showFaults(list []parcel.Fault) (text string) {
	for _, f := range list {
		text += fmt.Sprintf(" fault=%d:%d", f.Site, f.Place)
	}
	return text
}

func (s *script) showParcel(b []byte) string {
	h, code, payload, err := parcel.ReadHeader(b)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	text := fmt.Sprintf("%s %s/%d", h.Kind, peerName(h.Caller), h.Request)
	if h.Code != 0 {
		for id, n := range s.kernels {
			if parcel.PrefixOf(id) == h.Code {
				text += " code=" + n
			}
		}
	}
	if h.Flags&parcel.Carries != 0 {
		text += fmt.Sprintf(" carries=%q", code)
	}
	if h.Flags&parcel.Last != 0 {
		text += " last"
	}
	text += fmt.Sprintf(" hops=%d left=%d", h.Hops, h.Left)
	more, err := showPayload(h.Kind, payload)
	if err != nil {
		return text + " unreadable: " + err.Error()
	}
	return text + more
}

func showPayload(kind parcel.Kind, payload []byte) (string, error) {
	switch kind {
	case parcel.Walk:
		b := new(parcel.Batch)
		if err := parcel.ReadBatch(b, payload); err != nil {
			return "", err
		}
		return " states=" + showStates(b), nil
	case parcel.Send:
		c, err := parcel.ReadCall(payload)
		if err != nil {
			return "", err
		}
		return showCall(c), nil
	case parcel.Fan:
		t, err := parcel.ReadTree(payload)
		if err != nil {
			return "", err
		}
		text := ""
		if p := t.Task.Partial; p.Code != 0 {
			text = fmt.Sprintf(" partial=%s along=%q", p.Code, p.Kernel)
		}
		text += " pieces="
		for i, p := range t.Pieces {
			text += fmt.Sprintf("%s%d:%d-%d", strings.Repeat(",", min(i, 1)), p.Owner, p.Lo, p.Hi)
			if p.Shard > 0 {
				text += fmt.Sprintf("@%d", p.Shard)
			}
		}
		return text, nil
	case parcel.Result:
		return showAnswer(payload)
	case parcel.Fail:
		f, err := parcel.ReadFailure(payload)
		if err != nil {
			return "", err
		}
		text := fmt.Sprintf(" %s: %s (node=%d set=%d shard=%d", f.Reason, f.Detail, f.Node, f.Set, f.Shard)
		if f.Retry > 0 {
			text += fmt.Sprintf(" retry=%d", f.Retry)
		}
		if f.States != nil {
			text += " states=" + showStates(f.States)
		}
		return text + ")", nil
	}
	return "", nil
}

func showAnswer(payload []byte) (string, error) {
	a, err := parcel.ReadAnswer(payload)
	if err != nil {
		return "", err
	}
	steps := strconv.FormatUint(a.Steps, 10)
	if a.Steps >= parcel.Whole>>20 && parcel.Whole%a.Steps == 0 {
		steps = fmt.Sprintf("1/%d", parcel.Whole/a.Steps)
	}
	text := fmt.Sprintf(" forwards=%d steps=%s queue=%d run=%d", a.Hops, steps, a.Micros.Queue, a.Micros.Run)
	if a.Micros.Compile > 0 {
		text += fmt.Sprintf(" compile=%d", a.Micros.Compile)
	}
	for i, col := range a.Columns {
		if len(a.Extents) > 0 {
			text += fmt.Sprintf(" rows=%d-%d", a.Extents[i].First, a.Extents[i].First+a.Extents[i].Count)
		} else if i == 0 && a.States > 0 {
			text += " ids="
			for k := range a.States {
				text += fmt.Sprintf("%s%d", strings.Repeat(",", min(k, 1)), binary.LittleEndian.Uint64(col[8*k:]))
			}
			continue
		}
		text += fmt.Sprintf(" %x", col)
	}
	return text + showFaults(a.Faults), nil
}
