package worker

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var someLimits = Limits{}.withDefaults()

func TestMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 20, 64)
		data := rapid.SliceOfN(rapid.Byte(), 0, 100)
		o := &Outcome{Replied: true, Reply: data.Draw(t, "reply"), Run: 5}
		for range rapid.IntRange(0, 5).Draw(t, "sends") {
			o.Sends = append(o.Sends, Send{rapid.Uint32().Draw(t, "to"), text.Draw(t, "package"), data.Draw(t, "payload")})
		}
		got, err := decodeOutcome(o.encode(), someLimits)
		if err != nil || !bytes.Equal(got.encode(), o.encode()) {
			t.Fatalf("got %+v, %v, expected %+v", got, err, o)
		}
		q := &question{init: true, self: 3, nodes: rapid.SliceOf(rapid.Uint32()).Draw(t, "nodes"), payload: data.Draw(t, "payload")}
		for range rapid.IntRange(0, 5).Draw(t, "grants") {
			q.grants = append(q.grants, granted{text.Draw(t, "name"), rapid.Int64().Draw(t, "size"), rapid.Bool().Draw(t, "write")})
		}
		p := &program{
			Program: Program{"id", "x", data.Draw(t, "object"), rapid.SliceOf(text).Draw(t, "deps"), nil},
			sends:   2, bytes: 3, unconfined: true,
		}
		q2, err1 := decodeQuestion(q.encode())
		p2, err2 := decodeProgram(p.encode())
		if err1 != nil || err2 != nil || !bytes.Equal(q2.encode(), q.encode()) || !bytes.Equal(p2.encode(), p.encode()) {
			t.Fatalf("%v, %v: %+v %+v", err1, err2, q2, p2)
		}
	})
	l := &loaded{1, span{2, 3}, 4, 5, 6}
	if got, err := decodeLoaded(l.encode()); err != nil || !reflect.DeepEqual(got, l) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// An answer beyond the limits is refused, whoever encoded it.
func TestOutcomeLimits(t *testing.T) {
	l := Limits{Sends: 2, Bytes: 10}
	for _, c := range []struct {
		o    Outcome
		want string
	}{
		{Outcome{Replied: true, Reply: make([]byte, 10)}, ""},
		{Outcome{Replied: true, Reply: make([]byte, 11)}, "0 parcels and 11 bytes"},
		{Outcome{Sends: make([]Send, 2)}, ""},
		{Outcome{Sends: make([]Send, 3)}, "3 parcels"},
		{Outcome{Replied: true, Reply: make([]byte, 6), Sends: []Send{{Payload: make([]byte, 5)}}}, "11 bytes"},
		{Outcome{Sends: []Send{{Package: strings.Repeat("a", 65)}}}, "name of 65 bytes"},
		{Outcome{Reply: []byte{1}}, "not given"},
	} {
		_, err := decodeOutcome(c.o.encode(), l)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, expected %q", c.o, err, c.want)
		}
	}
}

// FuzzAnswer is what the node does with the bytes of a worker.
func FuzzAnswer(f *testing.F) {
	f.Add(frame(sayDone, (&Outcome{Replied: true, Reply: []byte("r"), Sends: []Send{{1, "x", []byte("p")}}}).encode()))
	f.Add(frame(sayLoaded, (&loaded{}).encode()))
	f.Add(frame(sayFailed, []byte("text \xff\x1b")))
	f.Add([]byte{255, 255, 255, 255, 3})
	l := Limits{Sends: 10, Bytes: 1000}
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, body, err := readFrame(bytes.NewReader(b), l.maxAnswer())
		if err != nil {
			return
		}
		switch kind {
		case sayLoaded:
			if m, err := decodeLoaded(body); err == nil && !bytes.Equal(m.encode(), body) {
				t.Errorf("%x is read as %+v", body, m)
			}
		case sayDone:
			o, err := decodeOutcome(body, l)
			if err != nil {
				return
			}
			if !bytes.Equal(o.encode(), body) {
				t.Errorf("%x is read as %+v", body, o)
			}
			if len(o.Sends) > l.Sends || int64(len(o.Reply)) > l.Bytes {
				t.Errorf("beyond the limits: %+v", o)
			}
		default:
			if s := printable(body); strings.ContainsAny(s, "\n\x1b") || len(s) > 3*maxText {
				t.Errorf("%q is not printable", s)
			}
		}
	})
}

// FuzzCrash puts crash records into words.
func FuzzCrash(f *testing.F) {
	f.Add([]byte{31}, []byte(""))
	f.Add(bytes.Repeat([]byte{11}, 100), []byte("fatal error: x"))
	f.Fuzz(func(t *testing.T, record, text []byte) {
		whole := append(record, make([]byte, crashRecord)...)[:crashRecord]
		p := &process{name: "x", limits: someLimits, ending: ending{record: whole, text: text}}
		if p.ending.how(p) == "" {
			t.Error("nothing is said")
		}
	})
}

// encode gives the body of sayDone, behind the mark.
func (o *Outcome) encode() []byte { return o.appendTo(make(fields, 0, o.size())) }
