package parcel

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// same holds that what was written is read again, as the same value, and in the
// only way: the value's bytes are those that were read.
func same[T any, P interface {
	*T
	Append([]byte) []byte
}](t *rapid.T, want P, read func([]byte) (P, error)) {
	b := want.Append([]byte("before"))[len("before"):]
	got, err := read(b)
	if err != nil {
		t.Fatalf("%v, in %x", err, b)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("read %+v\nnot  %+v", got, want)
	}
	if again := got.Append(nil); !bytes.Equal(again, b) {
		t.Fatalf("written again as %x\nnot %x", again, b)
	}
	for n := range b {
		if _, err := read(b[:n]); err == nil && n < len(b) && !extends(want) {
			t.Fatalf("the first %d of %d bytes are taken for the whole: %x", n, len(b), b)
		}
	}
	if _, err := read(append(b[:len(b):len(b)], 0)); err == nil && !extends(want) {
		t.Fatalf("a byte more is accepted: %x", b)
	}
}

// extends tells payloads whose last field has no length of its own.
func extends(v any) bool {
	switch v.(type) {
	case *Blob, *Call:
		return true
	}
	return false
}

func TestRoundTrip(t *testing.T) {
	for name, f := range map[string]func(*rapid.T){
		"task":    func(t *rapid.T) { same(t, task(t), ReadTask) },
		"tree":    func(t *rapid.T) { same(t, tree(t), ReadTree) },
		"batch":   func(t *rapid.T) { same(t, batch(t), readBatch) },
		"gather":  func(t *rapid.T) { same(t, gather(t), ReadGather) },
		"blob":    func(t *rapid.T) { same(t, file(t), ReadBlob) },
		"part":    func(t *rapid.T) { same(t, part(t), ReadPart) },
		"call":    func(t *rapid.T) { same(t, call(t), ReadCall) },
		"answer":  func(t *rapid.T) { same(t, answer(t), ReadAnswer) },
		"failure": func(t *rapid.T) { same(t, failure(t), ReadFailure) },
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, f) })
	}
}

func TestParcelRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := parcel(t)
		b, err := want.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v\nnot  %+v", got, want)
		}
		next := header(t)
		Readdress(b, &next)
		got, err = Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		want.Hops, want.Left, want.Request, want.Caller = next.Hops, next.Left, next.Request, next.Caller
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("readdressed as %+v\nnot  %+v", got, want)
		}
	})
}

// TestReuse reads one thing after the other into the same value.
func TestReuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Batch
		var a Answer
		for range 3 {
			wantB, wantA := batch(t), answer(t)
			bytesB, bytesA := wantB.Append(nil), wantA.Append(nil)
			if err := ReadBatch(&b, bytesB); err != nil {
				t.Fatal(err)
			}
			if err := ReadAnswerInto(&a, bytesA); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Append(nil), bytesB) || !bytes.Equal(a.Append(nil), bytesA) {
				t.Fatalf("read %+v and %+v\nnot %+v and %+v", b, a, wantB, wantA)
			}
		}
	})
}

// TestPiece holds that a tree's pieces are tasks.
func TestPiece(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := tree(t)
		for i, p := range v.Pieces {
			k, err := ReadTask(v.Piece(i).Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			var outs []Extent
			for _, o := range k.Operands {
				if o.How == Out {
					outs = append(outs, Extent{o.First, o.Count})
				}
			}
			if k.Lo != p.Lo || k.Hi != p.Hi || !reflect.DeepEqual(outs, p.Outs) {
				t.Fatalf("piece %+v became the task %+v", p, k)
			}
		}
		for _, o := range v.Task.Operands {
			if o.How == Out && (o.First != 0 || o.Count != 0) {
				t.Fatal("a piece changed the tree")
			}
		}
	})
}

func TestPick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := batch(t)
		var states []int
		for i := range b.States {
			if rapid.Bool().Draw(t, "take") {
				states = append(states, i)
			}
		}
		got, err := readBatch(b.Pick(states).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if got.States != len(states) {
			t.Fatalf("%d states picked, not %d", got.States, len(states))
		}
		for n, i := range states {
			if got.Want(n) != b.Want(i) || got.ID(n) != b.ID(i) {
				t.Fatalf("state %d became %d, %d, not %d, %d", i, got.Want(n), got.ID(n), b.Want(i), b.ID(i))
			}
			for c := range b.Values {
				w := len(b.Values[c]) / b.States
				if !bytes.Equal(got.Values[c][n*w:n*w+w], b.Values[c][i*w:i*w+w]) {
					t.Fatalf("column %d of state %d is not the same", c, i)
				}
			}
		}
	})
}

func readBatch(b []byte) (*Batch, error) {
	into := new(Batch)
	return into, ReadBatch(into, b)
}
