package caller

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Options are the choices of a Core; zero values mean the defaults.
type Options struct {
	// First is the number of the first request; the next ones follow. A client
	// draws it at random when it starts, because nodes remember the requests of
	// its earlier life for a while.
	First uint64
	// Retry is how many microseconds it takes until what a node could not do is
	// tried again: a sixteenth of it at first, doubling up to eight times it. 1 s.
	Retry int64
	// Patience is after how many microseconds without an answer, or a walk without
	// progress, a request counts as lost and is sent again; the time doubles up
	// to eight times itself. Where connections do not lose parcels without
	// telling, answers come late only because the work is long: then to send it again
	// makes everything worse. 30 s.
	Patience int64
	// Wait is for how many microseconds nodes may say that a shard cannot be
	// reached, although the view has a live replica of it. 10 s, twice the usual
	// lease.
	Wait int64
	// Forget is after how many microseconds a replica that was said to be missing is
	// asked again. 30 s.
	Forget int64
	// Hops is the hop budget of a request. 4096.
	Hops uint16
	// Budgets is how many more hop budgets a state of a walk gets. 16.
	Budgets int
	// Codes is how many kernels are kept after the operations that used them, for
	// nodes that ask late. 64.
	Codes int
	// OnDemand sends kernels only to nodes that ask for them: for short-lived callers,
	// which do not know what nodes have already. It costs a round trip where a
	// node has not got one.
	OnDemand bool
	// Avoid, if set, reports that other replicas are to be preferred to a node: it is slow. Of those that are, one that was not asked
	// for long is tried.
	Avoid func(catalog.Peer) bool
}

func (o Options) withDefaults() Options {
	if o.Retry <= 0 {
		o.Retry = 1_000_000
	}
	if o.Patience <= 0 {
		o.Patience = 30_000_000
	}
	if o.Wait <= 0 {
		o.Wait = 10_000_000
	}
	if o.Forget <= 0 {
		o.Forget = 30_000_000
	}
	if o.Hops == 0 {
		o.Hops = 4096
	}
	if o.Budgets <= 0 {
		o.Budgets = 16
	}
	if o.Codes <= 0 {
		o.Codes = 64
	}
	return o
}

// Core is the state of a caller. It is not safe for concurrent use.
type Core struct {
	self   catalog.Peer
	opt    Options
	now    int64
	next   uint64 // number of the next request
	view   *catalog.View
	before *catalog.View // the one before, while a new one is taken in
	lacked map[replica]*lack
	// lessons counts what was learned of who cannot do what: the same work sent again
	// since then may go elsewhere.
	lessons int64
	inners  ID // operations so far that are parts of others
	ops     map[ID]*operation
	trips   map[uint64]*operation // by request
	timers  timers
	nodes   map[catalog.Peer]*acquaintance
	removed map[uint32]string // names of sets that views have no more
	recent  recent
	out     []Effect
}

// New makes a caller that nodes answer as self.
func New(self catalog.Peer, opt Options) *Core {
	opt = opt.withDefaults()
	return &Core{
		self: self, opt: opt, next: opt.First, now: math.MinInt64,
		ops: map[ID]*operation{}, trips: map[uint64]*operation{},
		nodes: map[catalog.Peer]*acquaintance{}, lacked: map[replica]*lack{}, recent: recent{most: opt.Codes},
	}
}

// Step takes in what happened at time now, in microseconds of a clock that
// never goes back, and returns what to do about it, in order. The slice is
// reused by the next Step.
func (c *Core) Step(now int64, in Input) []Effect {
	c.now = max(now, c.now)
	clear(c.out)
	c.out = c.out[:0]
	c.fire()
	switch in := in.(type) {
	case *Ask:
		c.ask(in)
	case *Walk:
		c.walk(in)
	case *Fan:
		c.fan(in)
	case *Call:
		c.call(in)
	case *Abandon:
		if op, ok := c.ops[in.ID]; ok {
			c.end(op, nil)
		}
	case *Received:
		c.receive(in)
	case *Gone:
		c.lost(in.Peer)
	case *Learned:
		c.learn(in.View)
	}
	c.fire()
	return c.out
}

