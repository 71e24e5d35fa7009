package caller

import (
	"bytes"
	"encoding/binary"
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

var update = flag.Bool("update", false, "write the scripts' expected output anew")

// TestScripts runs testdata/*.txt: lines of commands, each followed by the
// effects it had, indented. Times are in milliseconds.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got := (&script{sets: map[uint32]catalog.Set{}}).run(t, string(text))
			if *update {
				if err := os.WriteFile(f, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the script gives\n%s", got)
			}
		})
	}
}

// script is a core under test and what its commands have set up.
type script struct {
	core *Core
	now  int64
	sets map[uint32]catalog.Set
}

const self = catalog.FirstClient + 7

func (s *script) run(t *testing.T, text string) string {
	s.core = New(self, Options{First: 100, Patience: 1_000_000, Budgets: 2, Hops: 9, Codes: 2})
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		if command := strings.Fields(line); len(command) > 0 && command[0] != "#" {
			for _, e := range s.step(t, command[0], parseArgs(command[1:])) {
				out.WriteString("\t" + show(e) + "\n")
			}
		}
	}
	return out.String()
}

type args map[string]string

func parseArgs(words []string) args {
	a := args{}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		a[k] = v
	}
	return a
}

func (a args) num(t *testing.T, name string, missing int64) int64 {
	v, ok := a[name]
	if !ok {
		return missing
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s", name, v)
	}
	return n
}

func (a args) nums(t *testing.T, name, sep string) (list []int64) {
	if a[name] == "" {
		return nil
	}
	for _, v := range strings.Split(a[name], sep) {
		list = append(list, args{"": v}.num(t, "", 0))
	}
	return list
}

func (s *script) step(t *testing.T, command string, a args) []Effect {
	switch command {
	case "set": // set id=1 shards=1+2,2,3 [assigned=1+2,2,3] : ten rows each
		assigned := strings.Split(a["assigned"], ",")
		set := catalog.Set{ID: uint32(a.num(t, "id", 1)), Name: "s" + a["id"]}
		for i, list := range strings.Split(a["shards"], ",") {
			sh := catalog.Shard{Lo: int64(10 * i), Hi: int64(10*i + 10)}
			for _, p := range (args{"": list}).nums(t, "", "+") {
				sh.Replicas = append(sh.Replicas, catalog.Peer(p))
			}
			if sh.Assigned = sh.Replicas; a["assigned"] != "" {
				sh.Assigned = nil
				for _, p := range (args{"": assigned[i]}).nums(t, "", "+") {
					sh.Assigned = append(sh.Assigned, catalog.Peer(p))
				}
			}
			set.Shards, set.Rows = append(set.Shards, sh), sh.Hi
		}
		s.sets[set.ID] = set
		return nil
	case "idle":
		if !s.core.Idle() {
			t.Error("something is left")
		}
		return nil
	case "at":
		s.now = a.num(t, "ms", 0) * 1000
		return s.core.Step(s.now, &Tick{})
	}
	return s.core.Step(s.now, s.input(t, command, a))
}

