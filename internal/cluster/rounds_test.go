package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// TestRounds: walks that are brought their rows give the bits, and the faults, of walks that move and of one machine: walks of
// many lengths, with rows of several elements, that end where the data say, that fault, and none at all.
func TestRounds(t *testing.T) {
	const rows, starts = 40_009, 700
	next, pairs, from := make([]byte, 8*rows), make([]byte, 8*rows), make([]byte, 8*starts)
	for i := range int64(rows) {
		column.Put(num.I64, next, i, uint64((i*7919+13)%rows))
		column.Put(num.I32, pairs, 2*i, uint64((i*31+7)%rows))
		column.Put(num.I32, pairs, 2*i+1, uint64(i%5))
	}
	for i := range int64(starts) {
		column.Put(num.I64, from, i, uint64(i*57%rows))
	}
	table := data.FromBytes("next", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, rows, [][]byte{next}, nil)
	wide := data.FromBytes("pairs", []data.Column{{Name: "c", Kind: num.I32, Stored: "i32", Dims: []int64{2}}}, rows, [][]byte{pairs}, nil)
	at := func(n int64) compile.Table {
		return compile.Table{Source: data.FromBytes("from", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, n, [][]byte{from[:8*n]}, nil)}
	}
	b := newBed(t, 4)
	for name, src := range map[string]data.Source{"next": table, "pairs": wide} {
		if err := b.load(src, name, cluster.LoadOptions{Shards: 5, Replicas: 2, By: "rows"}); err != nil {
			t.Fatal(err)
		}
	}
	const ranged = "where N: Range<1, 1_000_000_000>, K: Range<0, 1_000_000>, n: Range<0, 1000> "
	for _, c := range []struct {
		name, text, set string
		starts          int64
		brought         bool
	}{
		{"all of the same length", "fn f(v: &[idx<N>; N], at: &[idx<N>; K], n: u32) -> [idx<N>; K] " + ranged + "{ at.map(|s| { let mut i = s; for _ in 0..n { i = v[i]; } i }) }", "next", starts, true},
		{"ends where data say", "fn f(v: &[idx<N>; N], at: &[idx<N>; K], n: u32) -> [idx<N>; K] " + ranged + "{ at.map(|s| { let mut i = s; for _ in 0..n { if (i as i64) % 11 == 3 { break; } i = v[i]; } i }) }", "next", starts, true},
		{"may fault", "fn f(v: &[idx<N>; N], at: &[idx<N>; K], n: u32) -> [i64; K] " + ranged + "{ at.map(|s| { let mut i = s; let mut a = 1; for _ in 0..n { i = v[i]; a = a * ((i as i64) % 1000 + 2); } a }) }", "next", starts, true},
		{"rows of two", "fn f(v: &[[i32; 2]; N], at: &[idx<N>; K], n: u32) -> [i64; K] " + ranged + "{ at.map(|s| (v[s][0] as i64) * 10 + (v[s][1] as i64) + (n as i64)) }", "pairs", starts, true},
		{"no walk", "fn f(v: &[idx<N>; N], at: &[idx<N>; K], n: u32) -> [idx<N>; K] " + ranged + "{ at.map(|s| { let mut i = s; for _ in 0..n { i = v[i]; } i }) }", "next", 0, false},
	} {
		f := compiled(t, diag.NewSource("f.gw", c.text))
		here := table
		if c.set == "pairs" {
			here = wide
		}
		args := compile.Args{"v": compile.Table{Source: here}, "at": at(c.starts), "n": compile.Text("37")}
		want, err := b.run(context.Background(), f, args, run.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		remote, err := b.Client.Open(c.set)
		if err != nil {
			t.Fatal(err)
		}
		args["v"] = compile.Table{Source: remote}
		for _, s := range []cluster.Strategy{cluster.Gather, cluster.Ship} {
			got, err := b.beside(context.Background(), f, args, s)
			if err == nil {
				err = same(want, got)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, s, err)
				continue
			}
			if s == cluster.Gather && want.fault == "" && c.brought != strings.Contains(got.places(), "are brought their rows") {
				t.Errorf("%s: %s", c.name, got.places())
			}
		}
	}
}

