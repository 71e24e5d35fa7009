package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/internal/cluster/control"
)

// refusing is for how long all nodes may refuse connections before a request is given up: a cluster that
// is being started again has a moment.
const refusing = 500 * time.Millisecond

// UnansweredError says that no node has answered a request.
type UnansweredError struct {
	What string // could not be done
	// Nodes are all that were asked, each with what came of it in words; Unasked are those for which there was no time.
	Nodes   []Said
	Unasked []Address
	// Refused says that at every address nothing takes connections: no node runs there.
	Refused bool
	// Unwelcome says that every node that runs refuses this side's certificate, and that one runs.
	Unwelcome bool
	err       error // why the caller's context has ended; nil if it has not
}

// Said is what came of asking a node.
type Said struct {
	Address
	Why string
}

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("cannot %s: no node %s", e.What, e.Answers())
}

// Answers says, behind the words "no node", that none answers, and what each said.
func (e *UnansweredError) Answers() string {
	if len(e.Unasked) == 0 {
		return "answers: " + e.Each()
	}
	var names []string
	for _, a := range e.Unasked {
		names = append(names, a.called())
	}
	return "has answered in time: " + e.Each() + "; there was no time to ask " + strings.Join(names, ", ")
}

// called is a node in words.
func (a Address) called() string {
	if a.Name == "" {
		return a.Address
	}
	return a.Name + " (" + a.Address + ")"
}

// Unwrap gives the end of the caller's context, if that was it.
func (e *UnansweredError) Unwrap() error { return e.err }

// Is finds control.ErrNoneRuns and control.ErrUnwelcome.
func (e *UnansweredError) Is(target error) bool {
	return e.Refused && target == control.ErrNoneRuns || e.Unwelcome && target == control.ErrUnwelcome
}

// Each is what each node said that was asked.
func (e *UnansweredError) Each() string {
	var all []string
	for _, n := range e.Nodes {
		all = append(all, n.called()+" "+n.Why)
	}
	return strings.Join(all, ", ")
}

// unanswered is the error of a request to which nobody has said anything since a time.
func (p *pool) unanswered(what string, since time.Time, err error) *UnansweredError {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &UnansweredError{What: what, Refused: p.deadSince(since), err: err}
	for _, n := range p.each {
		if n.asked.Before(since) {
			e.Unasked = append(e.Unasked, n.Address)
			continue
		}
		e.Nodes = append(e.Nodes, Said{n.Address, n.says()})
	}
	e.Unwelcome = p.unwelcome()
	return e
}

// unwelcome reports that nodes refuse the certificate, and all others connections.
func (p *pool) unwelcome() bool {
	some := false
	for _, n := range p.each {
		if n.why == nil && !errors.Is(n.down, syscall.ECONNREFUSED) {
			return false
		}
		some = some || n.why != nil
	}
	return some
}

// dead reports that all nodes refuse connections, and have since a time.
func (p *pool) dead(since time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deadSince(since)
}

func (p *pool) deadSince(since time.Time) bool {
	for _, n := range p.each {
		if !errors.Is(n.down, syscall.ECONNREFUSED) || n.dialled.Before(since) {
			return false
		}
	}
	return true
}

// again has nodes that refused dialled at once: gRPC would wait longer each time.
func (p *pool) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.each {
		if n.conn != nil && errors.Is(n.down, syscall.ECONNREFUSED) {
			n.conn.ResetConnectBackoff()
		}
	}
}

// dialer opens connections with a node and remembers what came of it: gRPC tells it as text.
func (p *pool) dialer(n *node) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", address)
		p.mu.Lock()
		n.down, n.dialled = err, time.Now()
		p.mu.Unlock()
		return conn, err
	}
}

// tell remembers why a node gave no answer.
func (p *pool) tell(n *node, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.last = err
}

// says is why a node gave no answer, in words that follow its name.
func (n *node) says() string {
	var op *net.OpError
	s, ok := status.FromError(n.last)
	switch {
	case errors.Is(n.down, syscall.ECONNREFUSED):
		return "refuses the connection"
	case errors.As(n.down, &op) && op.Timeout(), n.down == nil && n.last == nil,
		errors.Is(n.last, errSilent), errors.Is(n.last, context.DeadlineExceeded), errors.Is(n.last, context.Canceled):
		return "is silent"
	case errors.As(n.down, &op):
		return "cannot be reached: " + op.Err.Error()
	case n.down != nil:
		return "cannot be reached: " + n.down.Error()
	case errors.Is(n.last, io.EOF), errors.Is(n.last, io.ErrUnexpectedEOF), ok && strings.Contains(s.Message(), "EOF"):
		return "has ended the connection"
	case ok && strings.Contains(s.Message(), context.DeadlineExceeded.Error()): // it takes connections, and says nothing
		return "is silent"
	case ok:
		_, said, wrapped := strings.Cut(s.Message(), `desc = "`) // gRPC's own words around a transport's
		if !wrapped {
			said = s.Message()
		}
		return "says: " + strings.TrimPrefix(strings.TrimSuffix(said, `"`), "transport: ")
	}
	return "says: " + n.last.Error()
}
