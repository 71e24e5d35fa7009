package mem

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// stretchOf is a part of a file of its own, with bytes before and after it.
func stretchOf(t *testing.T, r *rand.Rand, offset, length int64) (Stretch, []byte) {
	t.Helper()
	all := make([]byte, offset+length+r.Int64N(3*Page))
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	path := filepath.Join(t.TempDir(), "stretch")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return Stretch{f, offset, length}, all[offset:][:length]
}

// What is joined has the bytes of all stretches, wherever these begin and end in their pages, once the caller has filled in what cannot be mapped.
func TestJoin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	joined, copies := 0, 0
	for range 200 {
		var list []Stretch
		var want []byte
		shift := r.Int64N(Page)
		for range 1 + r.IntN(4) {
			offset := shift + int64(len(want)) + Page*r.Int64N(3)
			if r.IntN(4) == 0 {
				offset = r.Int64N(2 * Page) // which seldom fits
			}
			s, b := stretchOf(t, r, offset%(8*Page), 1+r.Int64N(6*Page))
			list, want = append(list, s), append(want, b...)
		}
		j, err := Join(list)
		if errors.Is(err, ErrApart) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		mapped := 0
		for i := range list {
			part, is := j.Part(i)
			if is {
				Bring(part)
				mapped += len(part)
				continue
			}
			copies++
			if err := read(list[i], part, 0); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(j.Bytes(), want) {
			t.Fatalf("other bytes than those of the stretches: %+v", list)
		}
		if 2*mapped < len(want) {
			t.Errorf("%d of %d bytes are mapped", mapped, len(want))
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		joined++
	}
	if joined < 50 || copies < 10 {
		t.Errorf("%d were joined, with %d copies: too few to tell", joined, copies)
	}
}

// Pages that are mapped are the file's own: what others write to it is seen.
func TestJoinShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, _ := stretchOf(t, r, 100, 4*Page)
	b, _ := stretchOf(t, r, 100, 4*Page)
	j, err := Join([]Stretch{a, b})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	w, err := os.OpenFile(b.File.Name(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	part, mapped := j.Part(1)
	before := part[2*Page]
	if _, err := w.WriteAt([]byte{before + 1}, b.Offset+2*Page); err != nil {
		t.Fatal(err)
	}
	if !mapped || part[2*Page] != before+1 {
		t.Errorf("mapped is %v, and the byte is %d after %d was written", mapped, part[2*Page], before+1)
	}
}

// Too short files, and those that fit nowhere, are refused.
func TestJoinRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, _ := stretchOf(t, r, 0, 4*Page)
	b, _ := stretchOf(t, r, 1, 4*Page)
	c, _ := stretchOf(t, r, 2, 4*Page)
	short := a
	short.Length = leastStretch - 1
	for _, list := range [][]Stretch{nil, {a, b, c}, {short}} {
		if j, err := Join(list); !errors.Is(err, ErrApart) {
			t.Errorf("%d stretches: %v, %v", len(list), j, err)
		}
	}
	if err := os.Truncate(a.File.Name(), Page); err != nil {
		t.Fatal(err)
	}
	a.Length -= 100 // so that its end is a copy
	if _, err := Join([]Stretch{a, {b.File, Page - 100, 2 * Page}}); err == nil {
		t.Error("a file that was cut short is joined")
	}
}
