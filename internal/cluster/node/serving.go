package node

// serving is a job that answers a parcel, or a part of it.
type serving struct {
	job
	held *held
	part int // of the parcel's fan
}

// do has a parcel's work, or a part of it, done here.
func (c *Core) do(h *held, part int, w Work) {
	s := &h.serving
	if s.held != nil {
		s = new(serving)
	}
	*s = serving{job{start: Start{Work: w}, client: h.client, queued: c.now, errand: s}, h, part}
	h.req.jobs = append(h.req.jobs, s)
	c.wait(&s.job)
}

func (s *serving) laneFor(*Core) int {
	switch w := s.start.Work.(type) {
	case *Native:
		return calling
	case *Report:
		return little
	case *Collect:
		if len(w.Gather.Rows) <= smallRows && w.Gather.Hi-w.Gather.Lo <= smallRows {
			return little
		}
	case *Compute:
		if s.held.few(w) {
			return little
		}
	}
	return working
}

func (s *serving) begin(c *Core) (left int64, ok bool) {
	r := s.held.req
	return r.deadline - c.now, !c.overdue(r, s)
}

func (s *serving) leave(c *Core)   { c.lanes[s.lane].drop(&s.job) }
func (s *serving) discard(c *Core) { c.release(s.held) }

func (s *serving) ended(c *Core, f Finished) {
	h := s.held
	r := h.req
	r.unlist(s)
	if _, keeps := s.start.Work.(*Keep); keeps {
		c.changed() // a shard has come or gone, perhaps
	}
	switch f := f.(type) {
	case *Called:
		s.discard(c)
		if !r.over {
			c.called(s, f)
		}
	case *Answered:
		if !r.over {
			c.answered(s, f)
		} else {
			f.Answer.Loan.Back() // nobody has seen it
		}
		s.discard(c)
	default:
		if !r.over {
			c.failFor(h, h.Code, failure(f))
		}
		s.discard(c)
	}
	c.settle(r)
}

// answered takes the answer to a parcel, or to a part of it.
func (c *Core) answered(s *serving, f *Answered) {
	a := f.Answer
	a.Faults = LeastFaults(a.Faults, nil)
	a.Micros = s.timing(s.held, f.Timing)
	if fan := s.held.req.fan; fan != nil {
		c.join(fan, s.part, a)
	} else {
		c.finish(s.held, a)
	}
}
