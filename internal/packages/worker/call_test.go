//go:build !static

package worker

import (
	"encoding/binary"
	"testing"
)

func TestReply(t *testing.T) {
	p := newPool(t, Options{})
	times := mustLoad(t, p, compile(t, "reply", inMain(`
		unsigned char *p = payload;
		for (size_t i = 0; i < size; i++) p[i]++;
		gw_reply(payload, size);`)))
	t.Logf("%+v", times)
	o := mustCall(t, p, "reply", &Call{Payload: []byte{1, 2, 255}})
	if !o.Replied || string(o.Reply) != "\x02\x03\x00" || len(o.Sends) != 0 || o.Run <= 0 {
		t.Errorf("%+v", o)
	}
}

func TestCounter(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "counter", inMain(`
		size_t n;
		uint64_t *c = gw_region("counter", &n);
		uint64_t old = __atomic_fetch_add(c, *(uint64_t *)payload, __ATOMIC_SEQ_CST);
		gw_reply(&old, 8);`)))
	r, err := NewRegion(8)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range 100 {
		o := mustCall(t, p, "counter", &Call{
			Payload: binary.LittleEndian.AppendUint64(nil, 3),
			Grants:  []Grant{{"counter", r, true}},
		})
		if got := binary.LittleEndian.Uint64(o.Reply); got != uint64(3*i) {
			t.Fatalf("call %d: counter was %d", i, got)
		}
	}
	if got := binary.LittleEndian.Uint64(r.Bytes()); got != 300 {
		t.Errorf("counter is %d, expected 300", got)
	}
}
