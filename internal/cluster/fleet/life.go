package fleet

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// life is one process of a node, from its start to its end.
type life struct {
	process *os.Process
	from    int64         // where its part of the log begins
	noted   bool          // its number is in the file pid
	ended   chan struct{} // closed when it has; then err and why say how
	err     error
	why     string // the line of its log that tells
}

// starter starts processes on one thread that lives as long as this process: the system
// sends a child its signal when the thread ends that started it (prctl(2), PR_SET_PDEATHSIG).
type starter struct{ jobs chan func() }

func newStarter() *starter {
	s := &starter{make(chan func())}
	go func() {
		runtime.LockOSThread() // and never unlocks
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

func (s *starter) start(cmd *exec.Cmd) (err error) {
	done := make(chan struct{})
	s.jobs <- func() { err = cmd.Start(); close(done) }
	<-done
	return err
}

// begin starts a node's process. Its folder gets its log, and its number as the file pid.
func (s *starter) begin(cmd *exec.Cmd, dir string, verbose io.Writer) (*life, error) {
	log := logOf(dir)
	file, err := regular.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if info, err := file.Stat(); err == nil {
		from = info.Size()
	}
	cmd.Stderr, cmd.Stdout = file, file
	if verbose != nil {
		cmd.Stderr = io.MultiWriter(deaf{file}, deaf{verbose})
	}
	cmd.Env = append(os.Environ(), marker+"="+dir)
	// Nodes end with this process however it ends, and get no signal from the terminal. When it is killed
	// the system sends the signal once for each of its threads, so they end at once.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	// What a node leaves behind, killed, must not hold up the waiting for it.
	cmd.WaitDelay = time.Second
	if err := s.start(cmd); err != nil {
		file.Close()
		return nil, err
	}
	l := &life{process: cmd.Process, from: from, ended: make(chan struct{})}
	l.note(dir)
	go func() {
		l.err = cmd.Wait()
		file.Close() // not before: with verbose the log is written by this process
		l.why = reason(log, from)
		close(l.ended)
	}()
	return l, nil
}

// note writes the process's number where tools look for it. What cannot be written is
// better absent than wrong, and written later.
func (l *life) note(dir string) {
	path := filepath.Join(dir, "pid")
	err := whole.Write(path, fmt.Appendln(nil, l.process.Pid), 0o600)
	if l.noted = err == nil; err != nil {
		_ = os.Remove(path)
	}
}

// end asks the process to end, and kills it after a while.
func (l *life) end(patience time.Duration) {
	_ = l.process.Signal(syscall.SIGTERM) // it may have ended
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-l.ended:
	case <-t.C:
		_ = l.process.Kill()
		<-l.ended
	}
}

// how says in words how a process ended.
func (l *life) how() string {
	text := "it stopped by itself"
	if l.err != nil {
		text = l.err.Error()
	}
	switch {
	case l.why == "":
		return text
	case l.err != nil && exitCode(l.err) < 0 && !crashed(l.why): // killed: it could not say why
		return text
	}
	return text + ": " + l.why
}

// misused reports that the node took its command line for wrong, which no second try changes.
// Go's runtime ends a process that panics with the same code.
func (l *life) misused() bool {
	const usage = 2
	return l.err != nil && l.process != nil && exitCode(l.err) == usage && !crashed(l.why)
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return -1
}
