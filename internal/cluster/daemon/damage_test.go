package daemon

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// kept is a node with one shard on its disk, of rows enough for columns that pass through in
// windows, are mapped, and lie in kernel memory.
type kept struct {
	*Daemon
	ctl  *control.Memory
	st   *store.Store
	dir  string
	set  uint32
	file store.File
	good []byte // the shard's file
	cols [][]byte

	memory int64 // for kernels
}

const keptRows = 600_000

// The columns of the shard.
const (
	wide  = iota // i64, 4.8 MB
	small        // u8
	holes        // i64 with nulls
)

// inMemory has the test's files lie in memory if there is room: it writes gigabytes.
func inMemory(t *testing.T) {
	var d unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &d); err == nil && int64(d.Bavail)*d.Bsize > 256<<20 {
		t.Setenv("TMPDIR", "/dev/shm")
	}
}

func keep(t *testing.T, scrub Scrub) *kept {
	t.Helper()
	return keepIn(t, scrub, 256<<20)
}

// keepIn gives the node so much memory for kernels.
func keepIn(t *testing.T, scrub Scrub, memory int64) *kept {
	t.Helper()
	k := &kept{dir: t.TempDir(), ctl: control.NewMemory(), memory: memory}
	k.start(t, k.dir, scrub)
	k.load(t)
	return k
}

// start starts the node over its directory.
func (k *kept) start(t *testing.T, dir string, scrub Scrub) {
	t.Helper()
	hub := memnet.NewHub(1, memnet.Config{})
	dial := func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
		return hub.Join(self, h)
	}
	st, err := store.Open(dir, store.Options{})
	must(t, err)
	m, err := k.ctl.Join(t.Context(), control.Member{Name: "n1", Address: "n1", Secret: st.Identity()})
	must(t, err)
	d, err := Start(context.Background(), Config{Name: "n1", Store: st, Control: k.ctl, Membership: m, Memory: k.memory, Dial: dial, Scrub: scrub,
		Limits: node.Limits{Parcels: 64, Bytes: 256 << 20, Steps: 1 << 40, Turns: 100, Codes: 64, Jobs: 4, Retry: 1000, RegionBytes: 1 << 30, CodeBytes: 1 << 20, Calls: 1}})
	must(t, err)
	t.Cleanup(func() { d.Close() })
	k.Daemon, k.st = d, st
	if k.set != 0 {
		return
	}
	c, err := cluster.Connect(t.Context(), cluster.Config{Control: k.ctl, Self: catalog.FirstClient + 1, Dial: dial})
	must(t, err)
	t.Cleanup(func() { c.Close() })
	valid := make([]byte, keptRows)
	for i := range valid {
		valid[i] = byte(i % 3 & 1)
	}
	k.cols = [][]byte{make([]byte, 8*keptRows), make([]byte, keptRows), make([]byte, 8*keptRows)}
	for i := range int64(keptRows) {
		binary.LittleEndian.PutUint64(k.cols[wide][8*i:], uint64(i*i))
		k.cols[small][i] = byte(i * 7)
		if valid[i] == 1 {
			binary.LittleEndian.PutUint64(k.cols[holes][8*i:], uint64(i+5))
		}
	}
	src := data.FromBytes("made", []data.Column{{Name: "wide", Kind: num.I64, Stored: "int64"}, {Name: "small", Kind: num.U8, Stored: "uint8"},
		{Name: "holes", Kind: num.I64, Stored: "int64", Nullable: true}}, keptRows, k.cols, [][]byte{nil, nil, valid})
	set, err := c.Load(t.Context(), src, "made", cluster.LoadOptions{Shards: 1})
	must(t, err)
	k.set = set.ID
}

// load remembers the file that is here.
func (k *kept) load(t *testing.T) {
	t.Helper()
	k.file = k.st.Shards()[0]
	var err error
	k.good, err = os.ReadFile(k.path())
	must(t, err)
	k.await(t, "the set", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 1 })
}

func (k *kept) path() string { return filepath.Join(k.dir, "sets", fmt.Sprint(k.set), "0.arrow") }

