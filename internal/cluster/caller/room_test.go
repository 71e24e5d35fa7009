package caller

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// The first parcel of a request lies in the room that it was given, others do not: the first one may still
// be on its way.
func TestRoom(t *testing.T) {
	c := New(self, Options{First: 1, Patience: 1000})
	c.Step(0, &Learned{&catalog.View{Revision: 1, Nodes: []catalog.Node{{Peer: 1, Name: "n1"}}}})
	room := make([]byte, 0, 1<<10)
	sent := sends(c.Step(0, &Ask{ID: 1, Kind: parcel.Put, To: 1, Payload: []byte("payload"), Room: room, Left: 1 << 40}))
	sent = append(sent, sends(c.Step(1<<30, &Tick{}))...)
	if len(sent) != 2 || !bytes.HasSuffix(sent[0], []byte("payload")) || !bytes.HasSuffix(sent[1], []byte("payload")) {
		t.Fatalf("%q was sent, expected the payload twice", sent)
	}
	if at := unsafe.SliceData(room); unsafe.SliceData(sent[0]) != at || unsafe.SliceData(sent[1]) == at {
		t.Error("expected the first parcel in the room and the second elsewhere")
	}
}

func sends(effects []Effect) (list [][]byte) {
	for _, e := range effects {
		if s, ok := e.(*Send); ok {
			list = append(list, s.Bytes)
		}
	}
	return list
}
