package stream

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// Bare is a gRPC stream over loopback whose far end returns every message:
// what a round trip costs with the same codec, TLS and settings, but without this
// package. Measurements compare with it in the same run.
type Bare struct {
	stream grpc.ClientStream
	client *grpc.ClientConn
	server *grpc.Server
	ctx    context.Context // of streams
	cancel context.CancelFunc
}

// NewBare starts both ends in this process, with mutual TLS unless the
// identity, which must be a node's, is nil.
func NewBare(i *identity.Identity) (*Bare, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	near, far := insecure.NewCredentials(), insecure.NewCredentials()
	if i != nil {
		near, far = credentials.NewTLS(i.Client(i.Name)), credentials.NewTLS(i.Server(identity.Node))
	}
	b := &Bare{server: grpc.NewServer(serverOptions(far, defaultMaxParcel)...)}
	b.server.RegisterService(serviceOf(echo), nil)
	go b.server.Serve(l) // ends with Stop in Close
	b.ctx, b.cancel = context.WithCancel(context.Background())
	late := time.AfterFunc(connectTime, b.cancel)
	defer late.Stop()
	b.client, err = grpc.NewClient("passthrough:///"+l.Addr().String(), dialOptions(near, defaultMaxParcel)...)
	if err == nil {
		err = b.open()
	}
	if err == nil {
		_, err = b.RoundTrip([]byte("ready"))
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("a bare stream over loopback: %w", err)
	}
	return b, nil
}

func echo(_ any, s grpc.ServerStream) error {
	for {
		var m []byte
		if err := s.RecvMsg(&m); err != nil {
			return err
		}
		if err := s.SendMsg(&outgoing{head: m}); err != nil {
			return err
		}
	}
}

func (b *Bare) open() (err error) {
	b.stream, err = b.client.NewStream(b.ctx, &description, method)
	return err
}

// RoundTrip sends a message and gives what comes back. Where the process stood still for so long that the
// connection was given up, it opens another one, as peers do. It is not safe for
// concurrent use, and must not be called after Close.
func (b *Bare) RoundTrip(message []byte) (reply []byte, err error) {
	if reply, err = b.trip(message); err == nil || b.open() != nil {
		return reply, err
	}
	return b.trip(message)
}

func (b *Bare) trip(message []byte) (reply []byte, err error) {
	if err := b.stream.SendMsg(&outgoing{head: message}); err != nil {
		return nil, err
	}
	return reply, b.stream.RecvMsg(&reply)
}

// Close ends both sides.
func (b *Bare) Close() {
	b.cancel()
	if b.client != nil {
		b.client.Close()
	}
	b.server.Stop()
}