func (k *kept) await(t *testing.T, what string, ok func(*catalog.Set) bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if v := k.view.Load(); v != nil {
			if s, there := v.Set(k.set); there && ok(s) {
				return
			}
		}
		if time.Now().After(until) {
			t.Fatalf("%s: not heard of", what)
		}
	}
}

// evictAll has no column present any more.
func (k *kept) evictAll() {
	for k.columns.evict(func(*resident) bool { return true }) {
	}
}

// whole makes the shard right again, if it is not.
func (k *kept) whole(t *testing.T) {
	t.Helper()
	k.evictAll()
	must(t, k.st.Drop(k.set, 0))
	_, err := k.Daemon.keep(t.Context(), &node.Start{}, &node.Keep{Kind: parcel.Put, Blob: k.blob(k.good)})
	must(t, err)
	_, err = k.Daemon.keep(t.Context(), &node.Start{}, &node.Keep{Kind: parcel.Seal, Blob: k.blob(nil)})
	must(t, err)
	k.await(t, "the repaired shard", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 1 })
}

func (k *kept) blob(b []byte) *parcel.Blob {
	f := &k.file
	return &parcel.Blob{Set: f.Set, Shard: f.Shard, Lo: f.Lo, Hi: f.Hi, Total: f.Bytes, Sum: f.Sum, Bytes: b}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// copied is r1[i] = r0[i], which needs r0 piece by piece.
func copied(kind num.Kind) *kernel.Kernel {
	rows, outer := size.Var("s0"), size.Var("s1")
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 30}, {Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{{Elem: kind, Len: rows}, {Elem: kind, Len: rows, Access: kernel.Write}},
		Outer:   outer, Grain: size.Const(1000), Count: rows,
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(1, i, b.Load(0, i))
		return nil, kernel.None
	})
	return b.Finish()
}

// gathered is r2[i] = r1[r0[i]], which needs r1 as a whole.
func gathered() *kernel.Kernel {
	rows, outer, table := size.Var("s0"), size.Var("s1"), size.Var("s2")
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 30}, {Lo: 0, Hi: 1 << 30}, {Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{{Elem: num.I64, Len: rows, Bounded: true, Bound: table}, {Elem: num.I64, Len: table},
			{Elem: num.I64, Len: rows, Access: kernel.Write}},
		Outer: outer, Grain: size.Const(1000), Count: rows,
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(2, i, b.Load(1, b.Load(0, i)))
		return nil, kernel.None
	})
	return b.Finish()
}

// job runs work as the core would have it done.
func (k *kept) job(w node.Work) ([]byte, error) {
	in := k.finish(context.Background(), &node.Start{Work: w})
	if err := errOf(in); err != nil {
		return nil, err
	}
	return in.(*node.Answered).Answer.Columns[0], nil
}

func (k *kept) kernel(t *testing.T, kern *kernel.Kernel) kernel.ID {
	t.Helper()
	b, err := kernel.Encode(kern)
	must(t, err)
	id := kernel.Hash(b)
	in := k.finish(context.Background(), &node.Start{Work: &node.Compile{ID: id, Bytes: b}})
	must(t, errOf(in))
	return id
}

// reading is a way in which a node reads a shard.
type reading struct {
	name string
	want func(k *kept) []byte
	do   func(t *testing.T, k *kept) ([]byte, error)
}

func ofColumn(c int) func(k *kept) []byte { return func(k *kept) []byte { return k.cols[c] } }

// through copies a column by a kernel.
func through(kind num.Kind, column int, option bool) func(t *testing.T, k *kept) ([]byte, error) {
	return func(t *testing.T, k *kept) ([]byte, error) {
		return k.job(&node.Compute{ID: k.kernel(t, copied(kind)), Task: &parcel.Task{Set: k.set, Sizes: []int64{keptRows, keptRows / 1000}, Hi: keptRows / 1000,
			Operands: []parcel.Operand{{How: parcel.Stored, Column: column, Option: option}, {How: parcel.Out, Count: keptRows}}}})
	}
}