func (s *script) input(t *testing.T, command string, a args) Input {
	left := a.num(t, "left", 60_000) * 1000
	switch command {
	case "view": // view rev=1 nodes=1:5,2:6 (peer:incarnation)
		v := &catalog.View{Revision: a.num(t, "rev", 1)}
		for _, n := range strings.Split(a["nodes"], ",") {
			p, inc, _ := strings.Cut(n, ":")
			peer := catalog.Peer(args{"": p}.num(t, "", 0))
			v.Nodes = append(v.Nodes, catalog.Node{Peer: peer, Name: "n" + p, Incarnation: args{"": inc}.num(t, "", 0)})
		}
		for id := range uint32(9) {
			if set, ok := s.sets[id]; ok {
				set.Shards = slices.Clone(set.Shards)
				for i := range set.Shards { // who is not alive says nothing
					sh := &set.Shards[i]
					sh.Replicas = slices.DeleteFunc(slices.Clone(sh.Replicas), func(p catalog.Peer) bool { _, ok := v.Node(p); return !ok })
				}
				v.Sets = append(v.Sets, set)
			}
		}
		return &Learned{v}
	case "ask":
		in := &Ask{ID: ID(a.num(t, "id", 1)), Kind: kindNamed(t, a["kind"]), Payload: []byte("payload"), Left: left,
			To: catalog.Peer(a.num(t, "to", 0)), Set: uint32(a.num(t, "set", 1)), Shard: int(a.num(t, "shard", 0))}
		in.Code = code(a["code"])
		if more, ok := a["more"]; ok {
			in.More = []Code{code(more)}
		}
		return in
	case "fan": // fan id=1 pieces=0,1,1 : by shard, an outer index each
		tree := &parcel.Tree{Task: parcel.Task{Set: uint32(a.num(t, "set", 1)), Operands: []parcel.Operand{{How: parcel.Out}}}}
		for i, shard := range a.nums(t, "pieces", ",") {
			tree.Pieces = append(tree.Pieces, parcel.Piece{Shard: uint32(shard), Lo: int64(i), Hi: int64(i) + 1, Outs: []parcel.Extent{{First: int64(i), Count: 1}}})
		}
		return &Fan{ID: ID(a.num(t, "id", 1)), Code: code(a["code"]), Tree: tree, Left: left}
	case "call":
		return &Call{ID: ID(a.num(t, "id", 1)), Code: code(a["code"]), To: catalog.Peer(a.num(t, "to", 1)), Hops: uint16(a.num(t, "hops", 0)), Payload: []byte("payload"), Left: left}
	case "walk":
		return &Walk{ID: ID(a.num(t, "id", 1)), Code: code("w"), Left: left, Batch: batch(uint32(a.num(t, "set", 1)), a.nums(t, "wants", ","), a.nums(t, "ids", ","))}
	case "abandon":
		return &Abandon{ID(a.num(t, "id", 1))}
	case "gone":
		return &Gone{catalog.Peer(a.num(t, "peer", 0))}
	}
	return &Received{From: catalog.Peer(a.num(t, "from", 0)), Bytes: reply(t, command, a)}
}

func kindNamed(t *testing.T, name string) parcel.Kind {
	for k := parcel.Run; k.Valid(); k++ {
		if k.String() == name {
			return k
		}
	}
	t.Fatalf("no kind %q", name)
	return 0
}

// code is a kernel whose prefix is its name.
func code(name string) Code {
	var c Code
	if name != "" {
		copy(c.ID[:], name)
		c.Bytes = []byte("kernel " + name)
	}
	return c
}

// batch has states with a third column, of i32, which is the id doubled.
func batch(set uint32, wants, ids []int64) *parcel.Batch {
	b := &parcel.Batch{Set: set, States: len(wants), Kinds: []byte{byte(num.I64), byte(num.I64), byte(num.I32)}, Values: make([][]byte, 3), Keep: 0b110}
	for i, w := range wants {
		id := int64(i)
		if ids != nil {
			id = ids[i]
		}
		b.Values[0] = binary.LittleEndian.AppendUint64(b.Values[0], uint64(w))
		b.Values[1] = binary.LittleEndian.AppendUint64(b.Values[1], uint64(id))
		b.Values[2] = binary.LittleEndian.AppendUint32(b.Values[2], uint32(2*id))
	}
	return b
}

