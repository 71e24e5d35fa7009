package codegen

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestWireRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytesOf := rapid.SliceOf(rapid.Byte())
		r := &request{kind: kind(rapid.Byte().Draw(t, "kind")), id: rapid.Uint64().Draw(t, "id"), job: Job{
			Form: Form(rapid.Byte().Draw(t, "form")), Source: bytesOf.Draw(t, "source"),
			Target:   Target{rapid.String().Draw(t, "arch"), rapid.String().Draw(t, "cpu"), rapid.String().Draw(t, "features"), int(rapid.Uint16().Draw(t, "vectors"))},
			Optimise: rapid.Bool().Draw(t, "optimise"), Assembly: rapid.Bool().Draw(t, "assembly"),
		}}
		a := &answer{id: r.id, status: status(rapid.Byte().Draw(t, "status")), micros: rapid.Int64().Draw(t, "micros"), body: bytesOf.Draw(t, "body")}
		var pipe bytes.Buffer
		for _, message := range []func([]byte) []byte{r.append, a.append} {
			if err := writeFrame(&pipe, message); err != nil {
				t.Fatal(err)
			}
		}
		first, err1 := readFrame(&pipe)
		second, err2 := readFrame(&pipe)
		if _, err := readFrame(&pipe); err1 != nil || err2 != nil || !errors.Is(err, io.EOF) {
			t.Fatal(err1, err2, err)
		}
		if got, err := readRequest(first); err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("%+v, expected %+v: %v", got, r, err)
		}
		if got, err := readAnswer(second); err != nil || !reflect.DeepEqual(got, a) {
			t.Fatalf("%+v, expected %+v: %v", got, a, err)
		}
		for n := range first {
			if _, err := readRequest(first[:n]); err == nil {
				t.Fatalf("%d of %d bytes are read", n, len(first))
			}
		}
	})
}

func TestFrames(t *testing.T) {
	for name, c := range map[string]struct {
		b    string
		want string
	}{
		"cut head": {"\x01\x00", "unexpected EOF"},
		"cut body": {"\x02\x00\x00\x00x", "unexpected EOF"},
		"no body":  {"\x02\x00\x00\x00", "unexpected EOF"},
		"too long": {"\x00\x00\x00\xff", "a frame of 4278190080 bytes, expected at most 67108864"},
	} {
		if _, err := readFrame(bytes.NewReader([]byte(c.b))); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readAnswer([]byte{7}); err == nil || err.Error() != "damaged answer: version 7, expected 1: the compiler's process is another build of this program" {
		t.Error(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), role+"=child")
	child.Stdin = bytes.NewReader([]byte("\x01\x00\x00\x00\x09"))
	if out, err := child.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("version 9, expected 1")) {
		t.Errorf("a child that is asked in another version: %v %s", err, out)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add((&request{kind: askCompile, job: ir("f")}).append(nil))
	f.Add((&answer{status: done, body: []byte("object")}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := readRequest(b); err == nil {
			// Flags beyond the two are not kept; all else is.
			if got, err := readRequest(r.append(nil)); err != nil || !reflect.DeepEqual(got, r) {
				t.Errorf("%+v, expected %+v: %v", got, r, err)
			}
		}
		if a, err := readAnswer(b); err == nil && !bytes.Equal(a.append(nil), b) {
			t.Error("an answer has two encodings")
		}
	})
}
