package daemon

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/run"
)

// compile verifies a stranger's kernel, makes machine code of it, and keeps
// its bytes on disk for the node's next life.
func (d *Daemon) compile(ctx context.Context, w *node.Compile, t *parcel.Timing) (*node.Compiled, error) {
	start := time.Now()
	safe, err := verify.CheckBytes(w.Bytes)
	if err != nil {
		return nil, &node.WorkError{Reason: parcel.Refused, Detail: err.Error()}
	}
	if safe.ID != w.ID {
		return nil, refused("the kernel's hash is %s, expected %s", safe.ID.Short(), w.ID.Short())
	}
	verified := time.Now()
	if _, err := d.eng.Safe(ctx, safe); err != nil {
		return nil, err
	}
	t.Verify, t.Compile = uint32(verified.Sub(start).Microseconds()), uint32(time.Since(verified).Microseconds())
	d.metrics.compiled(time.Since(start))
	d.keepCode(w.ID, w.Bytes)
	return &node.Compiled{Bound: outerSteps(safe)}, nil
}

// outerSteps bounds the steps of one outer index of a kernel; -1 for sizes that are not
// its own.
func outerSteps(safe *verify.Safe) func([]int64) int64 {
	return func(sizes []int64) int64 {
		if len(sizes) != len(safe.Kernel.Sizes) {
			return -1
		}
		return safe.Outer.Eval(sizes)
	}
}

// keepCode puts a kernel or a package on the disk, which nobody waits for.
func (d *Daemon) keepCode(id kernel.ID, b []byte) {
	d.work.Go(func() {
		if err := d.cfg.Store.KeepCode(b); err != nil {
			d.log.Warn("code is not kept on disk", "hash", id.Short(), "reason", err)
		}
	})
}

// recall has the kernels and packages compiled again that the node knew in its last
// life.
func (d *Daemon) recall() {
	left := d.cfg.Limits.Codes
	for id, b := range d.cfg.Store.Codes() {
		if left--; left < 0 || d.ctx.Err() != nil {
			return
		}
		d.drive.Step(&node.Remember{ID: id, Native: bytes.HasPrefix(b, []byte(pack.Magic)), Bytes: b})
	}
}

// named gives an error the reason that its receiver acts upon.
func (d *Daemon) named(ctx context.Context, err error) error {
	var (
		work    *node.WorkError
		bad     *data.Error
		changed *data.ChangedError
		missing *run.MissingError
		space   *run.SpaceError
		damaged *store.DamageError
	)
	reason := parcel.Internal
	switch {
	case err == nil || errors.As(err, &work):
		return err
	case errors.As(err, &damaged):
		return d.lacks(damaged.File.Set, damaged.File.Shard, err)
	case errors.As(err, &changed):
		reason = parcel.Busy // somebody writes to a shard's file; whether that did any harm shows next time
	case errors.Is(err, errStopping):
		reason = parcel.Busy
	case errors.As(err, &bad):
		reason = parcel.DataError
	case errors.As(err, &missing):
		reason = parcel.NoShard
	case errors.As(err, &space) && space.Crowded:
		reason = parcel.Busy
	case space != nil || errors.As(err, new(*run.PieceError)) || errors.As(err, new(*verify.Error)) || errors.As(err, new(*kernel.FormatError)):
		reason = parcel.Refused
	case errors.Is(err, context.DeadlineExceeded):
		reason = parcel.Expired
	case errors.Is(err, context.Canceled):
		reason = parcel.Cancelled
	}
	detail := err.Error()
	if bad != nil && bad.Help != "" { // who asked has nothing else of the error
		detail += "; " + bad.Help
	}
	return &node.WorkError{Reason: reason, Detail: detail}
}
