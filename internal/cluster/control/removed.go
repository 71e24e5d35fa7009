package control

import (
	"context"
	"errors"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/protobuf/proto"
)

// In: a member that etcd has ended. Out: a *RemovedError if a majority of the others has records of
// the same cluster and this member is none of it: it was replaced, and then somebody put
// its old folder back; or its replacement broke off in the middle; or an operator has removed it.
//
// In all three cases it is replaced. What is configured is the one place that says who is a
// member, and a removal that is meant is made there; the three cannot be told apart.

// RemovedError says that the others do not know a member any more.
type RemovedError struct {
	Dir string
	ID  uint64
}

func (e *RemovedError) Error() string {
	return fmt.Sprintf("the records of the control's member in %s are those of the member %x, which the others have removed", e.Dir, e.ID)
}

// removed is nil also where the others do not answer.
func (cfg *Config) removed(ctx context.Context) *RemovedError {
	if len(cfg.Cluster) < 2 {
		return nil
	}
	own, err := numbers(cfg.Dir)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, replaceWithin)
	defer cancel()
	e, err := (&replacement{cfg: *cfg, log: cfg.Options.Log}).others(ctx)
	if err != nil {
		return nil
	}
	defer func() { _ = e.close() }()
	l, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberListResponse, error) {
		return c.MemberList(ctx)
	})
	if err != nil || l.Header.ClusterId != own.GetClusterID() {
		return nil
	}
	for _, m := range l.Members {
		if m.ID == own.GetNodeID() {
			return nil
		}
	}
	return &RemovedError{cfg.Dir, own.GetNodeID()}
}

// numbers are those of a member and its cluster, as its log has them.
func numbers(dir string) (*pb.Metadata, error) {
	w, _, err := openLog(logDir(dir))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	text, _, _, err := w.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, errors.New("the log does not say whose it is")
	}
	m := &pb.Metadata{}
	return m, proto.Unmarshal(text, m)
}
