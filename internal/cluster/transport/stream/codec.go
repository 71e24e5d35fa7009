package stream

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// A server finds the codec of a call by the name that the call gives, so that other
// services beside parcels have their own.
func init() { encoding.RegisterCodecV2(raw{}) }

// raw passes messages as they are: it sends an *outgoing and receives into
// a *[]byte, which is newly made each time, or an *incoming.
type raw struct{}

// outgoing is a message in two pieces, so that a parcel is not copied to get
// its head.
type outgoing struct {
	head, body []byte
	of         *loan.Loan // what body lies in, to be given back when it is written; may be nil
}

// incoming is a message that came.
type incoming struct {
	bytes []byte
	lends bool       // it may lie in memory that is lent
	of    *loan.Loan // what it lies in then
}

// written gives a body's memory back when gRPC has written it.
type written struct{ of *loan.Loan }

func (w written) Get(n int) *[]byte { b := make([]byte, n); return &b }
func (w written) Put(*[]byte)       { w.of.Back() }

// small is the length below which one buffer and a copy are cheaper than two.
const small = 1 << 10

func (raw) Name() string { return "godwit" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(*outgoing)
	if !ok {
		return nil, fmt.Errorf("expected a message to send, found %T", v)
	}
	if len(m.body) == 0 {
		return mem.BufferSlice{mem.SliceBuffer(m.head)}, nil
	}
	if m.of != nil {
		return mem.BufferSlice{mem.SliceBuffer(m.head), mem.NewBuffer(&m.body, written{m.of})}, nil
	}
	return mem.BufferSlice{mem.SliceBuffer(m.head), mem.SliceBuffer(m.body)}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	switch m := v.(type) {
	case *[]byte:
		*m = data.Materialize()
	case *incoming:
		if n := data.Len(); m.lends && n >= loan.Least {
			m.of = loan.Of(n)
			m.bytes = m.of.Bytes()
			data.CopyTo(m.bytes)
		} else {
			m.bytes = data.Materialize()
		}
	default:
		return fmt.Errorf("expected a place for a message, found %T", v)
	}
	return nil
}

// frameOf puts a parcel behind a head.
func frameOf(h head, parcel []byte) *outgoing {
	if len(parcel) > small {
		b := make([]byte, headSize)
		putHead(b, h)
		return &outgoing{head: b, body: parcel}
	}
	b := make([]byte, headSize, headSize+len(parcel))
	putHead(b, h)
	return &outgoing{head: append(b, parcel...)}
}

// messages is what both sides of a gRPC stream have.
type messages interface {
	SendMsg(m any) error
	RecvMsg(m any) error
}

// The one method of the one service.
const (
	service = "godwit"
	method  = "/godwit/parcels"
)

var description = grpc.StreamDesc{StreamName: "parcels", ServerStreams: true, ClientStreams: true}

func serviceOf(serve grpc.StreamHandler) *grpc.ServiceDesc {
	d := description
	d.Handler = serve
	return &grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{d}}
}
