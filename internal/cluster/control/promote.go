package control

import (
	"context"
	"time"
)

// promoteAgain is after what time a new member asks again to get its vote.
const promoteAgain = 200 * time.Millisecond

// promote gives a member that was added as a learner its vote, as soon as the leader finds that
// it has caught up. Until then it does not count for the majority.
func (s *Server) promote() {
	for {
		own := s.e.Server.Cluster().Member(s.e.Server.MemberID())
		if own != nil && !own.IsLearner {
			return
		}
		ctx, cancel := context.WithTimeout(s.ctx, s.cfg.Options.Timeout)
		_, err := s.e.Server.PromoteMember(ctx, uint64(s.e.Server.MemberID()))
		cancel()
		if err == nil {
			s.cfg.Options.Log.Warn("the control's member has caught up and votes from now on", "member", s.cfg.Name)
			return
		}
		s.cfg.Options.Log.Debug("the control's member has no vote yet", "member", s.cfg.Name, "reason", err)
		select {
		case <-s.e.Server.StopNotify():
			return
		case <-s.ctx.Done():
			return
		case <-time.After(promoteAgain):
		}
	}
}
