package control

import (
	"context"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// How often the members are asked where each of them is: until the first answer, and later.
const (
	unknownYet = 500 * time.Millisecond
	knownSince = 30 * time.Second
)

// discover adds the members that the cluster names to the endpoints, until ctx ends.
func (e *etcd) discover(ctx context.Context) {
	for wait := unknownYet; ; {
		if e.ask(ctx) {
			wait = knownSince
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// ask reports whether a member has answered.
func (e *etcd) ask(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*oneTry)
	defer cancel()
	r, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberListResponse, error) {
		return c.MemberList(ctx, clientv3.WithSerializable())
	})
	if err != nil {
		return false
	}
	for _, m := range r.Members {
		for _, url := range m.ClientURLs {
			if strings.HasPrefix(url, e.scheme()) {
				_ = e.add(url) // one that cannot be used is no loss
			}
		}
	}
	return true
}
