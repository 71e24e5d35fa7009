package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// Grant is a region that a package asks for on each node where it runs, under the name
// by which gw_region finds it.
type Grant struct {
	Name string
	// Bytes of memory that the node makes when it is first asked for, and keeps until nobody has
	// used it for an hour, or the owner needs room. It belongs to the key that signed the package. Write says that it may be written.
	Bytes int64
	Write bool
	// Data, if Bytes is 0, is a column of a data set, "@set.column": the package gets
	// the rows that the node holds, and as int64 in NAME.range their first row and
	// the one behind the last, and in NAME.owners for each shard the row behind its
	// last and the number of a node that has it.
	Data string
}

// SendOptions are the choices of one Send.
type SendOptions struct {
	Grants   []Grant
	Deadline time.Duration // 30 s if zero and the context has none
	Hops     int           // how often the package may be passed on; 4096 if 0
	Args     bool          // the payload is to be made of the bytes given, by the package's X_payload_init, here
}

// SendDeadline is how long a reply is waited for if nothing else is said: what was
// lost on the way is noticed only then.
const SendDeadline = 30 * time.Second

// Reply is what came back.
type Reply struct {
	Bytes     []byte
	Replied   bool   // false: all that it began has ended without a reply
	Node      string // that replied
	Hops      int64  // forwards that led there
	CodeBytes int64  // of the package, as far as this client sent it
	Parcels   int64  // sent and received here
	Sent      int64  // bytes of parcels sent
	Retries   int64
	Took      time.Duration // from here and back
	Timing    parcel.Timing // on the node that replied
}

// Send runs a package on a node: its name, its number, or "any". The package travels
// there if it is not known, and runs at most once; where the nodes do not trust it,
// the error says what to do. The first reply of what it leads to is the answer.
func (c *Cluster) Send(ctx context.Context, pkg []byte, to string, payload []byte, opt SendOptions) (*Reply, error) {
	if _, timed := ctx.Deadline(); !timed || opt.Deadline > 0 {
		d := opt.Deadline
		if d <= 0 {
			d = SendDeadline
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, fmt.Errorf("no reply within the deadline of %v", d))
		defer cancel()
	}
	p, err := pack.Decode(pkg)
	if err != nil {
		return nil, err
	}
	peer, err := c.addressed(to)
	if err != nil {
		return nil, err
	}
	if opt.Hops < 0 || opt.Hops > 1<<16-1 {
		return nil, fmt.Errorf("a package may be passed on at most %d times, not %d", 1<<16-1, opt.Hops)
	}
	body := parcel.Call{Share: parcel.Whole, Bytes: payload}
	if body.Grants, err = c.grants(opt.Grants); err != nil {
		return nil, err
	}
	if opt.Args {
		if c.cfg.Payload == nil {
			return nil, errors.New("this client cannot make payloads of arguments: give the payload itself")
		}
		making, stop := c.during(ctx)
		body.Bytes, err = c.cfg.Payload(making, p, payload, c.alive())
		stop()
		if err != nil {
			return nil, c.why(err)
		}
	}
	start := time.Now()
	d, err := c.do(ctx, func(id caller.ID) caller.Input {
		return &caller.Call{ID: id, Code: caller.Code{ID: kernel.Hash(pkg), Bytes: pkg}, To: peer,
			Payload: body.Append(nil), Hops: uint16(opt.Hops), Left: c.left(ctx)}
	})
	if err != nil {
		return nil, err
	}
	return c.reply(d, time.Since(start))
}

// alive lists the numbers of the nodes.
func (c *Cluster) alive() []uint32 {
	var list []uint32
	for _, n := range c.View().Nodes {
		list = append(list, uint32(n.Peer))
	}
	return list
}

func (c *Cluster) reply(d *caller.Deliver, took time.Duration) (*Reply, error) {
	a := d.Answer
	r := &Reply{Replied: len(a.Columns) == 1, Hops: int64(a.Hops), Timing: a.Micros, Took: took, CodeBytes: d.Stats.CodeBytes,
		Parcels: d.Stats.Parcels + d.Stats.Answers, Sent: d.Stats.Bytes, Retries: d.Stats.Retries}
	if len(a.Columns) > 1 {
		return nil, errAnswer
	}
	if r.Replied {
		r.Bytes = a.Columns[0]
	}
	r.Node, _ = c.nameOf(d.Stats.From)
	return r, nil
}

// addressed finds a node by its name or number.
func (c *Cluster) addressed(to string) (catalog.Peer, error) {
	nodes := c.View().Nodes
	if len(nodes) == 0 {
		return 0, errors.New("no node of the cluster is alive")
	}
	if to == "any" {
		near := slices.DeleteFunc(slices.Clone(nodes), func(n catalog.Node) bool { _, gone := c.gone.Load(n.Peer); return gone })
		if len(near) == 0 {
			near = nodes
		}
		return near[rand.IntN(len(near))].Peer, nil
	}
	var names []string
	for _, n := range nodes {
		if to == n.Name || to == strconv.Itoa(int(n.Peer)) {
			return n.Peer, nil
		}
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return 0, fmt.Errorf("no node %s is alive: there are %s; or say any", to, strings.Join(names, ", "))
}

// grants finds the data sets that a call asks for.
func (c *Cluster) grants(list []Grant) ([]parcel.Grant, error) {
	if len(list) > parcel.MaxGrants {
		return nil, fmt.Errorf("%d regions were asked for, at most %d are allowed", len(list), parcel.MaxGrants)
	}
	var out []parcel.Grant
	for _, g := range list {
		p := parcel.Grant{Name: g.Name, Bytes: g.Bytes, Write: g.Write}
		if g.Bytes <= 0 {
			var err error
			if p.Set, p.Column, err = c.column(g.Data); err != nil {
				return nil, fmt.Errorf("region `%s`: %w", g.Name, err)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// column finds "@set#column"; of a set with one column "@set" is enough.
func (c *Cluster) column(text string) (set uint32, column int, err error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return 0, 0, fmt.Errorf("expected a number of bytes or @SET#COLUMN, found %q", text)
	}
	title, col, named := strings.Cut(name, "#")
	s, err := c.named(title)
	if err != nil {
		return 0, 0, err
	}
	if !named && len(s.Columns) == 1 {
		return s.ID, 0, nil
	}
	if i := slices.IndexFunc(s.Columns, func(x catalog.Column) bool { return x.Name == col }); i >= 0 {
		return s.ID, i, nil
	}
	var names []string
	for _, x := range s.Columns {
		names = append(names, x.Name)
	}
	if !named {
		return 0, 0, fmt.Errorf("@%s has the columns %s: name one, as in @%s#%s", title, strings.Join(names, ", "), title, names[0])
	}
	return 0, 0, fmt.Errorf("@%s has no column %q: it has %s", title, col, strings.Join(names, ", "))
}

// Trust changes whose packages nodes may run: edit gets the present list, may be
// called more than once, and gives the new one. Nodes hear of it within moments.
func (c *Cluster) Trust(ctx context.Context, edit func(trust.List) (trust.List, error)) (trust.List, error) {
	l, err := c.cfg.Control.Trust(ctx, edit)
	return l, c.why(err)
}
