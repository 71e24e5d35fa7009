package parcel

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// fuzz holds a reader to its promise: bytes that it accepts are the only ones
// for what it read.
func fuzz[T any, P interface {
	*T
	Append([]byte) []byte
}](f *testing.F, seed func(*rapid.T) P, read func([]byte) (P, error)) {
	for i := range 20 {
		f.Add(rapid.Custom(seed).Example(i).Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := read(b)
		if err != nil {
			if _, ok := err.(*FormatError); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if again := v.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x was accepted, and written as %x", b, again)
		}
	})
}

func FuzzTask(f *testing.F)    { fuzz(f, task, ReadTask) }
func FuzzTree(f *testing.F)    { fuzz(f, tree, ReadTree) }
func FuzzBatch(f *testing.F)   { fuzz(f, batch, readBatch) }
func FuzzGather(f *testing.F)  { fuzz(f, gather, ReadGather) }
func FuzzBlob(f *testing.F)    { fuzz(f, file, ReadBlob) }
func FuzzPart(f *testing.F)    { fuzz(f, part, ReadPart) }
func FuzzCall(f *testing.F)    { fuzz(f, call, ReadCall) }
func FuzzAnswer(f *testing.F)  { fuzz(f, answer, ReadAnswer) }
func FuzzFailure(f *testing.F) { fuzz(f, failure, ReadFailure) }

func FuzzParcel(f *testing.F) {
	for i := range 20 {
		b, err := rapid.Custom(parcel).Example(i).Append(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Decode(b)
		if err != nil {
			return
		}
		again, err := p.Append(nil)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x was accepted, and written as %x: %v", b, again, err)
		}
	})
}
