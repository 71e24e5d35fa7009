package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// The pauses before a member is started again, and how long it must have lived for the next
// one to be the first again.
const (
	restartFirst = 200 * time.Millisecond
	restartMost  = 30 * time.Second
	goodLife     = time.Minute
	lastChance   = stopping + time.Second // to stop by itself
)

// Supervised is a member in a process of its own, which is started again whenever it ends.
// Meanwhile the node goes on without its vote.
type Supervised struct {
	program []string
	cfg     Config
	log     *slog.Logger
	cancel  context.CancelFunc
	done    chan struct{}

	last  error             // that its records are gone, as the last process said
	joins map[string]string // the cluster that the next one joins without records

	mu  sync.Mutex
	pid int // 0 while there is no process
}

// Supervise starts the program, which calls ServeMember, and keeps it running until Close.
func Supervise(program []string, cfg Config) *Supervised {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Supervised{program: program, cfg: cfg, log: cfg.Options.withDefaults().Log, cancel: cancel, done: make(chan struct{})}
	go s.run(ctx)
	return s
}

// Close stops the member and waits for it. Its records stay.
func (s *Supervised) Close() error {
	s.cancel()
	<-s.done
	return nil
}

func (s *Supervised) run(ctx context.Context) {
	defer close(s.done)
	runtime.LockOSThread() // the child dies with the thread that started it
	wait := restartFirst
	for ctx.Err() == nil {
		if free, err := freeBytes(s.cfg.Dir); err == nil && free < roomToStart {
			s.log.Warn(fmt.Sprintf("the control's member waits for space on its disk: %d MiB are free and it needs %d MiB; make room", free>>20, roomToStart>>20), "dir", s.cfg.Dir)
			s.sleep(ctx, wait)
			wait = min(2*wait, restartMost/10)
			continue
		}
		began := time.Now()
		err := s.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > goodLife {
			wait = restartFirst
		}
		if s.succeed(ctx, err) {
			continue
		}
		s.log.Error("the control's member has ended; it is started again, and the node goes on without its vote", "why", err, "lived", time.Since(began).Round(time.Millisecond), "pause", wait)
		if s.last != nil {
			wait = min(wait, replaceAgain)
		}
		s.sleep(ctx, wait)
		wait = min(2*wait, restartMost)
	}
}

// succeed replaces the member if its records are gone. Two processes must have found that, one
// after the other. It reports false if it did not, and logs why.
func (s *Supervised) succeed(ctx context.Context, err error) bool {
	gone := &goneError{}
	if !errors.As(err, &gone) {
		s.last = nil
		return false
	}
	first := s.last == nil
	if s.last = gone; first {
		return false
	}
	r := &replacement{s.cfg, gone, s.log}
	joins, err := r.replace(ctx)
	if err != nil {
		s.log.Error("the control's member cannot be replaced now; it is tried again", "why", err)
		return false
	}
	s.joins, s.last = joins, nil
	return true
}

// goneError is what a process has found of its records, and that they are gone.
type goneError struct{ what string }

func (e *goneError) Error() string { return e.what }

// formedMark is a file beside the records, which outlives them: the cluster exists.
func formedMark(dir string) string { return dir + ".formed" }

// Formed reports that the member of a folder has been one of a cluster, whatever is left in it.
func Formed(dir string) bool {
	_, err := os.Stat(formedMark(dir))
	return !errors.Is(err, fs.ErrNotExist)
}

// heard takes in what a process says; the error is that its records are gone.
func (s *Supervised) heard(t tiding) error {
	switch {
	case t.Lost || t.Damaged:
		return &goneError{t.Reason}
	case t.Ready && !Formed(s.cfg.Dir):
		if err := os.WriteFile(formedMark(s.cfg.Dir), nil, 0o600); err != nil {
			s.log.Warn("it cannot be noted that the control's records exist", "error", err)
		}
	}
	return nil
}

func (s *Supervised) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// once runs one process to its end.
func (s *Supervised) once(ctx context.Context) error {
	cfg := s.cfg
	cfg.Formed, cfg.Joins = cfg.Formed || Formed(s.cfg.Dir), s.joins
	s.joins = nil // its number must not be used again with an empty log
	config, err := json.Marshal(cfg)
	if err != nil {
		return err
	}
	cmd := exec.Command(s.program[0], s.program[1:]...)
	cmd.Stderr = os.Stderr // not by way of this process, which may hang: the member must not
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.set(cmd.Process.Pid)
	ended, life := make(chan error, 1), &pulse{limit: s.cfg.Options.withDefaults().TTL}
	go func() {
		var gone error
		listen(out, func(t tiding) {
			life.heard.Store(true)
			gone = cmp.Or(s.heard(t), gone)
		})
		ended <- cmp.Or(gone, cmd.Wait())
	}()
	defer s.set(0)
	if _, err := in.Write(append(config, '\n')); err != nil {
		in.Close()
		return fmt.Errorf("%w (%w)", <-ended, err)
	}
	silent, over := s.listenTo(ctx, life)
	defer over()
	select {
	case err := <-ended:
		return why(err)
	case err := <-silent:
		_ = cmd.Process.Kill() // it may have ended just now
		<-ended
		return err
	case <-ctx.Done():
		return stop(cmd, in, ended)
	}
}

// listenTo gives an error when a process is silent, until over is called.
func (s *Supervised) listenTo(ctx context.Context, life *pulse) (silent <-chan error, over func()) {
	ctx, cancel := context.WithCancel(ctx)
	found := make(chan error, 1)
	tick := time.NewTicker(listening)
	go func() {
		if err := life.silent(ctx, tick.C); err != nil {
			found <- err
		}
	}()
	return found, func() { cancel(); tick.Stop() }
}

// stop has a process end by itself, and otherwise ends it.
func stop(cmd *exec.Cmd, in io.Closer, ended <-chan error) error {
	in.Close()
	select {
	case err := <-ended:
		return err
	case <-time.After(lastChance):
		_ = cmd.Process.Kill() // it may have ended just now
		return <-ended
	}
}

func why(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, new(*goneError)):
		return err
	case err == nil:
		return errors.New("it stopped by itself")
	case errors.As(err, &exit) && exit.ExitCode() == exitStalled:
		return errors.New("it was stopped for longer than half of a lease; it does not go on with what it knew then")
	}
	return fmt.Errorf("%w; its own last words are in the log before this line", err)
}

func (s *Supervised) set(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid = pid
}
