package worker

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// check refuses calls that cannot be put to a worker.
func (p *Pool) check(id string, c *Call) error {
	refuse := func(format string, args ...any) error {
		return &Error{ID: id, How: fmt.Sprintf(format, args...)}
	}
	if n := int64(len(c.Payload)); n > p.opt.Limits.Bytes {
		return refuse("a payload of %d bytes; the node accepts at most %d", n, p.opt.Limits.Bytes)
	}
	if len(c.Grants) > pack.MaxGrants {
		return refuse("%d regions are granted; a call can have at most %d", len(c.Grants), pack.MaxGrants)
	}
	for i, g := range c.Grants {
		if g.Region == nil {
			return refuse("region %q is nil", g.Name)
		}
		if slices.ContainsFunc(c.Grants[:i], func(o Grant) bool { return o.Name == g.Name }) {
			return refuse("two regions are granted as %q", g.Name)
		}
	}
	return nil
}