// pages gathers ranges of rows, one after the other.
func pages(g parcel.Gather) func(t *testing.T, k *kept) ([]byte, error) {
	return func(t *testing.T, k *kept) (all []byte, err error) {
		const step = 70_001
		for lo := int64(0); lo < keptRows; lo += step {
			page := g
			page.Set, page.Lo, page.Hi = k.set, lo, min(lo+step, keptRows)
			b, err := k.job(&node.Collect{Gather: &page})
			if err != nil {
				return nil, err
			}
			all = append(all, b...)
		}
		return all, nil
	}
}

// inOrder are the numbers of all rows.
func inOrder() []byte {
	at := make([]byte, 8*keptRows)
	for i := range uint64(keptRows) {
		binary.LittleEndian.PutUint64(at[8*i:], i)
	}
	return at
}

var readings = []reading{
	{"windows", ofColumn(wide), through(num.I64, wide, false)},
	{"kernel memory", ofColumn(small), through(num.U8, small, false)},
	{"decoded", ofColumn(holes), through(num.I64, holes, true)},
	{"mapped", ofColumn(wide), func(t *testing.T, k *kept) ([]byte, error) {
		// What may have nulls is not kept in memory for tasks to come, so it is mapped each time.
		return k.job(&node.Compute{ID: k.kernel(t, gathered()), Task: &parcel.Task{Set: k.set, Sizes: []int64{keptRows, keptRows / 1000, keptRows}, Hi: keptRows / 1000,
			Operands: []parcel.Operand{{How: parcel.Inline, Bytes: inOrder()}, {How: parcel.Stored, Column: wide, Option: true}, {How: parcel.Out, Count: keptRows}}}})
	}},
	{"at hand", ofColumn(wide), func(t *testing.T, k *kept) ([]byte, error) {
		return k.job(&node.Compute{ID: k.kernel(t, gathered()), Task: &parcel.Task{Set: k.set, Sizes: []int64{keptRows, keptRows / 1000, keptRows}, Hi: keptRows / 1000,
			Operands: []parcel.Operand{{How: parcel.Inline, Bytes: inOrder()}, {How: parcel.Stored, Column: wide}, {How: parcel.Out, Count: keptRows}}}})
	}},
	{"pages", ofColumn(wide), pages(parcel.Gather{Column: wide})},
	{"decoded pages", ofColumn(holes), pages(parcel.Gather{Column: holes, Null: true})},
	{"rows", func(k *kept) []byte { return k.cols[wide][:8*3] }, func(_ *testing.T, k *kept) ([]byte, error) {
		return k.job(&node.Collect{Gather: &parcel.Gather{Set: k.set, Column: wide, Rows: []int64{0, 1, 2}}})
	}},
	{"region", ofColumn(wide), func(_ *testing.T, k *kept) ([]byte, error) {
		set, _ := k.view.Load().Set(k.set)
		b := make([]byte, 8*keptRows)
		return b, k.named(context.Background(), k.copyColumn(context.Background(), set, []int{0}, wide, b))
	}},
}

// harm is what happens to the shard's file.
type harm struct {
	name string
	do   func(t *testing.T, k *kept)
}

// flipped flips a bit of the byte at a part of the file.
func flipped(part float64) func(t *testing.T, k *kept) {
	return func(t *testing.T, k *kept) {
		at := int64(part * float64(len(k.good)))
		k.overwrite(t, at, []byte{k.good[at] ^ 0x20})
	}
}