// TestRoundsFindBadIndices: an element that is no index of the table is an error that names the row, as where rows are fetched.
func TestRoundsFindBadIndices(t *testing.T) {
	const rows = 1000
	next := make([]byte, 8*rows)
	for i := range int64(rows) {
		column.Put(num.I64, next, i, uint64((i+1)%rows))
	}
	column.Put(num.I64, next, 20, rows)
	src := data.FromBytes("next", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, rows, [][]byte{next}, nil)
	b := newBed(t, 2)
	if err := b.load(src, "next", cluster.LoadOptions{Shards: 2, By: "rows"}); err != nil {
		t.Fatal(err)
	}
	remote, err := b.Client.Open("next")
	if err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[idx<N>; N], n: u32) -> idx<N> where N: Range<1, 1_000_000>, n: Range<0, 1000> { let mut i = v[0]; for _ in 0..n { i = v[i]; } i }"))
	_, err = b.beside(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}, "n": compile.Text("50")}, cluster.Gather)
	if want := fmt.Sprintf("@next: row 20: column `c`: expected an index below %d, found %d", rows, rows); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, expected %s", err, want)
	}
}

// TestRoundsGoOnWithReplicas: nodes that end are no end of the walks.
func TestRoundsGoOnWithReplicas(t *testing.T) {
	const rows = 5000
	next := make([]byte, 8*rows)
	for i := range int64(rows) {
		column.Put(num.I64, next, i, uint64((i*7919+13)%rows))
	}
	src := data.FromBytes("next", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, rows, [][]byte{next}, nil)
	b := newBed(t, 4)
	if err := b.load(src, "next", cluster.LoadOptions{Shards: 4, Replicas: 2, By: "rows"}); err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[idx<N>; N], n: u32) -> idx<N> where N: Range<1, 1_000_000>, n: Range<0, 100_000> { let mut i = v[0]; for _ in 0..n { i = v[i]; } i }"))
	args := compile.Args{"v": compile.Table{Source: src}, "n": compile.Text("20000")}
	want, err := b.run(context.Background(), f, args, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	remote, err := b.Client.Open("next")
	if err != nil {
		t.Fatal(err)
	}
	args["v"] = compile.Table{Source: remote}
	wait := later(200_000_000, func() { b.end(t, 1) })
	got, err := b.beside(context.Background(), f, args, cluster.Gather)
	wait()
	if err == nil {
		err = same(want, got)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoundsOfWideRows: where rows are long, as many states are brought theirs at a time as there is room for.
func TestRoundsOfWideRows(t *testing.T) {
	const rows, width, starts = 6, 1 << 18, 100 // 1 MiB a row: 32 at a time
	values, from := make([]byte, 4*rows*width), make([]byte, 8*starts)
	for i := range int64(rows * width) {
		column.Put(num.I32, values, i, uint64(i%1009))
	}
	for i := range int64(starts) {
		column.Put(num.I64, from, i, uint64(i*7%rows))
	}
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.I32, Stored: "i32", Dims: []int64{width}}}, rows, [][]byte{values}, nil)
	b := newBed(t, 2)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 2, By: "rows"}); err != nil {
		t.Fatal(err)
	}
	remote, err := b.Client.Open("v")
	if err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", fmt.Sprintf("fn f(v: &[[i32; %d]; N], at: &[idx<N>; K]) -> [i32; K] where N: Range<1, 1000>, K: Range<0, 1000> { at.map(|s| v[s][77] +%% v[s][%d]) }", width, width-1)))
	args := compile.Args{"v": compile.Table{Source: src}, "at": compile.Table{Source: data.FromBytes("from", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, starts, [][]byte{from}, nil)}}
	want, err := b.run(context.Background(), f, args, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	args["v"] = compile.Table{Source: remote}
	got, err := b.beside(context.Background(), f, args, cluster.Gather)
	if err == nil {
		err = same(want, got)
	}
	if err != nil || !strings.Contains(got.places(), "are brought their rows") || got.Parcels <= starts { // two rows a parcel, and an answer each, if all were brought at once
		t.Fatalf("%v, %+v", err, got)
	}
}
