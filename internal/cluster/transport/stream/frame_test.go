package stream

import (
	"bytes"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"pgregory.net/rapid"
)

func TestFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := greeting{
			from: catalog.Peer(rapid.Uint32().Draw(t, "from")), to: catalog.Peer(rapid.Uint32().Draw(t, "to")),
			life: rapid.Uint64().Draw(t, "life"), cluster: rapid.StringOfN(rapid.RuneFrom([]rune("0123456789abcdef")), 0, maxCluster, -1).Draw(t, "cluster"),
			grant: Grant{rapid.IntRange(0, 1<<16-1).Draw(t, "parcels"), rapid.Int64Range(0, 1<<32-1).Draw(t, "bytes")},
		}
		if got, err := readHello(g.frame()); err != nil || *got != g {
			t.Fatalf("%+v became %+v, %v", g, got, err)
		}
		body := rapid.SliceOfN(rapid.Byte(), 0, 2*small).Draw(t, "body")
		m := frameOf(head{carry, g.grant}, body)
		h, got, err := readFrame(append(bytes.Clone(m.head), m.body...))
		if err != nil || h.kind != carry || h.grant != g.grant || !bytes.Equal(got, body) {
			t.Fatalf("%+v with %d bytes, %v", h, len(got), err)
		}
	})
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte{})
	f.Add((&greeting{from: 1, to: 2, life: 3, cluster: "c", grant: defaultGrant}).frame())
	f.Add(frameOf(head{carry, defaultGrant}, []byte("parcel")).head)
	f.Add(frameOf(head{kind: credit}, nil).head)
	f.Fuzz(func(t *testing.T, b []byte) {
		g, helloErr := readHello(b)
		h, body, err := readFrame(b)
		if helloErr == nil && err == nil {
			t.Fatal("a hello and another frame at once")
		}
		// What is accepted has one form.
		if helloErr == nil && !bytes.Equal(g.frame(), b) {
			t.Errorf("%x is read as %+v", b, g)
		}
		if err == nil {
			if m := frameOf(h, body); !bytes.Equal(append(m.head, m.body...), b) {
				t.Errorf("%x is read as %+v and %x", b, h, body)
			}
		}
	})
}
