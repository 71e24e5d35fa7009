package node

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// journeys has for each state the rows that it wants, one after the other; and
// faults those that it has when it leaves a row.
var (
	journeys = [][]int64{{10, 60}, {61, 21, 22}, {11}, {12, 62, 23, 63}}
	faultsAt = map[int64]parcel.Fault{10: {Site: 2, Place: 7}, 61: {Site: 1, Place: 3}, 21: {Site: 1, Place: 5}, 12: {Site: 3, Place: 1}}
)

// mail is a caller, two nodes, and the parcels between them.
type mail struct {
	client *caller.Core
	nodes  map[catalog.Peer]*Core
	now    int64
	sent   int
	lost   uint // bit i: the i-th parcel
	answer *caller.Deliver
}

func (m *mail) post(from, to catalog.Peer, b []byte) {
	m.sent++
	if m.lost>>(m.sent-1)&1 != 0 {
		return
	}
	m.now += 10
	if to == client {
		m.call(&caller.Received{From: from, Bytes: b})
	} else {
		m.step(to, &Received{From: from, Bytes: b})
	}
}

func (m *mail) call(in caller.Input) {
	for _, e := range slices.Clone(m.client.Step(m.now, in)) {
		switch e := e.(type) {
		case *caller.Send:
			m.post(client, e.To, slices.Clone(e.Bytes))
		case *caller.Deliver:
			m.answer = e
		}
	}
}

func (m *mail) step(self catalog.Peer, in Input) {
	for _, e := range m.nodes[self].Step(m.now, in) {
		switch e := e.(type) {
		case *Send:
			m.post(self, e.To, slices.Clone(e.Bytes))
		case *Start:
			m.step(self, travel(e))
		}
	}
}

// travel leaves the rows that states want.
func travel(s *Start) *Advanced {
	b := s.Work.(*Advance).Batch
	f := &Advanced{Ended: Ended{Job: s.Job}, Batch: b, Steps: 1}
	for i := range b.States {
		row, next := b.Want(i), int64(-1)
		rows := journeys[b.ID(i)]
		if at := slices.Index(rows, row); at+1 < len(rows) {
			next = rows[at+1]
		}
		binary.LittleEndian.PutUint64(b.Values[0][8*i:], uint64(next))
		if fault, ok := faultsAt[row]; ok {
			f.Faults = LeastFaults(f.Faults, []parcel.Fault{fault})
		}
	}
	return f
}

// TestFaultsAreNotLost loses each choice of the first parcels: the answer has the
// faults of all states, those that move on after a fault and those that are given
// back for want of hops, too.
func TestFaultsAreNotLost(t *testing.T) {
	want := []parcel.Fault{{Site: 1, Place: 3}, {Site: 2, Place: 7}, {Site: 3, Place: 1}}
	for _, hops := range []uint16{100, 1} {
		for lost := range uint(1 << 9) {
			t.Run(fmt.Sprintf("hops=%d,lost=%09b", hops, lost), func(t *testing.T) {
				m := &mail{nodes: map[catalog.Peer]*Core{}, lost: lost}
				for _, p := range []catalog.Peer{1, 2} {
					m.nodes[p] = New(p, roomy)
					m.step(p, &Learned{View: halves()})
				}
				m.client = caller.New(client, caller.Options{First: 1, Hops: hops})
				m.call(&caller.Learned{View: halves()})
				b := &parcel.Batch{Set: 7, States: len(journeys), Keep: 2, Kinds: []byte{byte(num.I64), byte(num.I64)}, Values: make([][]byte, 2)}
				for id, rows := range journeys {
					b.Values[0] = binary.LittleEndian.AppendUint64(b.Values[0], uint64(rows[0]))
					b.Values[1] = binary.LittleEndian.AppendUint64(b.Values[1], uint64(id))
				}
				m.call(&caller.Walk{ID: 1, Flags: parcel.Builtin, Code: caller.Code{ID: [32]byte{1}}, Batch: b, Left: 1e9})
				for m.answer == nil {
					next, ok := m.client.Next()
					if !ok {
						t.Fatal("nobody waits for the answer, and it is not there")
					}
					m.now = max(m.now, next)
					m.call(&caller.Tick{})
				}
				if m.answer.Err != nil || !reflect.DeepEqual(m.answer.Answer.Faults, want) || m.answer.Answer.States != len(journeys) {
					t.Fatalf("error %v, answer %+v, expected the faults %v", m.answer.Err, m.answer.Answer, want)
				}
			})
		}
	}
}
