package site

import (
	"errors"
	"path/filepath"

	"github.com/godwit-run/godwit/internal/cluster/control/remote"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// UnreachedError says that no node of a directory's cluster answers.
type UnreachedError struct {
	Dir  string
	Here bool // all of its nodes are on this machine
	err  *remote.UnansweredError
}

// unreached makes it of the error of a request, if that is what it says.
func (s *Site) unreached(err error) error {
	var e *remote.UnansweredError
	if !errors.As(err, &e) {
		return err
	}
	return &UnreachedError{Dir: s.Dir, Here: len(s.Contacts) == 0, err: e}
}

func (e *UnreachedError) Error() string {
	if e.Stopped() {
		return "the cluster in " + e.Dir + " does not run"
	}
	return "no node of the cluster in " + e.Dir + " " + e.err.Answers()
}

// Stopped says that the cluster is one of this machine and does not run.
func (e *UnreachedError) Stopped() bool { return e.Here && e.err.Refused }

// Help is what to do.
func (e *UnreachedError) Help() string {
	switch {
	case e.Stopped():
		return "`" + Command("up -d", e.Dir) + "` starts it"
	case e.Here:
		return "its nodes' logs are in " + filepath.Join(e.Dir, "nodes") + "; `" + Command("down", e.Dir) + "` ends it, `" + Command("up -d", e.Dir) + "` starts it again"
	}
	return "see that its nodes run, and that these addresses are reached from here; " + filepath.Join(e.Dir, "cluster.json") + " has them"
}

// Message lays the error out.
func (e *UnreachedError) Message() *diag.Message {
	return &diag.Message{Text: e.Error(), Help: e.Help()}
}

func (e *UnreachedError) Unwrap() error { return e.err }
