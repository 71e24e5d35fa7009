package cluster_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

func TestMain(m *testing.M) { os.Exit(codegentest.Main(m)) }

// laying is a caller that takes blocks one by one.
func laying(changed func(error)) run.Laying {
	return run.Laying{Changed: changed, Blocks: func(n int64, each func(lo, hi int64) error) error {
		const block = data.Block
		for lo := int64(0); lo < n; lo += block {
			if err := each(lo, min(lo+block, n)); err != nil {
				return err
			}
		}
		return nil
	}}
}

// leases skips a test where files in memory have none: nothing is mapped there.
func leases(t *testing.T) {
	t.Helper()
	fd, err := unix.MemfdCreate("leases", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "leases")
	read, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	l, err := mem.TakeLease(read, func() {})
	if err != nil {
		t.Skip("SKIPPED: files in memory have no leases here:", err)
	}
	l.Close()
}

// laidIn gives a column of a set where it lies; nil if it cannot be had.
func laidIn(ctx context.Context, t *testing.T, c *cluster.Cluster, name string, changed func(error)) run.Lay {
	t.Helper()
	src, err := c.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return src.(run.Laid).Lay(ctx, 0, laying(changed))
}

// pairs is a table of a short column and one of numbers, and the bytes of that: in the last shard it begins elsewhere in its page than in others.
func pairs(rows, first int) (data.Source, []byte) {
	_, b := numbers(rows, first)
	return data.FromBytes("pairs", []data.Column{{Name: "k", Kind: num.U8}, {Name: "a", Kind: num.I64}}, int64(rows), [][]byte{make([]byte, rows), b}, nil), b
}

// A column of shards that nodes of this machine have is one piece of memory here, mapped once whoever uses it, until the set is another one, and
// not after the client's end.
func TestLaid(t *testing.T) {
	leases(t)
	s := &streets{rings: true, near: true}
	before := len(opened(t))
	l, c, err := s.connected(t, 3)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for turn, by := range []string{"blocks", "rows", "blocks"} {
		src, want := pairs(300_000+turn, turn)
		if _, err := c.Load(ctx, src, "set", cluster.LoadOptions{Shards: 3, By: by, Replace: turn > 0}); err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(ctx, c, "set", data.Want{Column: 1, Kind: num.I64}); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("other rows than were stored, or %v", err) // after it the two share memory
		}
		var users sync.WaitGroup
		for range 8 {
			users.Go(func() {
				src, err := c.Open("set")
				if err != nil {
					t.Error(err)
					return
				}
				u := src.(run.Laid).Lay(ctx, 1, laying(func(err error) { t.Errorf("changed: %v", err) }))
				if u == nil {
					if by == "blocks" || !c.Apart("set", 1) {
						t.Errorf("by %s: a column cannot be had, though its files fit together", by)
					}
					return
				}
				if !bytes.Equal(u.Bytes(), want) {
					t.Error("other rows than were stored")
				}
				if err := u.Unchanged(); err != nil {
					t.Error(err)
				}
				u.Release()
			})
		}
		users.Wait()
		if columns, n := c.Laid(); n != 0 || by == "blocks" && columns == 0 {
			t.Errorf("turn %d: %d columns, of %d users", turn, columns, n)
		}
	}
	u := laidIn(ctx, t, c, "set", func(error) {})
	if u == nil {
		t.Fatal("a column cannot be had")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	first := u.Bytes()[0] // it stays until whoever uses it is done
	if u.Release(); first != 0 {
		t.Errorf("the first byte is %d", first)
	}
	if columns, n := c.Laid(); columns+n != 0 {
		t.Errorf("%d columns of %d users after the client's end", columns, n)
	}
	for _, end := range []func() error{l.Client.Close, l.Close} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	for until := time.Now().Add(patience); len(opened(t)) > before; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d files of shards are open after the end of all, %d before", len(opened(t)), before)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(maps), "memfd:godwit-") {
		t.Error("files of shards are mapped after the end of all")
	}
}

