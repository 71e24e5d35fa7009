package cluster

import (
	"context"
	"errors"
)

// ErrClosed says that the connection with the cluster was closed, before or meanwhile.
var ErrClosed = errors.New("the connection with the cluster was closed")

// Close ends the connection. What is in progress ends at once with ErrClosed, and so does what
// begins later. Closing again does nothing.
func (c *Cluster) Close() (err error) {
	c.ended.Do(func() {
		c.cancel(ErrClosed)
		c.calls.Close(ErrClosed)
		if c.net != nil {
			err = c.net.Close()
		}
		c.work.Wait()
		c.closeNear()
		err = errors.Join(err, c.cfg.Control.Close())
	})
	return err
}

// during gives a context that ends with the connection, too: for waits that are not for an answer.
func (c *Cluster) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// why is why something failed: what a control or a transport says after its end is about nothing else.
func (c *Cluster) why(err error) error {
	switch {
	case err == nil:
		return nil
	case context.Cause(c.ctx) == ErrClosed:
		return ErrClosed
	case c.cfg.Explain != nil:
		return c.cfg.Explain(err)
	}
	return err
}
