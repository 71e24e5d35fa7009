package control

import (
	"context"
	"slices"
	"time"

	etcdmember "go.etcd.io/etcd/server/v3/etcdserver/api/membership"
)

// announceAgain is after what time a member tries again to tell where it is.
const announceAgain = time.Second

// announce tells the other members where this one is, if their records say otherwise:
// it was started at another address than the one at which it was made. It reaches them where they were,
// and they answer on the connections that it opens, so one member that has not moved is
// enough.
func (s *Server) announce() {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Options.Timeout)
		moved, err := s.tell(ctx)
		cancel()
		if err == nil {
			if moved {
				s.cfg.Options.Log.Warn("the control's member told others its new address", "member", s.cfg.Name, "peer", s.cfg.Peer)
			}
			return
		}
		s.cfg.Options.Log.Warn("the control's member cannot tell others its new address", "member", s.cfg.Name, "peer", s.cfg.Peer, "error", err)
		select {
		case <-s.e.Server.StopNotify():
			return
		case <-time.After(announceAgain):
		}
	}
}

func (s *Server) tell(ctx context.Context) (moved bool, err error) {
	own := s.e.Server.Cluster().Member(s.e.Server.MemberID())
	var want []string
	for _, u := range s.e.Config().AdvertisePeerUrls {
		want = append(want, u.String())
	}
	if own == nil || slices.Equal(own.PeerURLs, want) {
		return false, nil
	}
	if _, err = s.e.Server.UpdateMember(ctx, etcdmember.Member{ID: own.ID, RaftAttributes: etcdmember.RaftAttributes{PeerURLs: want, IsLearner: own.IsLearner}}); err != nil {
		return true, err
	}
	return true, s.yield()
}

// yield makes the member that was connected longest the leader, if this one is. Two that have moved do not
// find each other before a leader has told them, and a leader that has moved reaches only
// those that have not.
func (s *Server) yield() error { return s.e.Server.TryTransferLeadershipOnShutdown() }