// Next is when a Tick is due, false if nothing waits for time to pass.
func (c *Core) Next() (int64, bool) {
	if len(c.timers) == 0 {
		return 0, false
	}
	return c.timers[0].wake, true
}

// Waits reports that something waits for time to pass.
func (c *Core) Waits() bool { return len(c.timers) > 0 }

// Idle reports that no operation is in flight and nothing is kept for one.
func (c *Core) Idle() bool {
	return len(c.ops) == 0 && len(c.trips) == 0 && len(c.timers) == 0
}

// receive takes a parcel. What is damaged, not for this caller, or about a
// request that has ended, is dropped.
func (c *Core) receive(in *Received) {
	p, err := parcel.Decode(in.Bytes)
	if err != nil || p.Caller != c.self || in.From >= catalog.FirstClient {
		return
	}
	if node, ok := c.nodes[in.From]; ok {
		node.gone = false
	}
	op := c.trips[p.Request]
	if op != nil {
		op.stats.Answers++
		op.stats.Received += int64(len(in.Bytes))
	}
	switch {
	case p.Kind == parcel.NeedCode:
		c.needCode(in.From, &p.Header, op)
	case op == nil:
		if f, err := parcel.ReadFailure(p.Payload); p.Kind == parcel.Fail && err == nil {
			c.lacking(f) // which the next operation need not find out again
		}
	case p.Kind == parcel.Result:
		c.result(op, in.From, p, in.Loan)
	case p.Kind == parcel.Fail:
		c.failed(op, in.From, p)
	}
}

func (c *Core) result(op *operation, from catalog.Peer, p *parcel.Parcel, of *loan.Loan) {
	a, err := parcel.ReadAnswer(p.Payload)
	if err != nil {
		c.broken(op, from, "its answer cannot be read: "+err.Error())
		return
	}
	a.Loan = of
	op.heard(from)
	op.involve(p.Request, from)
	c.meet(from).learn(op.code())
	if op.kind == parcel.Walk || op.kind == parcel.Send {
		// Who answers these does not know their budget, only what is left of it.
		a.Hops = uint32(op.hops - min(p.Hops, op.hops))
	}
	op.stats.Hops = max(op.stats.Hops, int64(a.Hops))
	op.work.answered(op, from, p.Request, a)
}

func (c *Core) failed(op *operation, from catalog.Peer, p *parcel.Parcel) {
	f, err := parcel.ReadFailure(p.Payload)
	if err != nil {
		c.broken(op, from, "its answer cannot be read: "+err.Error())
		return
	}
	op.heard(from)
	op.involve(p.Request, from)
	if f.Node == 0 {
		f.Node = from
	}
	c.lacking(f)
	op.last.said, op.untouched = c.explain(f), p.Hops == op.hops
	op.work.failed(op, from, p.Request, f)
}

// broken ends an operation because a node does not keep to the protocol.
func (c *Core) broken(op *operation, from catalog.Peer, detail string) {
	c.end(op, &Error{Reason: parcel.Internal, Node: from, Name: c.name(from), Shard: -1, Detail: detail})
}

// lost notes that a peer cannot be reached now. Its connection may come back,
// so it is avoided only where there is another.
func (c *Core) lost(p catalog.Peer) {
	if a := c.meet(p); !a.gone {
		a.gone = true
		c.lessons++
	}
	for _, op := range c.inOrder() {
		if c.ops[op.id] == op {
			c.lostBy(op, p)
		}
	}
}

// lostBy tells an operation that a peer does nothing for it any more: nodes
// drop the work of callers that they lose.
func (c *Core) lostBy(op *operation, p catalog.Peer) {
	for _, t := range op.trips {
		op.settle(t.request, p)
	}
	op.work.lost(op, p)
}

// inOrder lists the operations by ID, so that no map's order shows.
func (c *Core) inOrder() []*operation {
	list := make([]*operation, 0, len(c.ops))
	for _, op := range c.ops {
		list = append(list, op)
	}
	slices.SortFunc(list, func(a, b *operation) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	return list
}
