package control

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// mostMachine is how many bytes a description may have: views bring those of all nodes.
const mostMachine = 16 << 10

// Describe writes the node's record again, with the description.
func (s *membership) Describe(ctx context.Context, machine string) error {
	if len(machine) > mostMachine {
		return &InvalidError{fmt.Sprintf("the description of a machine has %d bytes, at most %d are published", len(machine), mostMachine)}
	}
	start := time.Now()
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.record
	r.Machine = machine
	done, _, err := s.g.rec.commit(ctx, []condition{{key: s.key(), created: true, revision: s.incarnation}}, []change{{s.key(), encode(r), s.lease}})
	if errors.Is(err, errNoLease) || err == nil && !done {
		return &StaleError{s.peer, s.incarnation}
	}
	if err == nil {
		s.record = r
	}
	return s.g.failed("publish what the node runs on", start, err)
}