func (k *kept) overwrite(t *testing.T, at int64, b []byte) {
	t.Helper()
	f, err := os.OpenFile(k.path(), os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	_, err = f.WriteAt(b, at)
	must(t, err)
}

var harms = []harm{
	{"flip in the first block", flipped(0.0001)},
	{"flip in the first column", flipped(0.2)},
	{"flip in the middle", flipped(0.45)},
	{"flip in the last column", flipped(0.9)},
	{"flip in the last block", flipped(0.9999)},
	{"overwritten", func(t *testing.T, k *kept) { k.overwrite(t, int64(len(k.good)/4), make([]byte, len(k.good)/2)) }},
	{"cut", func(t *testing.T, k *kept) { must(t, os.Truncate(k.path(), int64(len(k.good)/3))) }},
	{"missing", func(t *testing.T, k *kept) { must(t, os.Remove(k.path())) }},
	{"replaced", func(t *testing.T, k *kept) {
		must(t, os.Remove(k.path()))
		must(t, os.WriteFile(k.path(), slices.Repeat([]byte{1}, len(k.good)), 0o644))
	}},
}

// For every way of reading and every harm, before a pass and after one: the right bits, or
// an error that names the shard, after which the shard is not here any more.
func TestReadingDamaged(t *testing.T) {
	inMemory(t)
	t.Run("kernel memory", func(t *testing.T) { readDamaged(t, 256<<20) })
	// Long columns stay mapped until somebody writes to their file.
	t.Run("outside", func(t *testing.T) { readDamaged(t, 16<<20) })
}

func readDamaged(t *testing.T, memory int64) {
	k := keepIn(t, Scrub{}, memory)
	failed := map[string]int{}
	for _, r := range readings {
		for _, h := range harms {
			for _, warm := range []bool{false, true} {
				k.whole(t)
				if warm {
					if got, err := r.do(t, k); err != nil || !bytes.Equal(got, r.want(k)) {
						t.Fatalf("%s, undamaged: %v, or wrong bytes", r.name, err)
					}
					for k.columns.evict((*resident).inside) { // so that it is read again; what is mapped must be by itself
					}
				}
				time.Sleep(8 * time.Millisecond) // clocks of files tick every 4 ms
				h.do(t, k)
				got, err := r.do(t, k)
				var bad *node.WorkError
				switch {
				case err == nil && !bytes.Equal(got, r.want(k)):
					t.Errorf("%s, %s, warm %v: wrong bytes", r.name, h.name, warm)
				case err != nil && (!errors.As(err, &bad) || bad.Reason != parcel.NoShard || bad.Set != k.set || bad.Shard != 0):
					t.Errorf("%s, %s, warm %v: %#v", r.name, h.name, warm, err)
				case err != nil && len(k.st.Shards()) != 0:
					t.Errorf("%s, %s, warm %v: the shard is still here", r.name, h.name, warm)
				case err != nil:
					failed[h.name]++
				}
			}
		}
	}
	for _, h := range harms {
		unseen := h.name == "missing" || h.name == "replaced" // what is open stays whole
		if (failed[h.name] == 0) != unseen {
			t.Errorf("%s: %d readings failed", h.name, failed[h.name])
		}
	}
	if failed["overwritten"] != 2*len(readings)-2 && failed["overwritten"] != 2*len(readings) { // single rows may lie before it
		t.Errorf("an overwritten file: %d of %d readings failed", failed["overwritten"], 2*len(readings))
	}
}

// A damaged shard is not held any more, its states and pieces go elsewhere, and it is in
// the report, the figures and the log, until it is held again.
func TestLacks(t *testing.T) {
	k := keep(t, Scrub{})
	k.whole(t)
	before, _ := k.view.Load().Set(k.set)
	flipped(0.2)(t, k)
	_, err := readings[0].do(t, k)
	if err == nil || !strings.Contains(err.Error(), "block") || !strings.Contains(err.Error(), "shard 0 of set") {
		t.Fatalf("the error is %v", err)
	}
	if len(before.Shards[0].Replicas) != 1 || len(k.holds(before)) != 0 {
		t.Error("packages are granted what an older view says is here")
	}
	k.await(t, "the lost replica", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 0 })
	r := k.Report()
	if len(r.Damaged) != 1 || r.Damaged[0].Name != "made" || r.Damaged[0].Block < 0 || r.Damaged[0].Time.IsZero() || len(r.Shards) != 0 {
		t.Errorf("the report has %+v, shards %+v", r.Damaged, r.Shards)
	}
	if _, err := os.Stat(r.Damaged[0].File); err != nil {
		t.Error(err)
	}
	again := k.lacks(k.set, 0, errors.New("somebody else met it too"))
	if w := (*node.WorkError)(nil); !errors.As(again, &w) || w.Reason != parcel.NoShard || !strings.Contains(w.Detail, "block") {
		t.Errorf("met again: %v", again)
	}
	if n := len(k.Report().Damaged); n != 1 {
		t.Errorf("%d are damaged", n)
	}
	k.whole(t)
	if got, err := readings[0].do(t, k); err != nil || !bytes.Equal(got, k.cols[wide]) {
		t.Errorf("after the repair: %v", err)
	}
}

