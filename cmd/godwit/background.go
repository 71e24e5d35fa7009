package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// logOf is where a godwit up in the background says what happens.
func logOf(dir string) string { return filepath.Join(dir, "up.log") }

// background starts the same godwit up in a session of its own, and waits until its
// cluster is ready.
func (u *upping) background(cmd *cobra.Command) error {
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(logOf(u.dir), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	words := append([]string{"up", "--behind", "--cluster=" + u.dir}, changed(cmd.Flags(), "detach", "json", "cluster")...)
	child := exec.Command(self, words...)
	child.Stdout, child.Stderr = log, log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	begin := time.Now()
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	s, err := u.ready(cmd.Context(), child.Process, ended)
	if err != nil {
		return said(log, from, err)
	}
	return u.started(cmd, s, time.Since(begin))
}

// ready waits until the process's cluster is.
func (u *upping) ready(ctx context.Context, p *os.Process, ended <-chan error) (*fleet.State, error) {
	c := fleet.NewClient(u.dir)
	for {
		ask, cancel := context.WithTimeout(ctx, time.Second)
		s, err := c.State(ask)
		cancel()
		if err == nil && s.Pid == p.Pid && s.Ready { // another one may have the folder
			return s, nil
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("godwit up ended: %w", orQuiet(err))
		case <-ctx.Done():
			_ = p.Signal(syscall.SIGTERM) // it may have ended
			<-ended
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func orQuiet(err error) error {
	if err == nil {
		return errors.New("somebody asked for it")
	}
	return err
}

// said is the error that the process has printed into its log, or else how it ended.
func said(log *os.File, from int64, err error) error {
	text, _ := io.ReadAll(io.NewSectionReader(log, from, 1<<20)) // what can be read is shown
	if i := bytes.Index(text, []byte("error: ")); i >= 0 {
		return &printed{strings.TrimSpace(string(text[i:]))}
	}
	return fmt.Errorf("%w; its log is %s", err, log.Name())
}

// printed is an error as another process has laid it out.
type printed struct{ text string }

func (e *printed) Error() string { return e.text }

func (u *upping) started(cmd *cobra.Command, s *fleet.State, took time.Duration) error {
	if u.json {
		return printJSON(cmd.OutOrStdout(), s)
	}
	good := 0
	for _, n := range s.Nodes {
		if n.State == fleet.Ready {
			good++
		}
	}
	count := fmt.Sprint(good)
	if good < len(s.Nodes) {
		count = fmt.Sprintf("%d of %d", good, len(s.Nodes))
	}
	are := "nodes are"
	if good == 1 && len(s.Nodes) == 1 {
		are = "node is"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s ready in %s, after %.1f s; the log is %s; `%s` ends them\n", count, are, u.dir, took.Seconds(), logOf(u.dir), site.Command("down", u.dir))
	return err
}
