package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// program is the body of askLoad.
type program struct {
	Program
	sends      int
	bytes      int64
	unconfined bool
}

func (p *program) encode() []byte {
	var f fields
	f.text(p.ID)
	f.text(p.Name)
	f.bytes(p.Object)
	f.texts(p.Deps)
	f.texts(p.Exports)
	f.u64(uint64(p.sends))
	f.u64(uint64(p.bytes))
	f.flag(p.unconfined)
	return f
}

func decodeProgram(b []byte) (*program, error) {
	c := cursor{b: b}
	p := &program{}
	p.ID, p.Name, p.Object = c.text(), c.text(), c.bytes()
	p.Deps, p.Exports = c.texts(), c.texts()
	p.sends, p.bytes = int(c.u64()), int64(c.u64())
	p.unconfined = c.flag()
	return p, c.end()
}

// loaded is the body of sayLoaded.
type loaded struct {
	link  time.Duration
	guard span   // below the stack of X_main
	main  uint64 // address of X_main
	code  uint64 // bytes of the image that may follow it
	// thread is the one that runs X_main.
	thread uint32
}

// span is a piece of the address space.
type span struct{ lo, hi uint64 }

func (s span) holds(a uint64) bool { return s.lo <= a && a < s.hi }

func (l *loaded) encode() []byte {
	var f fields
	f.u64(uint64(l.link))
	f.u64(l.guard.lo)
	f.u64(l.guard.hi)
	f.u64(l.main)
	f.u64(l.code)
	f.u32(l.thread)
	return f
}

func decodeLoaded(b []byte) (*loaded, error) {
	c := cursor{b: b}
	l := &loaded{link: time.Duration(c.u64()), guard: span{c.u64(), c.u64()}, main: c.u64(), code: c.u64(), thread: c.u32()}
	return l, c.end()
}

// question is the body of askCall. The descriptors of the regions come with it, in
// the order of the grants.
type question struct {
	mark    uint64 // a number nobody can foresee; the answer begins with it
	init    bool
	self    uint32
	nodes   []uint32
	grants  []granted
	payload []byte
}

type granted struct {
	name  string
	size  int64
	write bool
}

func (q *question) encode() []byte {
	f := make(fields, 0, 64+4*len(q.nodes)+len(q.payload))
	f.u64(q.mark)
	f.flag(q.init)
	f.u32(q.self)
	f.u32(uint32(len(q.nodes)))
	for _, n := range q.nodes {
		f.u32(n)
	}
	f.u32(uint32(len(q.grants)))
	for _, g := range q.grants {
		f.text(g.name)
		f.u64(uint64(g.size))
		f.flag(g.write)
	}
	f.bytes(q.payload)
	return f
}

func decodeQuestion(b []byte) (*question, error) {
	c := cursor{b: b}
	q := &question{mark: c.u64(), init: c.flag(), self: c.u32()}
	q.nodes = make([]uint32, c.count(4))
	for i := range q.nodes {
		q.nodes[i] = c.u32()
	}
	q.grants = make([]granted, c.count(13))
	for i := range q.grants {
		q.grants[i] = granted{c.text(), int64(c.u64()), c.flag()}
	}
	q.payload = c.bytes()
	return q, c.end()
}

// answered and failed are bodies of answers to a question.
func (q *question) answered(o *Outcome) []byte { return o.appendTo(q.begin(o.size())) }

func (q *question) failed(err error) []byte {
	text := err.Error()
	return append(q.begin(len(text)), text...)
}

func (q *question) begin(n int) fields {
	f := make(fields, 0, markBytes+n)
	f.u64(q.mark)
	return f
}

// opened takes the mark off an answer. Without it nobody asked for the answer: what
// was written before the question came does not have it.
func (q *question) opened(answer []byte) ([]byte, error) {
	if len(answer) < markBytes || binary.LittleEndian.Uint64(answer) != q.mark {
		return nil, errors.New("an answer that nobody asked for")
	}
	return answer[markBytes:], nil
}

const markBytes = 8

func (o *Outcome) size() int {
	n := 64 + len(o.Reply)
	for _, s := range o.Sends {
		n += 16 + len(s.Package) + len(s.Payload)
	}
	return n
}

func (o *Outcome) appendTo(f fields) fields {
	f.flag(o.Replied)
	f.bytes(o.Reply)
	f.u64(uint64(o.Run))
	f.u32(uint32(len(o.Sends)))
	for _, s := range o.Sends {
		f.u32(s.To)
		f.text(s.Package)
		f.bytes(s.Payload)
	}
	return f
}

// sendHead is what a Send takes in a frame beside its package and payload.
const sendHead = 12

// decodeOutcome reads what a worker says it did, and holds it to the limits.
func decodeOutcome(b []byte, l Limits) (*Outcome, error) {
	c := cursor{b: b}
	o := &Outcome{Replied: c.flag(), Reply: c.bytes(), Run: time.Duration(c.u64())}
	o.Sends = make([]Send, c.count(sendHead))
	total := int64(len(o.Reply))
	for i := range o.Sends {
		o.Sends[i] = Send{c.u32(), c.text(), c.bytes()}
		total += int64(len(o.Sends[i].Payload))
		if c.err == nil && len(o.Sends[i].Package) > maxPackageName {
			return nil, fmt.Errorf("a package name of %d bytes, expected at most %d", len(o.Sends[i].Package), maxPackageName)
		}
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	if len(o.Sends) > l.Sends || total > l.Bytes {
		return nil, fmt.Errorf("%d parcels and %d bytes, expected at most %d and %d", len(o.Sends), total, l.Sends, l.Bytes)
	}
	if !o.Replied && len(o.Reply) > 0 {
		return nil, fmt.Errorf("%d bytes of a reply that was not given", len(o.Reply))
	}
	return o, nil
}

// maxPackageName is the length of a hash in hexadecimal digits, or of the longest name.
const maxPackageName = 64

// maxAnswer bounds a worker's frame.
func (l Limits) maxAnswer() int64 {
	return markBytes + l.Bytes + int64(l.Sends)*(sendHead+maxPackageName) + maxText
}