// A shard that was found to be damaged when the store was opened is not offered.
func TestDamagedAtStart(t *testing.T) {
	k := keep(t, Scrub{})
	must(t, k.Close())
	must(t, os.Truncate(k.path(), 1000))
	k.start(t, k.dir, Scrub{})
	k.await(t, "the view", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 0 })
	if r := k.Report(); len(r.Damaged) != 1 || !strings.Contains(r.Damaged[0].Reason, "1000 bytes") {
		t.Errorf("the report has %+v", r.Damaged)
	}
	var bad *node.WorkError
	if _, err := readings[4].do(t, k); !errors.As(err, &bad) || bad.Reason != parcel.NoShard || !strings.Contains(bad.Detail, "1000 bytes") {
		t.Errorf("reading it: %v", err)
	}
}

// The scrub in the background finds what nobody reads, below the file system's clock too;
// and one that is asked for does at once.
func TestScrub(t *testing.T) {
	for _, asked := range []bool{false, true} {
		k := keep(t, Scrub{})
		k.whole(t)
		st, err := os.Stat(k.path())
		must(t, err)
		flipped(0.6)(t, k)
		must(t, os.Chtimes(k.path(), st.ModTime(), st.ModTime()))
		if asked {
			in := k.finish(t.Context(), &node.Start{Work: &node.Report{Inquiry: &parcel.Inquiry{Scrub: true}}})
			if a, ok := in.(*node.Answered); !ok || !bytes.Contains(a.Answer.Columns[0], []byte(`"asked":true`)) {
				t.Fatalf("asking: %v", errOf(in))
			}
		} else {
			k.cfg.Scrub.Rate = 1 << 30
			k.Daemon.scrub.pass()
		}
		for until := time.Now().Add(time.Minute); len(k.st.Shards()) > 0 || k.Report().Scrub.Running; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("nothing was found")
			}
		}
		r := k.Report()
		if s := r.Scrub; s.Bad != 1 || s.Shards != 1 || s.Asked != asked || s.Of != k.file.Bytes || len(r.Damaged) != 1 {
			t.Errorf("asked %v: %+v, %+v", asked, s, r.Damaged)
		}
	}
}

// A file that somebody opens for writing while a kernel has it mapped is not read on: the
// caller is told to come again.
func TestWriterWhileMapped(t *testing.T) {
	k := keep(t, Scrub{})
	err := k.named(t.Context(), fmt.Errorf("it: %w", &data.ChangedError{Path: "x"}))
	if w := (*node.WorkError)(nil); !errors.As(err, &w) || w.Reason != parcel.Busy {
		t.Error(err)
	}
}

// What arrives counts to the certificate that it comes with, or to the peer: one with as much
// as it may have is told to come back, and others are not.
func TestUploadsCount(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	put := func(e *node.Start, set, shard uint32) error {
		b := k.blob(k.good[:1])
		b.Set, b.Shard = set, shard
		_, err := k.Daemon.keep(t.Context(), e, &node.Keep{Kind: parcel.Put, Blob: b})
		return err
	}
	var sets [2]uint32
	for i, e := range []*node.Start{{Client: catalog.FirstClient + 7, Owner: "client/a"}, {Client: catalog.FirstClient + 8}} {
		set, err := k.ctl.Allocate(control.For(t.Context(), e.Owner))
		must(t, err)
		sets[i] = set
		taken := 0
		for ; taken < 100 && err == nil; taken++ {
			err = put(e, set, uint32(taken))
		}
		var work *node.WorkError
		if !errors.As(err, &work) || work.Reason != parcel.Busy || taken != 17 {
			t.Errorf("%+v: after %d uploads %v", e, taken, err)
		}
	}
	again := &node.Start{Client: catalog.FirstClient + 9, Owner: "client/a"} // another client of the same owner
	if err := put(again, sets[0], 100); err == nil {
		t.Error("an owner has more by way of another client")
	}
	must(t, put(&node.Start{Client: catalog.FirstClient + 9, Owner: "client/b"}, sets[1], 100))
}

