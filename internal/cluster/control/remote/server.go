package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// How long a call may take.
const (
	callTime   = 4 * time.Second
	doubtful   = time.Second // for calls while etcd has not answered for a while
	doubtAfter = 5 * time.Second
	// A view of etcd is given up after patience when no lease was renewed for longer than unsure, a
	// fifth of the usual lease and a little; when none was for longer than sure, after a glance.
	patience  = 300 * time.Millisecond
	unsure    = 1100 * time.Millisecond
	sure      = 2 * time.Second
	glance    = 50 * time.Millisecond
	viewPause = 20 * time.Millisecond // between views to one client
)

// Config is what a node serves its clients with.
type Config struct {
	Control  control.Control
	Identity *identity.Identity
	// Authority renews certificates; nil where it is not.
	Authority *identity.Authority
	// Fresh is when etcd last confirmed that this node is a member; nil if it always has.
	// Renewal is the time between two such signs; that of the usual lease if 0.
	Fresh   func() time.Time
	Renewal time.Duration
	Log     *slog.Logger
}

// Service is the control as a node serves it. Views are those that it is told of by Learn:
// they are there while etcd is not.
type Service struct {
	cfg      Config
	arriving *places // of streams whose request is not served yet
	calls    *places
	views    *places

	mu     sync.Mutex
	latest *encoded      // that the service was told of
	asked  *encoded      // that a client was given last, if it is another one
	news   chan struct{} // closed and replaced with each view
}

// New gives a service that has no view yet.
func New(cfg Config) *Service {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Fresh == nil {
		cfg.Fresh = time.Now
	}
	return &Service{cfg: cfg, arriving: newPlaces(maxArriving), calls: newPlaces(maxCalls), views: newPlaces(maxViews), news: make(chan struct{})}
}

// Register adds the service to a node's server.
func (s *Service) Register(to *grpc.Server) {
	call, view := callStream, viewStream
	call.Handler = func(_ any, st grpc.ServerStream) error { return s.serve(st, s.call) }
	view.Handler = func(_ any, st grpc.ServerStream) error { return s.serve(st, s.watch) }
	to.RegisterService(&grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{call, view}}, nil)
}

// Learn takes in the node's newest view.
func (s *Service) Learn(v *catalog.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != nil && s.asked.view == v {
		s.latest = s.asked
	} else {
		s.latest = &encoded{view: v}
	}
	s.asked = nil
	close(s.news)
	s.news = make(chan struct{})
}

// last is the newest view, nil if there is none, and what is closed when there is a newer one.
func (s *Service) last() (newest *encoded, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest, s.news
}

// caller is the other side of a stream.
type caller struct {
	identity.Peer
	state credentials.TLSInfo
}

// serve reads a stream's one request and passes it on with what gives back the place of the
// stream among those that arrive. Nobody who is silent holds a place among those that are served.
func (s *Service) serve(st grpc.ServerStream, do func(grpc.ServerStream, caller, *request, func()) error) error {
	who, err := s.who(st.Context())
	if err != nil {
		s.cfg.Log.Warn("a client was refused", "why", err)
		return status.Error(codes.PermissionDenied, err.Error())
	}
	if !s.arriving.try(who.Peer) {
		return errCrowded
	}
	read := sync.OnceFunc(func() { s.arriving.leave(who.Peer) })
	defer read()
	req, err := receive(st)
	if err != nil {
		return err
	}
	if err := s.allow(who, req.Do); err != nil {
		return errors.Join(st.SendHeader(metadata.MD{}), send(st, &answer{Err: failureOf(err)}))
	}
	return do(st, who, req, read)
}

var errCrowded = status.Error(codes.Unavailable, "the node serves as many requests to the catalogue as it can for this certificate, or together; ask another one")

