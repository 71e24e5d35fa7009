// Package remote is the control for clients, who do not reach etcd: each node serves it
// beside parcels, and decides by the certificate of the connection who may do what.
//
// There are two gRPC streams. In "call" the client sends one request and gets one answer; the
// node says with the header that it has got it, so that a silent node is told from a slow
// answer. In "views" the node sends the newest view and each later one, and signs of
// life between them. Messages are JSON.
package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// The service and its streams.
const (
	service = "godwit.control"
	calls   = "call"
	views   = "views"
)

var (
	callStream = grpc.StreamDesc{StreamName: calls, ServerStreams: true, ClientStreams: true}
	viewStream = grpc.StreamDesc{StreamName: views, ServerStreams: true, ClientStreams: true}
)

// maxRequest is how long a request may be: more than a data set with the most shards takes.
const maxRequest = 8 << 20

// Times of the protocol.
const (
	contact = time.Second     // within which a node says that it has a request
	beat    = time.Second     // between signs of life in a stream of views
	deaf    = 3 * time.Second // without one, another node is asked
	moment  = time.Second     // for which a view needs not be asked for again before it is watched
	atOnce  = 5 * time.Second // for a client to send its request after it opened a stream
)

// verb is what a request asks for.
type verb string

const (
	doView     verb = "view"
	doWatch    verb = "watch"
	doAllocate verb = "allocate"
	doCommit   verb = "commit"
	doReplace  verb = "replace"
	doRemove   verb = "remove"
	doTrust    verb = "trust"
	doDrain    verb = "drain"
	doRenew    verb = "renew"
	doMembers  verb = "members"
)

type request struct {
	Do   verb            `json:"do"`
	Name string          `json:"name,omitempty"` // of a set or a node
	Set  json.RawMessage `json:"set,omitempty"`  // control.AppendSet's
	// Trust is what to add to the list: keys to be trusted, and all that is revoked.
	Trust *trust.List `json:"trust,omitempty"`
	On    bool        `json:"on,omitempty"`
	CSR   []byte      `json:"csr,omitempty"`

	doubt bool // the client asked more than once, and an earlier try may have been done
}

type answer struct {
	Number uint32          `json:"number,omitempty"`
	Set    json.RawMessage `json:"set,omitempty"`
	View   json.RawMessage `json:"view,omitempty"`
	// Age is how long ago the node knew the view to hold, in ms; 0 if it has just asked.
	Age   int64       `json:"age_ms,omitempty"`
	Trust *trust.List `json:"trust,omitempty"`
	Cert  []byte      `json:"cert,omitempty"`
	// Members are those of the control.
	Members []control.MemberState `json:"members,omitempty"`
	Err     *failure              `json:"error,omitempty"`

	view *encoded // to be sent as View, with Age alone
}

// kind is what kind of error a failure is.
type kind string

const (
	refused   kind = "refused"   // this certificate may not do that
	elsewhere kind = "elsewhere" // another node may be able to
	invalid   kind = "invalid"
	exists    kind = "exists"
	missing   kind = "missing"
	notHeld   kind = "not held"
	overtaken kind = "overtaken"
	unknown   kind = "unknown"
	other     kind = "other"
)

// failure is an error on its way. The fields are those of control's errors.
type failure struct {
	Kind  kind         `json:"kind"`
	Text  string       `json:"text"`
	Name  string       `json:"name,omitempty"`
	ID    uint32       `json:"id,omitempty"`
	Shard int          `json:"shard,omitempty"`
	Peer  catalog.Peer `json:"peer,omitempty"`
	// Silent is for how long the node had not heard etcd, in ms; 0 if that is not why.
	Silent int64 `json:"silent_ms,omitempty"`
}

// RefusedError says that a certificate's role does not allow what was asked for.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// Is finds control.ErrUnwelcome: what every certificate may ask for was refused, or more than this one may.
func (e *RefusedError) Is(target error) bool { return target == control.ErrUnwelcome }

// elsewhereError says that this node cannot do it, and another one perhaps can.
type elsewhereError struct {
	text   string
	silent time.Duration // for which this node had not heard etcd, if that is why
}

func (e *elsewhereError) Error() string { return e.text }

// failureOf keeps the kind of an error also where something was said around it: clients act on it.
func failureOf(err error) *failure {
	f := &failure{Kind: other, Text: err.Error()}
	var (
		refusal *RefusedError
		unable  *elsewhereError
		wrong   *control.InvalidError
		taken   *control.ExistsError
		none    *control.MissingError
		nobody  *control.UnknownError
		late    *control.OvertakenError
		lacks   *control.NotHeldError
	)
	switch {
	case errors.As(err, &refusal):
		f.Kind = refused
	case errors.As(err, &unable):
		f.Kind, f.Silent = elsewhere, unable.silent.Milliseconds()
	case errors.As(err, &wrong):
		f.Kind = invalid
	case errors.As(err, &taken):
		f.Kind, f.Name, f.ID = exists, taken.Name, taken.ID
	case errors.As(err, &none):
		f.Kind, f.Name = missing, none.Name
	case errors.As(err, &nobody):
		f.Kind, f.Name = unknown, nobody.Name
	case errors.As(err, &late):
		f.Kind, f.Name = overtaken, late.Name
	case errors.As(err, &lacks):
		f.Kind, f.Name, f.Shard, f.Peer, f.Text = notHeld, lacks.Name, lacks.Shard, lacks.Peer, lacks.Reason
	}
	return f
}

func (f *failure) err() error {
	switch f.Kind {
	case refused:
		return &RefusedError{f.Text}
	case elsewhere:
		return &elsewhereError{f.Text, time.Duration(f.Silent) * time.Millisecond}
	case invalid:
		return &control.InvalidError{Reason: f.Text}
	case exists:
		return &control.ExistsError{Name: f.Name, ID: f.ID}
	case missing:
		return &control.MissingError{Name: f.Name}
	case unknown:
		return &control.UnknownError{Name: f.Name}
	case overtaken:
		return &control.OvertakenError{Name: f.Name}
	case notHeld:
		return &control.NotHeldError{Name: f.Name, Shard: f.Shard, Peer: f.Peer, Reason: f.Text}
	}
	return errors.New(f.Text)
}

// A server finds the codec by the name that the client gives.
func init() { encoding.RegisterCodecV2(Codec{}) }

// Codec passes messages as they are.
type Codec struct{}

// Name implements encoding.CodecV2.
func (Codec) Name() string { return "godwit-control" }

// Marshal implements encoding.CodecV2.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("expected bytes to send, found %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("expected a place for bytes, found %T", v)
	}
	*b = data.Materialize()
	return nil
}

func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("remote: a %T cannot be encoded: %v", v, err))
	}
	return b
}
