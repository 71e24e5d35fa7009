package worker

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// process is a worker as the node sees it.
type process struct {
	id     string // of its program; "" before it has one
	name   string // X; X_main is called
	limits Limits
	cmd    *exec.Cmd
	*channels
	turn  chan struct{} // holds a token while a question is under way
	ended chan struct{} // closed when the process is gone and all it wrote is read
	said  said

	mu     sync.Mutex
	reason *Error // why the node killed it; nil if it did not
	ending ending
	idle   int64 // bytes of address space before the first call
	rests  rests

	loaded  loaded // set by load
	threads int    // before the first call; set by load
	held    int64  // bytes of memory when it was last looked at; of the watch alone

	threadless time.Time // since when the thread of its code is gone in a call; of the watch alone
}

// newProcess starts a worker without a program.
func newProcess(s *spawner, opt Options) (*process, error) {
	cmd, ch, err := spawn(s, opt.Program, opt.Limits.Stack)
	if err != nil {
		return nil, err
	}
	p := &process{
		limits: opt.Limits, cmd: cmd, channels: ch,
		turn: make(chan struct{}, 1), ended: make(chan struct{}),
		rests: rests{allowed: allowance{left: burst}},
	}
	go p.attend()
	return p, nil
}

// attend reads what the process writes beside answers, until it has ended.
func (p *process) attend() {
	var readers sync.WaitGroup
	readers.Go(func() { p.said.read(p.stderr) })
	readers.Go(p.watchCrash)
	p.outlive()
	err := p.cmd.Wait()
	p.stderr.finish()
	p.crash.SetReadDeadline(time.Now().Add(lastWords))
	readers.Wait()
	p.mu.Lock()
	p.ending.state, p.ending.text = p.cmd.ProcessState, p.said.tail()
	if p.ending.state == nil {
		p.ending.text = append(p.ending.text, fmt.Sprintf("fatal error: %v", err)...)
	}
	p.mu.Unlock()
	p.channels.close()
	close(p.ended)
}

// outlive waits until the process has ended, and ends it if it was stopped: nothing
// would ever come of it. Then it ends what the process may have started where there
// was no filter, before the number of the process can be given to another one.
func (p *process) outlive() {
	pid := p.cmd.Process.Pid
	for until := unix.WEXITED | unix.WSTOPPED; ; {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, until|unix.WNOWAIT, nil)
		switch {
		case err == unix.EINTR:
		case err == nil && info.Code == childStopped:
			p.kill("its worker was stopped by a signal", nil)
			until = unix.WEXITED
		default:
			_ = unix.Kill(-pid, unix.SIGKILL) // its group, which it leads
			return
		}
	}
}

const childStopped = 5 // CLD_STOPPED

// watchCrash waits for a crash record. A worker that wrote one waits to be killed,
// so that what it holds can still be looked at.
func (p *process) watchCrash() {
	record := make([]byte, crashRecord)
	if _, err := io.ReadFull(p.crash, record); err != nil {
		return
	}
	u, _ := usageOf(p.cmd.Process.Pid)
	p.mu.Lock()
	p.ending.record, p.ending.used = record, u.peak-p.idle
	p.mu.Unlock()
	p.cmd.Process.Kill()
}

// kill ends the process for a reason. The first reason counts.
func (p *process) kill(how string, cause error) {
	p.mu.Lock()
	if p.reason == nil && p.ending.record == nil {
		p.reason = &Error{ID: p.id, Name: p.name, How: how, Cause: cause}
	}
	p.mu.Unlock()
	p.cmd.Process.Kill()
}

// doomed reports whether the process was killed by this side.
func (p *process) doomed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason != nil
}

// gone waits for the end and says how it came.
func (p *process) gone() error {
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		return &Error{ID: p.id, Name: p.name, How: fmt.Sprintf("its worker, process %d, does not end although it was killed", p.cmd.Process.Pid)}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reason != nil {
		return p.reason
	}
	return &Error{ID: p.id, Name: p.name, How: p.ending.how(p)}
}

// exited reports that the process is gone.
func (p *process) exited() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
