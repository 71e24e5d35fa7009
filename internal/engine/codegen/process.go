package codegen

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/engine/cpuclock"
)

// process is a running child. One goroutine at a time talks to it.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // to the child
	out    *os.File // from it
	errors head
	ended  chan struct{} // closed when the process is gone and waited for
	how    error         // how it ended; valid after ended
	last   uint64        // id of the last request
}

// start runs the program. The child gets SIGKILL when the thread that started it
// ends, so that thread belongs to one goroutine until then.
func start(program []string) (*process, error) {
	if len(program) == 0 {
		return nil, errors.New("no program is given for the compiler's process")
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer theirOut.Close()
	p := &process{in: in, out: out, ended: make(chan struct{})}
	p.cmd = exec.Command(program[0], program[1:]...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.errors
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	p.cmd.Env = append(os.Environ(), "GOTRACEBACK=single")
	p.cmd.WaitDelay = time.Second
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.how = p.cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start the compiler's process: %w", err)
	}
	return p, nil
}

// ask sends a request and waits for its answer. The error wraps ErrTimeout or
// ErrCrashed; after it the process is gone.
func (p *process) ask(r *request, limits *Options) (*answer, error) {
	p.last++
	r.id = p.last
	p.errors.reset()
	var busy atomic.Bool
	stop := cpuclock.Watch(p.cmd.Process.Pid, limits.CPU, func(time.Duration) {
		busy.Store(true)
		_ = p.cmd.Process.Kill() // an error means that it is gone already
	})
	a, err := p.exchange(r, time.Now().Add(limits.Timeout))
	stop()
	switch {
	case busy.Load():
		p.kill() // even if the answer came in the last moment: the process is lost
		return nil, fmt.Errorf("%w: the limit is %s of processor time", ErrTimeout, limits.CPU)
	case err == nil:
		return a, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.kill()
		return nil, fmt.Errorf("%w: the limit is %s", ErrTimeout, limits.Timeout)
	}
	// A broken pipe usually means that it is ending by itself: let it say how.
	select {
	case <-p.ended:
	case <-time.After(time.Second):
	}
	p.kill()
	return nil, fmt.Errorf("%w: %s", ErrCrashed, p.obituary(err))
}

func (p *process) exchange(r *request, by time.Time) (*answer, error) {
	if err := p.in.SetWriteDeadline(by); err != nil {
		return nil, err
	}
	if err := p.out.SetReadDeadline(by); err != nil {
		return nil, err
	}
	if err := writeFrame(p.in, r.append); err != nil {
		return nil, err
	}
	b, err := readFrame(p.out)
	if err != nil {
		return nil, err
	}
	a, err := readAnswer(b)
	if err == nil && a.id != r.id {
		err = fmt.Errorf("answer to request %d, expected %d", a.id, r.id)
	}
	return a, err
}

// info is the first exchange with a new process.
func (p *process) info(limits *Options) (*Info, error) {
	a, err := p.ask(&request{kind: askInfo}, limits)
	if err != nil {
		return nil, err
	}
	if a.status != done {
		p.kill()
		return nil, fmt.Errorf("%w: %s", ErrMissing, strings.TrimPrefix(string(a.body), ErrMissing.Error()+": "))
	}
	i := new(Info)
	if err := json.Unmarshal(a.body, i); err != nil {
		p.kill()
		return nil, fmt.Errorf("%w: what it says of itself is damaged: %w", ErrCrashed, err)
	}
	if i.Build != build() {
		p.kill()
		return nil, fmt.Errorf("%w: %s is another version of this program (%s, expected %s)\n  help: start the compiler from a program of the same version as this one",
			ErrMissing, strings.Join(p.cmd.Args, " "), cmp.Or(i.Build, "an older one"), build())
	}
	return i, nil
}

// kill ends the process, which may be stopped, and gives its files back.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // an error means that it is gone already
	<-p.ended
	p.in.Close()
	p.out.Close()
}

func (p *process) gone() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// obituary says how the process ended and what it said last.
func (p *process) obituary(err error) string {
	how := err.Error()
	if p.how != nil {
		how = p.how.Error()
	}
	if said := p.errors.text(); said != "" {
		how += ": " + said
	}
	return how
}

// head keeps the beginning of what a process says about one request: LLVM's reason
// comes first, stacks follow.
type head struct {
	mu sync.Mutex
	b  []byte
}

const headBytes = 1024

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, b[:min(len(b), headBytes-len(h.b))]...)
	return len(b), nil
}

func (h *head) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = h.b[:0]
}

func (h *head) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.TrimSpace(string(h.b))
}
