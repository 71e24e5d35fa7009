package site

import (
	"context"
	"fmt"
	"time"
)

// Await waits until a cluster has n nodes.
func Await(ctx context.Context, s *Site, n int) error {
	id, err := s.identity(false)
	if err != nil {
		return err
	}
	ctl, err := s.dial(id)
	if err != nil {
		return err
	}
	defer ctl.Close()
	have := 0
	for {
		try, cancel := context.WithTimeout(ctx, time.Second)
		v, err := ctl.View(try)
		cancel()
		if err == nil {
			if have = len(v.Nodes); have >= n && v.Age == 0 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d nodes are ready: %w", have, n, context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
