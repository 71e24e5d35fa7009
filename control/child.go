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
// JSON; when it ends, because the node did, the member stops. Its log goes to standard error.
func ServeMember(in io.Reader, _ io.Writer) error {
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
	cfg.Options.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg.Ready = waitForMajority
	go endIfStalled(cfg.Options.withDefaults().TTL / 2)
	if err := runMember(ctx, cancel, cfg); err != nil && context.Cause(ctx) != io.EOF {
		return err
	}
	return nil
}

// waitForMajority is how long a member waits for others, before the node starts it anew.
const waitForMajority = 5 * time.Minute

// runMember runs a member until ctx ends or the disk is full.
func runMember(ctx context.Context, cancel context.CancelCauseFunc, cfg Config) error {
	wal.SegmentSizeBytes = walSegment
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return err
	}
	r := &reserve{dir: cfg.Dir, free: freeBytes, log: cfg.Options.Log}
	go func() {
		if err := r.watch(ctx); err != nil {
			cancel(err)
		}
	}()
	s, err := Embed(ctx, cfg)
	if err != nil {
		return err
	}
	<-ctx.Done()
	if cause := context.Cause(ctx); cause != io.EOF {
		return errors.Join(cause, s.Close())
	}
	return s.Close()
}
