package ring

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// still is a sleeper that nobody wakes.
type still struct{}

func (still) ring(bell)       {}
func (still) found(bell)      {}
func (still) spin(bell) bool  { return false }
func (still) wait(bell) error { return errDead }

// What a peer writes that no peer writes is found, and named.
func TestRubbish(t *testing.T) {
	record := func(n, after uint32, bytes int) []byte {
		b := binary.LittleEndian.AppendUint32(nil, n)
		return append(binary.LittleEndian.AppendUint32(b, after), make([]byte, bytes)...)
	}
	const at = 1 << 20
	for _, c := range []struct {
		name    string
		ring    []byte
		written uint64 // after at
		want    string
	}{
		{"nothing", nil, 0, errDead.Error()},
		{"more than the ring holds", nil, Size + 8, "it has written"},
		{"less than before", nil, ^uint64(7), "it has written"},
		{"a part of a word", record(1, 0, 8), 12, "it has written"},
		{"a record longer than what was written", record(100, 0, 100), 64, "a record has 100 bytes, of 64"},
		{"a record longer than a piece", record(piece+8, 0, piece+8), Size, "a record has"},
		{"a message longer than there may be", record(piece, 1<<30, piece), Size, "expected at most"},
		{"the longest message of all", record(piece, ^uint32(0), piece), Size, "expected at most"},
		{"a short record with more after it", record(8, 8, 8), 16, "expected 65528"},
		{"another message in the midst of one", append(record(piece, 100, piece), record(8, 0, 8)...), Size / 2, "of a message with 100 to come"},
		{"a record of nothing in the midst", append(record(piece, 100, piece), record(0, 100, 0)...), Size / 2, "of a message with 100 to come"},
	} {
		w := wayIn(aligned(), 0, nil)
		w.copyIn(at, c.ring)
		w.store(written, at+c.written)
		in := taker{way: w, sleeper: still{}, most: 1 << 20, end: at, told: at, written: at}
		m, err := in.take()
		if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d bytes, %v", c.name, len(m), err)
		}
		if as := (*BrokenError)(nil); c.want != errDead.Error() && !errors.As(err, &as) {
			t.Errorf("%s: %T", c.name, err)
		}
	}
	for _, taken := range []uint64{at + 24, at - 8} {
		w := wayIn(aligned(), 0, nil)
		out := putter{way: w, sleeper: still{}, end: at, told: at, taken: at}
		if err := out.put(make([]byte, 8), nil, false); err != nil {
			t.Fatal(err)
		}
		w.store(1, taken) // the word taken
		err := out.look()
		if as := (*BrokenError)(nil); !errors.As(err, &as) {
			t.Errorf("taken at %d: %v", taken, err)
		}
	}
}

// A message that is refused makes no memory.
func TestHold(t *testing.T) {
	w := wayIn(aligned(), 0, nil)
	out := putter{way: w, sleeper: still{}}
	if err := out.put(make([]byte, 100), make([]byte, 20), false); err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	in := taker{way: w, sleeper: still{}, most: 1000, hold: func(n int) error {
		if n != 120 {
			t.Errorf("asked for %d", n)
		}
		return full
	}}
	if m, err := in.take(); m != nil || !errors.Is(err, full) {
		t.Errorf("%d bytes, %v", len(m), err)
	}
}
