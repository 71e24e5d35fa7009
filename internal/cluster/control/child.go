package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/storage/wal"
)

// walSegment is how long the files of etcd's log are, each of which is allocated
// beforehand, one in addition. etcd's own 64 MB suit other loads.
const walSegment = 8 << 20

// ServeMember is a process that is a member of the control. What etcd does when it cannot go
// on, to end the process, then ends this one and not the node. in begins with a Config as
// JSON; when it ends, because the node did, the member stops. Its log goes to standard error,
// and to out signs of life and what became of its records (see tidings).
func ServeMember(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("a member's configuration was expected on standard input: %w", err)
	}
	var cfg Config
	if err := json.Unmarshal(first, &cfg); err != nil {
		return fmt.Errorf("the member's configuration cannot be read: %w", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		cancel(io.EOF)
	}()
	t := &tidings{to: out}
	cfg.Options.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg.Ready = waitForMajority
	go endIfStalled(cfg.Options.withDefaults().TTL / 2)
	go t.beat(ctx, touch(cfg.Dir), usual)
	if err := runMember(ctx, cancel, cfg, t); err != nil && context.Cause(ctx) != io.EOF {
		return err
	}
	return nil
}

// errStopped ends a member that etcd has ended in order.
var errStopped = errors.New("etcd has stopped the member: the log before this line says why")

// waitForMajority is how long a member waits for others, before the node starts it anew.
const waitForMajority = 5 * time.Minute

// runMember runs a member until ctx ends or the disk is full.
func runMember(ctx context.Context, cancel context.CancelCauseFunc, cfg Config, t *tidings) error {
	wal.SegmentSizeBytes = walSegment
	t.step()
	err := examine(cfg.Dir, cfg.Formed && cfg.Joins == nil, t.step)
	t.examined()
	if err != nil {
		t.gone(err)
		return err
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return err
	}
	r := &ballast{dir: cfg.Dir, free: freeBytes, log: cfg.Options.Log}
	go func() {
		if err := r.watch(ctx); err != nil {
			cancel(err)
		}
	}()
	cfg.died = func(what string, why error) { t.died(cfg.Dir, what, why) }
	s, err := Embed(ctx, cfg)
	if err != nil {
		return explained(ctx, cfg, t, err)
	}
	t.ready()
	go func() {
		if err := stays(ctx, cfg.Dir); err != nil {
			cancel(err)
		}
	}()
	select {
	case <-ctx.Done():
	case <-s.e.Server.StopNotify():
		return explained(ctx, cfg, t, errors.Join(errStopped, s.Close()))
	}
	if cause := context.Cause(ctx); cause != io.EOF {
		return errors.Join(cause, s.Close())
	}
	return s.Close()
}

// explained tells why etcd has ended the member, if the others have removed it, and gives that or err.
func explained(ctx context.Context, cfg Config, t *tidings, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if removed := cfg.removed(ctx); removed != nil {
		t.gone(removed)
		return removed
	}
	return err
}
