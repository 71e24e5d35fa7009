package ring

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"unsafe"
)

// This file runs the code of both sides of a ring in one goroutine, which a seed switches at every
// access to a word that they share. Sides die there, stand still, and write rubbish.

// aligned is memory as a mapping is.
func aligned() []byte {
	words := make([]uint64, Bytes/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), Bytes)
}

var errDead = errors.New("the other side is dead")

// killed ends a side wherever it is.
type killed struct{}

// play is one seed's run.
type play struct {
	r      *rand.Rand
	memory []byte
	table  []byte // of which messages are pieces
	sent   [][]byte
	told   int // messages that the consumer was told of when the producer ended
	got    int
	dead   [2]bool // 0 is the producer
	rung   [bells]bool
	waits  [2]bool
	broken error // what the consumer found
	failed error // what the producer found
	ended  bool  // the consumer has taken what there is
	fault  string
}

// side is a sleeper whose other side is in the same play.
type side struct {
	*play
	self  int
	yield func()
}

func (s *side) ring(b bell)    { s.rung[b] = true }
func (s *side) found(bell)     {}
func (s *side) spin(bell) bool { return s.r.IntN(3) == 0 }

func (s *side) wait(b bell) error {
	for !s.rung[b] {
		if s.dead[1-s.self] {
			return errDead
		}
		s.waits[s.self] = true
		s.yield()
		s.waits[s.self] = false
	}
	s.rung[b] = false
	return nil
}

// run makes a coroutine of a side.
func run(f func(yield func())) (next func() bool, kill func()) {
	step, stop := iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if p := recover(); p != nil {
				if _, dies := p.(killed); !dies {
					panic(p)
				}
			}
		}()
		f(func() {
			if !yield(struct{}{}) {
				panic(killed{})
			}
		})
	})
	return func() bool { _, more := step(); return more }, stop
}

func (p *play) produce(yield func(), at uint64) {
	out := putter{way: wayIn(p.memory, 0, yield), sleeper: &side{p, 0, yield}, end: at, told: at, taken: at}
	for i, m := range p.sent {
		k := p.r.IntN(len(m) + 1)
		more := i+1 < len(p.sent) && p.r.IntN(2) == 0
		if p.failed = out.put(m[:k], m[k:], more); p.failed != nil {
			return
		}
		if out.told == out.end {
			p.told = i + 1
		}
	}
}

func (p *play) consume(yield func(), at uint64) {
	in := taker{way: wayIn(p.memory, 0, yield), sleeper: &side{p, 1, yield}, most: len(p.table), end: at, told: at, written: at}
	for {
		m, err := in.take()
		if errors.Is(err, errDead) {
			if m, err = in.rest(); m == nil && err == nil {
				p.ended = true
				return
			}
		}
		if err != nil {
			p.broken = err
			return
		}
		if p.got < len(p.sent) && !bytes.Equal(m, p.sent[p.got]) || p.got >= len(p.sent) {
			p.fault = fmt.Sprintf("message %d is another one, of %d bytes", p.got, len(m))
			return
		}
		p.got++
	}
}

