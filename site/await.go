package site

import (
	"context"
	"errors"
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

// Prepare opens a cluster's directory, or makes one for an etcd that runs elsewhere.
func Prepare(dir string, etcd []string, ttl time.Duration) (*Site, error) {
	s, err := Open(dir)
	if none := (*NoSiteError)(nil); errors.As(err, &none) {
		if len(etcd) == 0 {
			return nil, errors.New("a new cluster needs --etcd, the endpoints of the etcd that keeps its records")
		}
		s, err = Create(dir, ttl)
	}
	if err != nil {
		return nil, err
	}
	if len(etcd) > 0 {
		s.Endpoints = etcd
	}
	return s, s.Save()
}
