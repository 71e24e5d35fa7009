package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// deadlineError says that a command took longer than its --deadline.
type deadlineError struct {
	limit time.Duration
	err   error // what was under way; may be nil
}

func (e *deadlineError) Error() string {
	text := fmt.Sprintf("the deadline of %s has passed (--deadline)", e.limit)
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	return text
}

func (e *deadlineError) Unwrap() error { return e.err }

// Is lets it be found as what ends contexts.
func (e *deadlineError) Is(target error) bool { return target == context.DeadlineExceeded }

// Message lays the error out.
func (e *deadlineError) Message() *diag.Message {
	return &diag.Message{Text: e.Error(), Help: fmt.Sprintf("give it more time: --deadline %s", 2*e.limit)}
}

// late makes a deadlineError of the error of a command whose deadline has passed: a node, or the
// caller's own timer, may have noticed before the context did.
func late(ctx context.Context, limit time.Duration, err error) error {
	var mine *deadlineError
	var away *caller.Error
	switch {
	case err == nil || !errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &mine):
		if mine.err == nil && errors.As(err, &away) { // whom it waited for
			return &deadlineError{mine.limit, away}
		}
		return err
	case errors.As(err, &away) && limit > 0:
		return &deadlineError{limit, away}
	case errors.As(err, &away):
		return &godwit.InputError{Text: err.Error(), Help: fmt.Sprintf("a request to nodes ends after %s if nothing else is said: give it more time with --deadline", cluster.Deadline), Err: err}
	case limit > 0 && ctx.Err() != nil:
		return &deadlineError{limit: limit}
	}
	return err
}

// deadlineGiven refuses a --deadline that is over at once; help says what leaving it out means.
func deadlineGiven(cmd *cobra.Command, d time.Duration, help string) error {
	if d > 0 || !cmd.Flags().Changed("deadline") {
		return nil
	}
	return misused("use more than 0, such as 30s; "+help, "--deadline is %s", d)
}
