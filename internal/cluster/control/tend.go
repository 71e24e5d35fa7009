package control

import (
	"cmp"
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// How a member keeps its database small. A record of what a node holds is written anew for
// each shard of a load, so that history is much longer than what is valid. Who is behind what
// is kept reads everything anew.
const (
	tending     = time.Second
	tendAtStart = 20 * time.Second
	historyKept = 1000 // revisions, and fewer when the database grows:
	historyLess = 100  // beyond an eighth of the quota
	historyNone = 0    // beyond a quarter
	defragPause = 10 * time.Second
	// Pages of dropped revisions are free with the next change of the database only, and while it counts as full all
	// are refused. So a few small ones follow: a lease leaves no revision, and goes by itself.
	settling = 3
)

// tend looks after the database until the member stops.
func (s *Server) tend() {
	tick := time.NewTicker(tending)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.e.Server.StopNotify():
			return
		case <-tick.C:
		}
		if err := s.tidy(s.ctx); err != nil && s.ctx.Err() == nil {
			s.cfg.Options.Log.Warn("the control's member could not tidy its database", "member", s.cfg.Name, "reason", err)
		}
	}
}

// tidy drops history, gives space back, and takes back the alarm that the database is full
// when it is not any more. etcd itself never does the latter, and refuses all writes until then.
func (s *Server) tidy(ctx context.Context) error {
	quota, alarm := s.quota(), s.alarmed()
	if err := s.compact(ctx, s.keeps(quota, alarm)); err != nil {
		return err
	}
	if s.settle > 0 && !alarm {
		s.settle--
		if _, err := s.e.Server.LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: 1}); err != nil {
			return err
		}
	}
	b := s.e.Server.Backend()
	size, used := b.Size(), b.SizeInUse()
	if worth := alarm && used < size || size > quota/4 && used < size/2; worth && time.Since(s.defragged) > defragPause {
		s.defragged = time.Now()
		if err := b.Defrag(); err != nil {
			return err
		}
		size = b.Size()
	}
	if !alarm || size > quota/4*3 {
		return nil
	}
	_, err := s.e.Server.Alarm(ctx, &pb.AlarmRequest{Action: pb.AlarmRequest_DEACTIVATE, MemberID: uint64(s.e.Server.MemberID()), Alarm: pb.AlarmType_NOSPACE})
	return err
}

func (s *Server) quota() int64 {
	return cmp.Or(max(s.cfg.Quota, 0), defaultQuota)
}

func (s *Server) alarmed() bool {
	for _, a := range s.e.Server.Alarms() {
		if a.Alarm == pb.AlarmType_NOSPACE && a.MemberID == uint64(s.e.Server.MemberID()) {
			return true
		}
	}
	return false
}

func (s *Server) keeps(quota int64, alarm bool) int64 {
	switch size := s.e.Server.Backend().Size(); {
	case alarm || size > quota/4:
		return historyNone
	case size > quota/8:
		return historyLess
	}
	return historyKept
}

// compact drops revisions but the last ones, a tenth at a time. Members that do so at once do
// not hinder each other.
func (s *Server) compact(ctx context.Context, keep int64) error {
	kv := s.e.Server.KV()
	last := kv.Rev()
	if last-kv.FirstRev() <= keep+keep/10 {
		return nil
	}
	s.settle = settling
	ctx, cancel := context.WithTimeout(ctx, tendAtStart)
	defer cancel()
	_, err := s.e.Server.Compact(ctx, &pb.CompactionRequest{Revision: last - keep, Physical: true})
	if kv.FirstRev() >= last-keep {
		return nil // by this member or another one
	}
	return err
}
