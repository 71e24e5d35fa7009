package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/cpuclock"
)

// ask puts a question and reads the answer. When ctx ends first, the process is
// killed. The error says how the process ended: there is none to talk to after it.
func (p *process) ask(ctx context.Context, question []byte, fds []int) (kind byte, answer []byte, err error) {
	began := time.Now()
	stop := context.AfterFunc(ctx, func() {
		p.kill(fmt.Sprintf("stopped after %v: %v", rounded(time.Since(began)), ctx.Err()), ctx.Err())
	})
	defer stop()
	if err = send(p.conn.(*net.UnixConn), question, fds); err == nil {
		kind, answer, err = readFrame(p.conn, p.limits.maxAnswer())
	}
	if err == nil {
		return kind, answer, nil
	}
	return 0, nil, p.broken(err)
}

// broken ends a process that does not answer as it should.
func (p *process) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		select { // it is ending by itself: let it say how
		case <-p.ended:
		case <-time.After(time.Second):
		}
	}
	p.mu.Lock()
	alive := p.ending.state == nil
	p.mu.Unlock()
	if alive {
		p.kill(fmt.Sprintf("its worker broke the protocol: %v", err), nil)
	}
	return p.gone()
}

// send writes a frame; the descriptors go with its head.
func send(conn *net.UnixConn, frame []byte, fds []int) error {
	if len(fds) == 0 {
		_, err := conn.Write(frame)
		return err
	}
	n, _, err := conn.WriteMsgUnix(frame[:frameHead], unix.UnixRights(fds...), nil)
	if err == nil && n < frameHead {
		err = io.ErrShortWrite
	}
	if err == nil {
		_, err = conn.Write(frame[frameHead:])
	}
	return err
}

// load gives the process its program. The context has a deadline.
func (p *process) load(ctx context.Context, prog *Program, opt Options) (link time.Duration, err error) {
	p.mu.Lock()
	p.id, p.name = prog.ID, prog.Name
	p.mu.Unlock()
	p.said.begin(opt.Log, label(prog.Name, prog.ID))
	m := program{
		Program: *prog, unconfined: opt.Unconfined,
		sends: p.limits.Sends, bytes: p.limits.Bytes,
	}
	kind, answer, err := p.ask(ctx, frame(askLoad, m.encode()), nil)
	if err != nil {
		return 0, err
	}
	switch kind {
	case sayLoaded:
		l, err := decodeLoaded(answer)
		if err != nil {
			return 0, p.broken(err)
		}
		p.loaded = *l
	case sayFailed:
		p.kill(printable(answer), nil)
		return 0, p.gone()
	default:
		return 0, p.broken(fmt.Errorf("an answer of kind %d to a load", kind))
	}
	u, ok := usageOf(p.cmd.Process.Pid)
	p.mu.Lock()
	p.idle, p.threads = u.size, u.threads
	p.mu.Unlock()
	if !ok {
		return 0, p.broken(errors.New("its size cannot be read from /proc, so it cannot be limited"))
	}
	return p.loaded.link, p.bound(0)
}

// bound limits the address space to what an idle worker has, the memory that the
// code may take, and what is mapped for it. The hard limit stays, so that it can
// be raised again; the filter keeps the worker from doing so itself.
func (p *process) bound(mapped int64) error {
	var l unix.Rlimit
	pid := p.cmd.Process.Pid
	err := unix.Prlimit(pid, unix.RLIMIT_AS, nil, &l)
	if err == nil {
		l.Cur = min(uint64(p.idle+p.limits.Memory+mapped), l.Max)
		err = unix.Prlimit(pid, unix.RLIMIT_AS, &l, nil)
	}
	if err != nil {
		p.kill(fmt.Sprintf("the memory of its worker cannot be limited: %v", err), nil)
		return p.gone()
	}
	return nil
}

// call runs the program once. It waits for its turn.
func (p *process) call(ctx context.Context, c *Call) (*Outcome, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, &Error{ID: p.id, Name: p.name, How: "its worker was busy with other calls until the deadline", Cause: ctx.Err()}
	case <-p.ended:
		return nil, ErrNotLoaded
	}
	if p.exited() { // in the call before this one, or the watch, which had the turn
		return nil, ErrNotLoaded
	}
	if err := ctx.Err(); err != nil {
		return nil, &Error{ID: p.id, Name: p.name, How: "not started: " + err.Error(), Cause: err}
	}
	grants, fds, release, err := hold(c.Grants)
	if err != nil {
		return nil, err
	}
	defer release()
	q := question{mark: rand.Uint64(), init: c.Init, self: c.Self, nodes: c.Nodes, grants: grants, payload: c.Payload}
	mapped := int64(len(c.Payload))
	for _, g := range grants {
		mapped += g.size
	}
	if err := p.bound(mapped); err != nil {
		return nil, err
	}
	used, how := p.wakes()
	if how != "" {
		p.kill(how, nil)
		_ = p.gone() // as between calls: the program has to be loaded again
		return nil, ErrNotLoaded
	}
	ctx, cancel := context.WithTimeout(ctx, patience*p.limits.CPU)
	defer cancel()
	stop := cpuclock.WatchFrom(p.cmd.Process.Pid, used, p.limits.CPU, func(used time.Duration) {
		p.kill(fmt.Sprintf("ran for %v of processor time; the limit is %v", rounded(used), p.limits.CPU), nil)
	})
	began := time.Now()
	kind, answer, err := p.ask(ctx, frame(askCall, q.encode()), fds)
	stop()
	p.sleeps(len(c.Payload) + len(answer))
	if p.doomed() {
		_ = p.gone() // perhaps killed just after the answer: who has the next turn shall know
	}
	if err != nil {
		return nil, err
	}
	if answer, err = q.opened(answer); err != nil {
		return nil, p.broken(err)
	}
	return p.outcome(kind, answer, time.Since(began))
}

func (p *process) outcome(kind byte, answer []byte, took time.Duration) (*Outcome, error) {
	switch kind {
	case sayDone:
		o, err := decodeOutcome(answer, p.limits)
		if err != nil {
			return nil, p.broken(err)
		}
		o.Run = min(max(o.Run, 0), took)
		return o, nil
	case sayFailed:
		return nil, &Error{ID: p.id, Name: p.name, How: printable(answer)}
	}
	return nil, p.broken(fmt.Errorf("an answer of kind %d to a call", kind))
}

func rounded(d time.Duration) time.Duration { return d.Round(max(d/1000, time.Microsecond)) }