// Who wants to write to a file waits until it is not used any more, and whoever used it is told; what is damaged is not taken for rows.
func TestLaidChanged(t *testing.T) {
	leases(t)
	s := &streets{rings: true, near: true}
	c := s.begin(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	src, want := numbers(300_000, 0)
	before := len(opened(t))
	if _, err := c.Load(ctx, src, "set", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	file := opened(t)[before]
	if _, err := readAll(ctx, c, "set", data.Want{Column: 0, Kind: num.I64}); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 1)
	u := laidIn(ctx, t, c, "set", func(err error) { told <- err })
	if u == nil {
		t.Fatal("a column cannot be had")
	}
	written := make(chan error)
	go func() { written <- scribble(file) }()
	changed := (*data.ChangedError)(nil)
	select {
	case err := <-told:
		if !errors.As(err, &changed) || changed.Path != "@set" {
			t.Errorf("told %v", err)
		}
	case <-ctx.Done():
		t.Fatal("nobody was told that the file is to be written to")
	}
	if err := u.Unchanged(); !errors.As(err, &changed) {
		t.Errorf("to be written to: %v", err)
	}
	if !bytes.Equal(u.Bytes(), want) {
		t.Error("the file was written to while it was used")
	}
	u.Release()
	select {
	case err := <-written:
		if err != nil {
			t.Fatal(err)
		}
	case <-ctx.Done():
		t.Fatal("who wants to write still waits")
	}
	if u := laidIn(ctx, t, c, "set", func(error) {}); u != nil {
		t.Errorf("a damaged file is used: %v", bytes.Equal(u.Bytes(), want))
		u.Release()
	}
}

// scribble changes a byte in the middle of a file.
func scribble(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err == nil {
		_, err = f.WriteAt([]byte{'x'}, st.Size()/2)
	}
	return errors.Join(err, f.Close())
}

// Without its nodes a client shows nothing, though it has the columns mapped.
func TestLaidEnds(t *testing.T) {
	leases(t)
	s := &streets{rings: true, near: true}
	l, c, err := s.connected(t, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	src, _ := numbers(100_000, 0)
	if _, err := c.Load(ctx, src, "set", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(ctx, c, "set", data.Want{Column: 0, Kind: num.I64}); err != nil {
		t.Fatal(err)
	}
	shown := func() bool {
		u := laidIn(ctx, t, c, "set", func(error) {})
		if u != nil {
			u.Release()
		}
		return u != nil
	}
	if !shown() {
		t.Fatal("a column cannot be had")
	}
	for _, n := range l.Nodes {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
	for until := time.Now().Add(2 * time.Second); shown(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("columns of nodes that are gone are shown")
		}
	}
	_ = l.Close() // its nodes have ended
}

// Programs give the same with columns that lie here, on WebAssembly and natively, as with slices of the caller's; and an index
// beyond its bound is an error that names its row.
func TestLaidRuns(t *testing.T) {
	leases(t)
	s := &streets{rings: true, near: true}
	c := s.begin(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const rows = 400_000
	values, small, at := make([]byte, 8*rows), make([]byte, rows), make([]byte, 4*rows)
	for i := range rows {
		binary.LittleEndian.PutUint64(values[8*i:], math.Float64bits(1/float64(i+1)))
		small[i] = byte(i * i % 251)
		binary.LittleEndian.PutUint32(at[4*i:], uint32((i*7919)%rows))
	}
	table := func(at []byte) data.Source {
		return data.FromBytes("table", []data.Column{{Name: "v", Kind: num.F64}, {Name: "k", Kind: num.U8}, {Name: "at", Kind: num.U32}}, rows, [][]byte{values, small, at}, nil)
	}
	wrong := bytes.Clone(at)
	binary.LittleEndian.PutUint32(wrong[4*333_333:], rows)
	for name, at := range map[string][]byte{"good": at, "bad": wrong} {
		if _, err := c.Load(ctx, table(at), name, cluster.LoadOptions{Shards: 3}); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{
		"sum":    "fn f(x: &[R; N]) -> f64 { x.sum(|r| r.v) }",
		"groups": "fn f(x: &[R; N]) -> [(u8, i64, f64)] { x.group_by(|r| r.k).agg(|g| (g.key(), g.count(), g.sum(|r| r.v))) }",
		"map":    "fn f(x: &[R; N]) -> [f64; N] { x.map(|r| r.v * (r.k as f64)) }",
		"gather": "fn f(x: &[R; N]) -> [f64; N] { x.map(|r| x[(r.at as i64) % N].v) }",
		"column": "fn f(x: &[R; N]) -> [u8; N] { x.map(|r| r.k) }",
	}
	options := []engine.Options{{}, {Tier: engine.Stepper}}
	switch service, ok, err := codegentest.Start(""); {
	case err != nil:
		t.Fatal(err)
	case !ok:
		t.Log("SKIPPED: natively: there is no LLVM")
	default:
		defer service.Close()
		options = append(options, engine.Options{Tier: engine.Native, Codegen: service})
	}
	for _, opt := range options {
		eng, err := engine.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		b := &bed{Locals: &site.Locals{Client: c}, eng: eng}
		for name, text := range texts {
			f := compiled(t, diag.NewSource("t.gw", "record R { v: f64, k: u8, at: u32 }\n"+text))
			want, err := b.run(ctx, f, compile.Args{"x": compile.Table{Source: table(at)}}, run.Options{})
			if err != nil {
				t.Fatal(err)
			}
			src, err := c.Open("good")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := b.beside(ctx, f, compile.Args{"x": compile.Table{Source: src}}, cluster.Fetch)
				if err == nil {
					err = same(want, got)
				}
				if err != nil {
					t.Errorf("%s on %q: %v", name, opt.Tier, err)
				}
			}
		}
		outOfBounds(ctx, t, b)
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	}
	if read, once := c.ReadNear(), int64((8+1+4)*rows+(8+4)*rows); read != once {
		t.Errorf("%d bytes were read of the files: expected all columns that are used, once: %d", read, once)
	}
	if columns, users := c.Laid(); columns != 5 || users != 0 {
		t.Errorf("%d columns lie here, of %d users: expected all 3 of one set and 2 of the other, and none", columns, users)
	}
}

// outOfBounds runs a program over a set of which row 333,333 has an index beyond its bound.
func outOfBounds(ctx context.Context, t *testing.T, b *bed) {
	t.Helper()
	f := compiled(t, diag.NewSource("t.gw", "record R { v: f64, k: u8, at: idx<400_000> }\nfn f(x: &[R; 400_000]) -> [f64; 400_000] { x.map(|r| x[r.at].v) }"))
	src, err := b.Client.Open("bad")
	if err != nil {
		t.Fatal(err)
	}
	bad := (*data.Error)(nil)
	if _, err := b.beside(ctx, f, compile.Args{"x": compile.Table{Source: src}}, cluster.Fetch); !errors.As(err, &bad) || bad.Row != 333_333 || bad.Column != "at" {
		t.Errorf("an index beyond its bound: %v", err)
	}
}
