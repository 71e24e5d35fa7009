package stream

import (
	"encoding/binary"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// A frame is one gRPC message. Layout, little-endian:
//
//	0  kind
//	1  version, of a hello; else 0
//	2  parcels granted (2)
//	4  bytes granted (4)
//	8  hello: number of the sender (4), of the peer it expects, or 0 (4), life (8),
//	   then the cluster's id; parcel: the parcel; credit: nothing; fabrics.go has the rest
//
// What a hello grants is the initial grant; what others grant adds to it.
const (
	headSize  = 8
	helloSize = headSize + 16
	version   = 1
	// maxCluster bounds the cluster's id in a hello.
	maxCluster = 64
)

type frameKind uint8

const (
	hello frameKind = iota + 1
	carry
	credit
	// Of streams alone; see fabrics.go.
	offer
	answer
	settle
)

// greeting is the contents of a hello.
type greeting struct {
	from, to catalog.Peer // to is 0 from the accepting side
	life     uint64       // random for each transport: tells a restarted peer from its former self
	cluster  string
	grant    Grant
}

// head is the beginning of every frame.
type head struct {
	kind  frameKind
	grant Grant
}

func putHead(b []byte, h head) {
	b[0], b[1] = byte(h.kind), 0
	binary.LittleEndian.PutUint16(b[2:], uint16(h.grant.Parcels))
	binary.LittleEndian.PutUint32(b[4:], uint32(h.grant.Bytes))
}

func (g *greeting) frame() []byte {
	b := make([]byte, helloSize, helloSize+len(g.cluster))
	putHead(b, head{hello, g.grant})
	b[1] = version
	binary.LittleEndian.PutUint32(b[8:], uint32(g.from))
	binary.LittleEndian.PutUint32(b[12:], uint32(g.to))
	binary.LittleEndian.PutUint64(b[16:], g.life)
	return append(b, g.cluster...)
}

// readHello reads the first frame of a stream.
func readHello(b []byte) (*greeting, error) {
	if len(b) < headSize || frameKind(b[0]) != hello {
		return nil, fmt.Errorf("expected a hello, found a frame of %d bytes%s", len(b), kindOf(b))
	}
	// Other versions may look otherwise from here on.
	if b[1] != version {
		return nil, fmt.Errorf("expected version %d of the protocol, found %d: both sides need the same release of godwit", version, b[1])
	}
	if len(b) < helloSize || len(b) > helloSize+maxCluster {
		return nil, fmt.Errorf("expected a hello of %d to %d bytes, found %d", helloSize, helloSize+maxCluster, len(b))
	}
	return &greeting{
		from:    catalog.Peer(binary.LittleEndian.Uint32(b[8:])),
		to:      catalog.Peer(binary.LittleEndian.Uint32(b[12:])),
		life:    binary.LittleEndian.Uint64(b[16:]),
		cluster: string(b[helloSize:]),
		grant:   grantIn(b),
	}, nil
}

func kindOf(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return fmt.Sprintf(" of kind %d", b[0])
}

func grantIn(b []byte) Grant {
	return Grant{
		Parcels: int(binary.LittleEndian.Uint16(b[2:])),
		Bytes:   int64(binary.LittleEndian.Uint32(b[4:])),
	}
}

// readFrame reads a frame after the first. The body aliases b.
func readFrame(b []byte) (h head, body []byte, err error) {
	if len(b) < headSize || b[1] != 0 {
		return head{}, nil, fmt.Errorf("expected a frame's head of %d bytes, found a frame of %d bytes%s", headSize, len(b), kindOf(b))
	}
	h = head{frameKind(b[0]), grantIn(b)}
	switch {
	case h.kind == carry, h.kind >= offer && h.kind <= settle:
	case h.kind == credit && len(b) == headSize:
	default:
		return head{}, nil, fmt.Errorf("expected a parcel, a credit of %d bytes, or a word on fabrics, found a frame of %d bytes of kind %d", headSize, len(b), h.kind)
	}
	return h, b[headSize:], nil
}
