package caller

import (
	"context"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

func (e *Error) Error() string {
	text := e.Reason.String()
	if e.Node != 0 {
		text = fmt.Sprintf("node %s: %s", e.Name, text)
	}
	set := "`" + e.Set + "`"
	if e.Texts != "" {
		set = "the texts of `" + e.Texts + "`"
	}
	switch {
	case e.Shard >= 0 && e.Set != "":
		text += fmt.Sprintf(": shard %d of %s", e.Shard, set)
	case e.Set != "":
		text += ": " + set
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Is lets whoever set a deadline or cancelled find that again, also where a node or
// this core noticed before the context did.
func (e *Error) Is(target error) bool {
	return e.Reason == parcel.Expired && target == context.DeadlineExceeded || e.Reason == parcel.Cancelled && target == context.Canceled
}

// failure turns a node's failure into the error of an operation.
func (c *Core) failure(f *parcel.Failure) *Error {
	e := &Error{Reason: f.Reason, Node: f.Node, Name: c.name(f.Node), Shard: -1, Detail: f.Detail}
	if f.Set == 0 {
		return e
	}
	e.Shard = int(f.Shard)
	if c.view != nil {
		if s, ok := c.view.Set(f.Set); ok { // a set that is being stored has no name yet
			e.Set, e.ID, e.Texts = s.Name, s.ID, catalog.TextsOwner(c.view, s)
		}
	}
	return e
}

func (c *Core) explain(f *parcel.Failure) string { return c.failure(f).Error() }

// wants notes that an operation wants a kernel that a node lacks, or a shard that it lacks or
// cannot reach. It gives the error if that has lasted too long, or if it cannot get better.
func (c *Core) wants(op *operation, from catalog.Peer, f *parcel.Failure) *Error {
	c.stuck(op)
	if f.Reason == parcel.NoCode {
		if !op.carries() {
			return c.failure(f)
		}
		delete(c.meet(from).codes, op.code())
		delete(c.meet(f.Node).codes, op.code())
	} else if s, ok := c.shard(f); ok && c.choose(s, int(f.Shard), 0, 0) == 0 {
		return c.nobody(op, s, int(f.Shard))
	}
	if c.now-op.since > c.opt.Wait {
		return c.failure(f)
	}
	return nil
}

// shard is the set of which a failure names a shard.
func (c *Core) shard(f *parcel.Failure) (*catalog.Set, bool) {
	if c.view == nil || f.Shard < 0 {
		return nil, false
	}
	s, ok := c.view.Set(f.Set)
	return s, ok && int(f.Shard) < len(s.Shards)
}