// What is stored under a number that was reserved for somebody is nobody else's to store, to
// seal or to drop; nor are numbers that nobody has asked for yet.
func TestNumbersOfOthers(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	set, err := k.ctl.Allocate(control.For(t.Context(), "client/a"))
	must(t, err)
	do := func(kind parcel.Kind, owner string, set uint32) error {
		b := k.blob(nil)
		if b.Set = set; kind == parcel.Put {
			b.Bytes = k.good
		}
		_, err := k.Daemon.keep(t.Context(), &node.Start{Client: catalog.FirstClient + 7, Owner: owner}, &node.Keep{Kind: kind, Blob: b})
		return err
	}
	for range 2 { // when nothing has arrived, and then when all has
		for _, kind := range []parcel.Kind{parcel.Put, parcel.Seal, parcel.Drop} {
			if err := do(kind, "client/b", set); err == nil || !strings.Contains(err.Error(), "reserved for another owner") {
				t.Errorf("%v under the number of another: %v", kind, err)
			}
		}
		if err := do(parcel.Put, "client/b", set+1); err == nil || !strings.Contains(err.Error(), "reserved for nobody") {
			t.Errorf("under a number that was not allocated: %v", err)
		}
		must(t, do(parcel.Put, "client/a", set))
	}
	must(t, do(parcel.Seal, "client/a", set))
	if err := do(parcel.Drop, "client/b", set); err == nil {
		t.Error("another has dropped what was stored")
	}
	must(t, do(parcel.Drop, "client/a", set))
}

// No number of a shard is taken that no set can have: nobody could ever commit it.
func TestShardNumbers(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	set, err := k.ctl.Allocate(t.Context())
	must(t, err)
	for _, shard := range []uint32{catalog.MaxShards, 1<<31 - 1} {
		b := k.blob(k.good)
		b.Set, b.Shard = set, shard
		_, err := k.Daemon.keep(t.Context(), &node.Start{Client: catalog.FirstClient}, &node.Keep{Kind: parcel.Put, Blob: b})
		if err == nil || !strings.Contains(err.Error(), "at most 4096 shards") {
			t.Errorf("shard %d: %v", shard, err)
		}
	}
}

// mute is a membership that cannot say that a shard is here.
type mute struct {
	control.Membership
	err error
	all chan []control.Held
}

func (m *mute) Hold(context.Context, control.Held) error { return m.err }

func (m *mute) HoldAll(_ context.Context, held []control.Held) error {
	select {
	case m.all <- held:
	default:
	}
	return nil
}

// A shard that was sealed and could not be published is published later, also if nobody asks
// again; it goes if the records have no room for it.
func TestPublishedLater(t *testing.T) {
	inMemory(t)
	for _, tt := range []struct {
		err   error
		stays bool
	}{{context.DeadlineExceeded, true}, {&control.FullError{}, false}} {
		k := keep(t, Scrub{})
		set, err := k.ctl.Allocate(t.Context())
		must(t, err)
		m := &mute{k.lives.now.Load().Membership, tt.err, make(chan []control.Held, 1)}
		do := func(kind parcel.Kind, bytes []byte) error {
			b := k.blob(bytes)
			b.Set, b.Shard = set, 0
			_, err := k.Daemon.keep(t.Context(), &node.Start{Client: catalog.FirstClient}, &node.Keep{Kind: kind, Blob: b})
			return err
		}
		must(t, do(parcel.Put, k.good))
		k.lives.begin(m)
		if err := do(parcel.Seal, nil); err == nil {
			t.Error("nobody was told, and that is not said")
		}
		if k.here(set, 0) != tt.stays {
			t.Errorf("%v: the shard is here: %v", tt.err, !tt.stays)
		}
		if !tt.stays {
			continue
		}
		select {
		case held := <-m.all:
			if !slices.ContainsFunc(held, func(h control.Held) bool { return h.Set == set }) {
				t.Errorf("published was %v", held)
			}
		case <-time.After(time.Minute):
			t.Error("it was not published later")
		}
	}
}
