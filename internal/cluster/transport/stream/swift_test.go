package stream

import (
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// doubler answers a number with its double: at once if it is no multiple of three, later if it is, and of seven never.
type doubler struct {
	*hand
	atOnce int
}

func (e *doubler) Swift(_ catalog.Peer, b, room []byte) ([]byte, bool) {
	if len(b) != 8 {
		return nil, false
	}
	n := binary.LittleEndian.Uint64(b)
	switch {
	case n%7 == 0:
		return nil, true
	case n%3 == 0:
		return nil, false
	}
	e.atOnce++
	return binary.LittleEndian.AppendUint64(room, 2*n), true
}

// What a handler answers at once and what it does not come back once each, whoever else writes to the peer meanwhile, and however few
// parcels are granted.
func TestSwift(t *testing.T) {
	const count = 3_000
	for _, grant := range []Grant{{}, {Parcels: 3, Bytes: 100}} {
		w := newWorld(t, false)
		w.rings = true
		var mu sync.Mutex
		answers, aside := map[uint64]int{}, 0
		done := make(chan struct{}, 1)
		const want = count - (count+6)/7
		near := w.begin(Options{Self: 1, Listener: w.listen("127.0.0.1:0"), Grant: grant}, &hand{receive: func(_ catalog.Peer, m []byte) {
			mu.Lock()
			defer mu.Unlock()
			if len(m) > 8 {
				aside++
			} else {
				answers[binary.LittleEndian.Uint64(m)]++
			}
			if len(answers) == want && aside == count {
				done <- struct{}{}
			}
		}})
		var far *Transport
		e := &doubler{}
		send := func(tr *Transport, to catalog.Peer, b []byte) {
			for start := time.Now(); tr.Send(to, b) != nil && time.Since(start) < patience; {
				time.Sleep(20 * time.Microsecond)
			}
		}
		e.hand = &hand{receive: func(from catalog.Peer, m []byte) {
			if len(m) != 8 || binary.LittleEndian.Uint64(m)%7 == 0 {
				return
			}
			go send(far, from, binary.LittleEndian.AppendUint64(nil, 2*binary.LittleEndian.Uint64(m))) // who reads must not wait for credit
		}}
		l := w.listen("127.0.0.1:0")
		w.known[2] = l.Addr().String()
		far = w.begin(Options{Self: 2, Listener: l, Grant: grant}, e)
		near.Know(w.known)
		send(near, 2, make([]byte, 9))
		w.ringed(near, 2)
		go func() {
			for range count {
				send(far, 1, make([]byte, 100))
			}
		}()
		for n := range uint64(count) {
			send(near, 2, binary.LittleEndian.AppendUint64(nil, n))
		}
		select {
		case <-done:
		case <-time.After(patience):
			mu.Lock()
			t.Fatalf("grant %+v: %d of %d answers, %d of %d others", grant, len(answers), want, aside, count)
		}
		time.Sleep(10 * time.Millisecond)
		mu.Lock()
		for n := range uint64(count) {
			if k := answers[2*n]; n%7 == 0 && k != 0 || n%7 != 0 && k != 1 {
				t.Errorf("grant %+v: %d was answered %d times", grant, n, k)
			}
		}
		if len(answers) != want || aside != count {
			t.Errorf("grant %+v: %d answers, %d others", grant, len(answers), aside)
		}
		mu.Unlock()
		for i := range 200 { // now nobody else writes
			n := uint64(1_000_000 + 21*i + 1)
			send(near, 2, binary.LittleEndian.AppendUint64(nil, n))
			for start := time.Now(); time.Since(start) < patience; time.Sleep(50 * time.Microsecond) {
				mu.Lock()
				k := answers[2*n]
				mu.Unlock()
				if k > 0 {
					break
				}
			}
		}
		near.Close()
		far.Close()
		if e.atOnce == 0 {
			t.Errorf("grant %+v: none was answered at once", grant)
		}
	}
}
