package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/node"
	"github.com/godwit-run/godwit/parcel"
	"github.com/godwit-run/godwit/run"
	"github.com/godwit-run/godwit/verify"
)

// compile verifies a stranger's kernel, makes machine code of it, and keeps
// its bytes on disk for the node's next life.
func (d *Daemon) compile(ctx context.Context, w *node.Compile) (t parcel.Timing, err error) {
	start := time.Now()
	safe, err := verify.CheckBytes(w.Bytes)
	if err != nil {
		return t, &node.WorkError{Reason: parcel.Refused, Detail: err.Error()}
	}
	if safe.ID != w.ID {
		return t, refused("the kernel's hash is %s, expected %s", safe.ID.Short(), w.ID.Short())
	}
	verified := time.Now()
	if _, err := d.eng.Safe(ctx, safe); err != nil {
		return t, err
	}
	t.Verify, t.Compile = uint32(verified.Sub(start).Microseconds()), uint32(time.Since(verified).Microseconds())
	d.metrics.compiled(time.Since(start))
	// Nobody waits until it is on the disk.
	d.work.Go(func() {
		if err := d.cfg.Store.KeepCode(w.Bytes); err != nil {
			d.log.Warn("a kernel is not kept on disk", "kernel", w.ID.Short(), "reason", err)
		}
	})
	return t, nil
}

// recall has the kernels compiled again that the node knew in its last life.
func (d *Daemon) recall() {
	left := d.cfg.Limits.Codes
	for id, b := range d.cfg.Store.Codes() {
		if left--; left < 0 || d.ctx.Err() != nil {
			return
		}
		d.step(&node.Remember{ID: id, Bytes: b})
	}
}

// named gives an error the reason that its receiver acts upon.
func (d *Daemon) named(ctx context.Context, err error) error {
	var (
		work    *node.WorkError
		bad     *data.Error
		changed *run.ChangedError
		missing *run.MissingError
		space   *run.SpaceError
	)
	reason := parcel.Internal
	switch {
	case err == nil || errors.As(err, &work):
		return err
	case errors.As(err, &bad) || errors.As(err, &changed):
		reason = parcel.DataError
	case errors.As(err, &missing):
		reason = parcel.NoShard
	case errors.As(err, &space) || errors.As(err, new(*run.PieceError)) || errors.As(err, new(*verify.Error)) || errors.As(err, new(*kernel.FormatError)):
		reason = parcel.Refused
	case errors.Is(err, context.DeadlineExceeded):
		reason = parcel.Expired
	case errors.Is(err, context.Canceled):
		reason = parcel.Cancelled
	}
	return &node.WorkError{Reason: reason, Detail: err.Error()}
}
