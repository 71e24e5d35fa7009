package cluster

import "context"

// Drain marks a node as one to be drained, or takes the mark back. Others then make copies of what it
// holds; it stays a member, and answers, until somebody ends it.
func (c *Cluster) Drain(ctx context.Context, node string, on bool) error {
	return c.why(c.cfg.Control.Drain(ctx, node, on))
}