// who is the owner of the certificate that the connection was made with.
func (s *Service) who(ctx context.Context) (caller, error) {
	p, ok := grpcpeer.FromContext(ctx)
	if !ok {
		return caller{}, identity.ErrNoCertificate
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok {
		return caller{}, identity.ErrNoCertificate
	}
	who, err := s.cfg.Identity.Verify(info.State, []identity.Role{identity.Node, identity.Client, identity.Admin}, "")
	return caller{who, info}, err
}

// rights are what who is not an administrator or a node may do.
var rights = []verb{doView, doWatch, doAllocate, doCommit, doReplace, doRemove, doRenew, doMembers}

// reserved are the rights of administrators and nodes alone.
var reserved = []verb{doTrust, doDrain}

func (s *Service) allow(who caller, do verb) error {
	switch {
	case slices.Contains(rights, do):
		return nil
	case !slices.Contains(reserved, do):
		return &control.InvalidError{Reason: fmt.Sprintf("%.20q is nothing that can be asked of a node: use the same version everywhere", do)}
	case who.Role == identity.Client:
		err := &RefusedError{fmt.Sprintf("%v may not do that (%s): an administrator's certificate is needed, as in the directory admin/ of the cluster", who.Peer, do)}
		s.cfg.Log.Warn("a client was refused", "who", who.Owner(), "asked", do)
		return err
	}
	return nil
}

// receive reads the request, which must come at once.
func receive(st grpc.ServerStream) (*request, error) {
	got := make(chan error, 1)
	var b []byte
	go func() { got <- st.RecvMsg(&b) }()
	select {
	case err := <-got:
		if err != nil {
			return nil, err
		}
	case <-time.After(atOnce): // returning ends the stream, and with it the reading
		return nil, status.Errorf(codes.DeadlineExceeded, "no request came within %v", atOnce)
	}
	if len(b) > maxRequest {
		return nil, status.Errorf(codes.ResourceExhausted, "a request of %d bytes, expected at most %d", len(b), maxRequest)
	}
	req := &request{}
	if err := json.Unmarshal(b, req); err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "a request was expected: %v", err)
	}
	return req, nil
}

func send(st grpc.ServerStream, a *answer) error {
	if a.view != nil {
		return st.SendMsg(a.view.answer(a.Age))
	}
	return st.SendMsg(text(a))
}

// age is for how long etcd has not been heard; 0 if it is well.
func (s *Service) age() time.Duration {
	if s.quiet() > doubtAfter {
		return time.Since(s.cfg.Fresh())
	}
	return 0
}

// quiet is for how long etcd has not been heard, less what longer leases than the usual ones
// make it longer.
func (s *Service) quiet() time.Duration {
	return time.Since(s.cfg.Fresh()) - max(0, s.cfg.Renewal-control.Options{}.Renewal())
}

// call waits for a place, which with the rest takes no longer than a call may.
func (s *Service) call(st grpc.ServerStream, who caller, req *request, read func()) error {
	limit := callTime
	if s.age() > 0 {
		limit = doubtful
	}
	ctx, cancel := context.WithTimeout(st.Context(), limit)
	defer cancel()
	if !s.calls.wait(ctx, who.Peer) {
		return errCrowded
	}
	defer s.calls.leave(who.Peer)
	read()
	if err := st.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	a, err := s.do(ctx, who, req)
	if errors.Is(err, context.DeadlineExceeded) {
		err = &elsewhereError{err.Error(), max(s.quiet(), time.Millisecond)}
	}
	if err != nil {
		a = &answer{Err: failureOf(err)}
	}
	return send(st, a)
}

// watch sends views until the client goes away, or may not see them any more.
func (s *Service) watch(st grpc.ServerStream, who caller, _ *request, read func()) error {
	if !s.views.try(who.Peer) {
		return errCrowded
	}
	defer s.views.leave(who.Peer)
	read()
	if err := st.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := st.Context()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	sent := int64(-1)
	for {
		newest, news := s.last()
		a := &answer{Age: s.age().Milliseconds()}
		if newest != nil && newest.view.Revision > sent {
			a.view, sent = newest, newest.view.Revision
		}
		if err := send(st, a); err != nil {
			return err
		}
		time.Sleep(viewPause)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-news:
		case <-tick.C:
		}
		if err := s.cfg.Identity.Ended(who.state.State.PeerCertificates[0]); err != nil {
			s.cfg.Log.Warn("a client is refused from now on", "who", who.Owner(), "why", err)
			return status.Error(codes.PermissionDenied, err.Error())
		}
	}
}