// perform runs a play. With rubbish, somebody writes what nobody writes.
func (p *play) perform(rubbish bool) string {
	at := p.r.Uint64() &^ 7
	if p.r.IntN(4) == 0 {
		at = -uint64(p.r.IntN(Size)) &^ 7 // counts go around
	}
	w := wayIn(p.memory, 0, nil)
	w.store(written, at)
	w.store(taken, at)
	w.store(asleep, 0)
	w.store(crowded, 0)
	var next [2]func() bool
	var kill [2]func()
	next[0], kill[0] = run(func(y func()) { p.produce(y, at) })
	next[1], kill[1] = run(func(y func()) { p.consume(y, at) })
	defer kill[0]()
	defer kill[1]()
	victim, when := -1, p.r.IntN(200)
	if !rubbish && p.r.IntN(2) == 0 {
		victim = p.r.IntN(2)
	}
	slow, slowly := 0, 1
	for step := 0; !p.dead[1]; step++ {
		if step > 1_000_000 {
			return "it does not end"
		}
		if p.r.IntN(40) == 0 {
			slow, slowly = p.r.IntN(2), 1+p.r.IntN(40)
		}
		i := p.r.IntN(2)
		if i == slow && p.r.IntN(slowly) != 0 {
			i = 1 - i // the other one stands still for a while
		}
		if step == when && victim >= 0 {
			i = victim
			kill[i]()
			p.dead[i] = true
			continue
		}
		if rubbish && p.r.IntN(20) == 0 {
			p.damage(at)
		}
		if p.dead[i] {
			i = 1 - i
		}
		if !next[i]() {
			p.dead[i] = true
		}
		if p.waits[0] && p.waits[1] && !p.rung[toTake] && !p.rung[toWrite] && !rubbish {
			return "both sides sleep"
		}
		if rubbish && p.waits[0] && p.waits[1] {
			kill[0]() // who writes rubbish is not helped
			p.dead[0] = true
		}
	}
	switch {
	case rubbish:
		return ""
	case p.fault != "":
		return p.fault
	case p.broken != nil || p.failed != nil && !errors.Is(p.failed, errDead):
		return fmt.Sprintf("honest sides find fault: %v, %v", p.broken, p.failed)
	case victim != 1 && (p.got < p.told || !p.ended):
		return fmt.Sprintf("%d messages were taken of %d that were told", p.got, p.told)
	case victim < 0 && p.got != len(p.sent):
		return fmt.Sprintf("%d messages were taken of %d", p.got, len(p.sent))
	}
	return ""
}

// damage writes to a word, or to the ring where the consumer reads next.
func (p *play) damage(at uint64) {
	w := wayIn(p.memory, 0, nil)
	v := p.r.Uint64()
	if p.r.IntN(2) == 0 {
		v = at + uint64(p.r.IntN(2*Size))
	}
	switch k := p.r.IntN(4); k {
	case 0:
		w.store(p.r.IntN(words), v)
	case 1:
		w.store(asleep, v)
	default:
		b := make([]byte, 8)
		for i := range b {
			b[i] = byte(p.r.Uint32() >> (8 * p.r.IntN(4)))
		}
		w.copyIn(w.load(taken)+uint64(8*p.r.IntN(64)), b)
	}
}

func newPlay(seed uint64, memory, table []byte) *play {
	p := &play{r: rand.New(rand.NewPCG(seed, 0)), memory: memory, table: table}
	large := 12
	if seed%8 == 0 { // the ring is full again and again
		large = 3
	}
	for range 1 + p.r.IntN(30) {
		n := p.r.IntN(100)
		switch p.r.IntN(large) {
		case 0:
			n = p.r.IntN(4 * piece)
		case 1:
			n = piece - 8 + p.r.IntN(24)
		}
		from := p.r.IntN(len(table) - n)
		p.sent = append(p.sent, table[from:from+n])
	}
	return p
}

// However two sides are switched, and wherever one of them dies or stands still, messages arrive once, whole
// and in order, those that were told arrive, and nobody sleeps for ever.
func TestModel(t *testing.T) {
	memory, table := aligned(), make([]byte, 5*piece)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range table {
		table[i] = byte(r.Uint32())
	}
	first, n := uint64(1), 10_000
	if s := os.Getenv("GODWIT_RING_SEED"); s != "" {
		one, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, n = one, 1
	}
	found := 0
	for seed := first; seed < first+uint64(n); seed++ {
		p := newPlay(seed, memory, table)
		rubbish := seed%3 == 0
		if why := p.perform(rubbish); why != "" {
			t.Fatalf("seed %d (GODWIT_RING_SEED): %s", seed, why)
		}
		if rubbish && p.broken != nil {
			if as := (*BrokenError)(nil); !errors.As(p.broken, &as) {
				t.Fatalf("seed %d: %v", seed, p.broken)
			}
			found++
		}
	}
	if n > 1 && found < n/30 {
		t.Errorf("rubbish was found in %d of %d runs", found, n/3)
	}
	t.Logf("rubbish was found in %d of %d runs", found, n/3)
}
