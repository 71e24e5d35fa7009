package daemon

import (
	"bytes"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Kernels over states that somebody wrote by hand. verify accepts them; what they are
// given here must be what its proofs are about. Sizes are B, W and T, the scalar is
// the first row of the window; the regions are one state column, one column of the
// set and what is near.
const (
	honest = `
kernel
size s0 0..1000000
size s1 0..1000000
size s2 0..1000000
scalar i64 0..1000000
region readwrite i64 s0
region read i64 s1
sites 0
outer s0
grain 1
count s0
body o lo hi
  x = load r0 o
  y = add i64 x o
  store r0 o y
  end`
	// beyond has one outer index, at which 4096·o lies in its only element.
	beyond = `
kernel
size s0 0..1000000
size s1 0..1000000
size s2 0..1000000
scalar i64 0..1000000
region readwrite i64 1
region read i64 s1
sites 0
outer 1
grain 1
count 1
body o lo hi
  f = const i64 4096
  at = mul i64 o f
  store r0 at f
  end`
	// writer spoils the column that others read.
	writer = `
kernel
size s0 0..1000000
size s1 0..1000000
size s2 0..1000000
scalar i64 0..1000000
region readwrite i64 s0
region readwrite i64 s0
sites 0
outer s0
grain 1
count s0
body o lo hi
  store r1 o o
  end`
)

// curious gives what lies in scratch memory that it has not written.
const curious = `
kernel
size s0 0..1000000
size s1 0..1000000
size s2 0..1000000
scalar i64 0..1000000
region readwrite i64 s0
region read i64 s1
region scratch i64 s0 + 1000
sites 0
outer s0
grain 1
count s0
body o lo hi
  f = const i64 500
  at = add i64 o f
  x = load r2 at
  store r0 o x
  end`

// rigged is a daemon without a network that holds one shard of four rows.
func rigged(t *testing.T) (*Daemon, shard) {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &Daemon{eng: eng, columns: newColumns(eng)}
	t.Cleanup(func() {
		d.columns.close()
		_ = eng.Close()
	})
	src := data.FromBytes("numbers", []data.Column{{Name: "c", Kind: num.I64}}, 4, [][]byte{words(7, 7, 7, 7)}, nil)
	set := &catalog.Set{ID: 1, Name: "numbers", Rows: 4, Shards: []catalog.Shard{{Lo: 0, Hi: 4}}}
	return d, shard{set, 0, &set.Shards[0], src, nil}
}

func words(vs ...uint64) []byte {
	b := make([]byte, 8*len(vs))
	for i, v := range vs {
		column.Put(num.I64, b, int64(i), v)
	}
	return b
}

// advanced sends two states through a kernel.
func advanced(t *testing.T, d *Daemon, sh shard, text string) ([]byte, error) {
	t.Helper()
	k, err := kernel.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.eng.Kernel(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	values := words(5, 6)
	a := &advancing{d: d, c: c, sh: sh, b: &parcel.Batch{
		Set: 1, States: 2, Kinds: []byte{byte(num.I64)}, Values: [][]byte{values}, Columns: []parcel.Far{{}}}}
	defer a.close()
	if err := a.place(t.Context(), 10); err != nil {
		return values, err
	}
	_, err = a.run(t.Context())
	return values, err
}

// TestHostileBatches: kernels that verify accepts, in places where its proofs do not
// hold.
func TestHostileBatches(t *testing.T) {
	d, sh := rigged(t)
	if got, err := advanced(t, d, sh, honest); err != nil || !bytes.Equal(got, words(5, 7)) {
		t.Errorf("an honest kernel: %v, %x", err, got)
	}
	if _, err := advanced(t, d, sh, beyond); err == nil || !strings.Contains(err.Error(), "1 outer indices, expected one for each of the 2 states") {
		t.Errorf("a kernel of one outer index for two states: %v", err)
	}
	if _, err := advanced(t, d, sh, writer); err == nil || !strings.Contains(err.Error(), "only read") {
		t.Errorf("a kernel that writes a column of the set: %v", err)
	}
	r, err := d.columns.acquire(t.Context(), sh.src, place{1, 0, 0}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.columns.release(r)
	if now := d.eng.Arena().Bytes(r.span.Off, 32); !bytes.Equal(now, words(7, 7, 7, 7)) {
		t.Errorf("the column holds %x", now)
	}
}

// TestAreasOfOthers: kernel memory that travelled states lay in is used again, and its
// bytes are not for the next caller.
func TestAreasOfOthers(t *testing.T) {
	d, sh := rigged(t)
	for range 3 {
		if _, err := advanced(t, d, sh, honest); err != nil {
			t.Fatal(err)
		}
		a, err := d.columns.area(1)
		if err != nil {
			t.Fatal(err)
		}
		secret := d.eng.Arena().Bytes(a.span.Off, a.span.Len)
		for i := range secret {
			secret[i] = 0x5e
		}
		d.columns.putArea(a)
		s, err := d.eng.Arena().Alloc(8 << 10) // as scratch memory of another caller
		if err != nil {
			t.Fatal(err)
		}
		copy(d.eng.Arena().Bytes(s.Off, s.Len), secret)
		d.eng.Arena().Free(s)
		if got, err := advanced(t, d, sh, curious); err != nil || !bytes.Equal(got, words(0, 0)) {
			t.Errorf("another caller's bytes are in what a kernel gives: %x (%v)", got, err)
		}
	}
}
