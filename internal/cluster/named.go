package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// How long a data set is looked for that only old views lack, and how often.
const (
	lookedFor = 5 * time.Second
	lookAgain = 100 * time.Millisecond
)

// named finds a data set. The client's view may be older than the set: a watch is behind a
// little, and nodes give their last view while etcd is silent. So nobody is told that there is
// none before a view that etcd has confirmed.
func (c *Cluster) named(name string) (*catalog.Set, error) {
	if set, ok := c.View().Named(name); ok {
		return set, nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, lookedFor)
	defer cancel()
	for {
		v, err := c.cfg.Control.View(ctx)
		if err == nil {
			c.learn(v)
			if set, ok := v.Named(name); ok {
				return set, nil
			}
			if v.Age == 0 {
				return nil, c.noSet(name)
			}
			err = fmt.Errorf("etcd does not answer the nodes, whose last view is %v old", v.Age.Round(time.Millisecond))
		}
		select {
		case <-ctx.Done():
			return nil, c.why(fmt.Errorf("%w; it may be there nevertheless: %w", c.noSet(name), err))
		case <-time.After(lookAgain):
		}
	}
}
