package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// opened lists the descriptors of this process that stand for shards in memory, all of which are nodes' or the client's.
func opened(t *testing.T) (paths []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if to, err := os.Readlink(path); err == nil && strings.Contains(to, "godwit-") && strings.Contains(to, "memfd:") {
			paths = append(paths, path)
		}
	}
	return paths
}

// readAll reads a column of a data set.
func readAll(ctx context.Context, c *cluster.Cluster, name string, w data.Want) ([]byte, error) {
	src, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	var all []byte
	for i, chunk := range src.Chunks() {
		dst := destsOf(src, chunk.Rows(), []data.Want{w})
		if _, err := src.Fill(ctx, i, []data.Want{w}, dst); err != nil {
			return nil, err
		}
		all = append(all, dst[0].Values...)
	}
	return all, nil
}

// numbers is a table of one column, and its bytes.
func numbers(rows, first int) (data.Source, []byte) {
	var b []byte
	for i := range rows {
		b = fmt.Appendf(b, "%8d", first+i)
	}
	return data.FromBytes("numbers", []data.Column{{Name: "a", Kind: num.I64}}, int64(rows), [][]byte{b}, nil), b
}

// What was written to behind a node's back is not taken for the rows: the client sees it itself, and the node when it is asked.
func TestNearDamage(t *testing.T) {
	s := &streets{rings: true, near: true}
	c := s.begin(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	before := len(opened(t))
	src, want := numbers(300_000, 0)
	if _, err := c.Load(ctx, src, "set", cluster.LoadOptions{Shards: 3, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	files := opened(t)
	if len(files)-before != 6 {
		t.Fatalf("%d files were opened, of 3 shards and 2 replicas", len(files)-before)
	}
	w := data.Want{Column: 0, Kind: num.I64}
	read := func(when string) {
		t.Helper()
		if got, err := readAll(ctx, c, "set", w); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: other bytes than were stored, or %v", when, err)
		}
	}
	read("at first")
	if n := c.Near(); n != 3 {
		t.Fatalf("%d files of nodes are read where they lie, of 3", n)
	}
	damage(t, files[0])
	damage(t, files[1])
	damage(t, files[2])
	for range 3 {
		got, err := readAll(ctx, c, "set", w)
		if err == nil && !bytes.Equal(got, want) {
			t.Fatal("damaged bytes were taken for rows")
		}
		if err != nil && !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "missing") {
			t.Fatalf("three of six files are damaged: %v", err)
		}
	}
	for _, path := range files[3:] {
		if _, err := os.Stat(path); err == nil { // else its node has given it up
			damage(t, path)
		}
	}
	if got, err := readAll(ctx, c, "set", w); err == nil && !bytes.Equal(got, want) {
		t.Fatal("damaged bytes were taken for rows")
	}
	if n := c.Near(); n == 3 {
		t.Error("files that are damaged are read where they lie")
	}
}

// damage changes a byte in the middle of a file of which some process has the descriptor.
func damage(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err = f.ReadAt(b, st.Size()/2); err == nil {
		b[0] ^= 1
		_, err = f.WriteAt(b, st.Size()/2)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A set that takes the place of another is read anew, and the client keeps nothing open after its end.
func TestNearReplaced(t *testing.T) {
	s := &streets{rings: true, near: true}
	before := len(opened(t))
	l, c, err := s.connected(t, 2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for turn := range 4 {
		src, want := numbers(100_000, turn)
		if _, err := c.Load(ctx, src, "set", cluster.LoadOptions{Shards: 2, Replace: turn > 0}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := readAll(ctx, c, "set", data.Want{Column: 0, Kind: num.I64}); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("turn %d: other rows than were stored, or %v", turn, err)
			}
		}
	}
	if c.Near() == 0 {
		t.Error("nothing was read where it lies")
	}
	if _, err := readAll(ctx, c, "set", data.Want{Column: 0, Kind: num.I64, Bound: 10}); err == nil || c.Near() == 0 {
		t.Errorf("numbers beyond their bound: %v, of %d files", err, c.Near())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n := c.Near(); n != 0 {
		t.Errorf("%d files are open after the client's end", n)
	}
	if _, err := readAll(ctx, c, "set", data.Want{Column: 0, Kind: num.I64}); err == nil {
		t.Error("a client that was closed reads")
	}
	if err := l.Client.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for until := time.Now().Add(patience); len(opened(t)) > before; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d files of shards are open after the end of all, %d before", len(opened(t)), before)
		}
	}
}

// What it takes to open a shard's file is measured on several: what one of them waits for is not expected of all.
func TestNearIsMeasuredOnSeveralShards(t *testing.T) {
	s := &streets{rings: true, near: true}
	l, c, err := s.connected(t, 2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for name, rows := range map[string]int{"small": 1000, "large": 4 * 400_000} {
		src, _ := numbers(rows, 0)
		if _, err := c.Load(ctx, src, name, cluster.LoadOptions{Shards: 4}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readAll(ctx, c, "small", data.Want{Column: 0, Kind: num.I64}); err != nil { // from then on the two share memory
		t.Fatal(err)
	}
	before := c.Near()
	link, err := c.Way(ctx, "large")
	if err != nil {
		t.Fatal(err)
	}
	if opened := c.Near() - before; opened != 3 || link.NearOpen.P50 <= 0 {
		t.Errorf("%d files were opened to measure how long that takes, want 3: %+v", opened, link.NearOpen)
	}
	for _, end := range []func() error{c.Close, l.Client.Close, l.Close} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

// Without its nodes a client reads nothing, though it has their files open.
func TestNearEnds(t *testing.T) {
	s := &streets{rings: true, near: true}
	l, c, err := s.connected(t, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	src, want := numbers(100_000, 0)
	if _, err := c.Load(ctx, src, "set", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	w := data.Want{Column: 0, Kind: num.I64}
	if got, err := readAll(ctx, c, "set", w); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("other rows than were stored, or %v", err)
	}
	if n := c.Near(); n != 2 {
		t.Fatalf("%d files of nodes are read where they lie, of 2", n)
	}
	for _, n := range l.Nodes {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
	for until := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		within, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_, err := readAll(within, c, "set", w)
		cancel()
		if err != nil {
			break
		}
		if time.Now().After(until) {
			t.Fatal("rows are read of nodes that are gone")
		}
	}
	_ = l.Close() // its nodes have ended
}