// reply makes the parcel of a node.
func reply(t *testing.T, command string, a args) []byte {
	p := parcel.Parcel{Header: parcel.Header{Request: uint64(a.num(t, "request", 0)), Caller: self}}
	switch command {
	case "result": // result from=1 request=100 [ids=0,1] [hops=3] [fault=site:place]
		p.Kind, p.Flags = parcel.Result, parcel.Last
		ans := parcel.Answer{Columns: [][]byte{[]byte("answer")}, Hops: uint32(a.num(t, "hops", 0))}
		if _, ok := a["ids"]; ok {
			ids := a.nums(t, "ids", ",")
			b := batch(1, make([]int64, len(ids)), ids)
			ans.States, ans.Columns, p.Flags = len(ids), b.Values[1:], 0
			p.Hops = 9 - uint16(ans.Hops) // of the budget in newScript's options
		}
		if half, ok := a["share"]; ok { // result from=1 request=100 share=1/2: without a reply
			p.Flags, ans.Columns = 0, nil
			ans.Steps = parcel.Whole / uint64(args{"": strings.TrimPrefix(half, "1/")}.num(t, "", 1))
		}
		if left, ok := a["left"]; ok {
			p.Hops = uint16(args{"": left}.num(t, "", 0))
		}
		ans.Faults = a.faults(t)
		p.Payload = ans.Append(nil)
	case "fail": // fail from=1 request=100 reason=busy [retry=5] [node=2] [shard=1] [wants=5,6 ids=0,1] [fault=site:place]
		p.Kind, p.Hops = parcel.Fail, uint16(a.num(t, "left", 0))
		f := parcel.Failure{Reason: reasonNamed(t, a["reason"]), Detail: "why", Node: catalog.Peer(a.num(t, "node", 0)), Retry: uint32(a.num(t, "retry", 0) * 1000), Set: 1, Shard: int32(a.num(t, "shard", -1))}
		if _, ok := a["wants"]; ok {
			f.States = batch(1, a.nums(t, "wants", ","), a.nums(t, "ids", ","))
			f.States.Faults = a.faults(t)
		}
		p.Payload = f.Append(nil)
	case "needcode":
		p.Kind, p.Code = parcel.NeedCode, nil
		p.Header.Code = parcel.PrefixOf(code(a["code"]).ID)
	default:
		t.Fatalf("no command %q", command)
	}
	b, err := p.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (a args) faults(t *testing.T) []parcel.Fault {
	f, ok := a["fault"]
	if !ok {
		return nil
	}
	site, place, _ := strings.Cut(f, ":")
	return []parcel.Fault{{Site: uint32(args{"": site}.num(t, "", 0)), Place: args{"": place}.num(t, "", 0)}}
}

func reasonNamed(t *testing.T, name string) parcel.Reason {
	for r := parcel.Busy; r.Valid(); r++ {
		if strings.ReplaceAll(r.String(), " ", "-") == name {
			return r
		}
	}
	t.Fatalf("no reason %q", name)
	return 0
}

// show prints an effect on a line.
func show(e Effect) string {
	switch e := e.(type) {
	case *Send:
		p, err := parcel.Decode(e.Bytes)
		if err != nil {
			return err.Error()
		}
		s := fmt.Sprintf("send to=%d %s request=%d left=%d hops=%d", e.To, p.Kind, p.Request, p.Left/1000, p.Hops)
		if p.Header.Code != 0 {
			var id kernel.ID
			binary.LittleEndian.PutUint64(id[:], uint64(p.Header.Code))
			s += " code=" + string(bytes.TrimRight(id[:8], "\x00"))
		}
		if p.Flags&parcel.Carries != 0 {
			s += fmt.Sprintf(" carries %q", p.Code)
		}
		if p.Kind == parcel.Fan {
			t, err := parcel.ReadTree(p.Payload)
			if err != nil {
				return err.Error()
			}
			for _, x := range t.Pieces {
				s += fmt.Sprintf(" %d:%d@%d", x.Lo, x.Shard, x.Owner)
			}
		}
		if p.Kind == parcel.Run && len(p.Payload) > 20 {
			t, err := parcel.ReadTask(p.Payload)
			if err != nil {
				return err.Error()
			}
			s += fmt.Sprintf(" %d-%d", t.Lo, t.Hi)
		}
		if p.Kind == parcel.Walk {
			b := new(parcel.Batch)
			if err := parcel.ReadBatch(b, p.Payload); err != nil {
				return err.Error()
			}
			s += " " + showStates(b)
		}
		return s
	case *Deliver:
		s := fmt.Sprintf("deliver id=%d", e.ID)
		if e.Err != nil {
			s += " error: " + e.Err.Error()
		} else if e.Answer.States > 0 {
			for i := range e.Answer.States {
				s += fmt.Sprintf(" %d:%d", int64At(e.Answer.Columns[0], i), binary.LittleEndian.Uint32(e.Answer.Columns[1][4*i:]))
			}
			s += fmt.Sprintf(" faults=%v", e.Answer.Faults)
		} else {
			s += fmt.Sprintf(" %q", e.Answer.Columns)
		}
		st := e.Stats
		s += fmt.Sprintf(" parcels=%d code=%d answers=%d retries=%d hops=%d nodes=%v", st.Parcels, st.CodeBytes, st.Answers, st.Retries, st.Hops, st.Nodes)
		for _, r := range st.Replaced {
			s += fmt.Sprintf(" %s for %s", r.By, r.Node)
		}
		return s
	}
	return fmt.Sprintf("%T", e)
}

func showStates(b *parcel.Batch) string {
	list := make([]string, b.States)
	for i := range list {
		list[i] = fmt.Sprintf("%d@%d", b.ID(i), b.Want(i))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
