package control

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// Roles of a member of the control.
const (
	Leader   = "leader"
	Follower = "follower"
	Learner  = "learner" // it is new and has no vote yet
	Down     = "down"    // it does not answer
)

// MemberState is how a member of the control is, as one node sees it. A member has the name of
// the node beside it.
type MemberState struct {
	Name     string    `json:"name"`
	Address  string    `json:"address"` // for nodes
	Role     string    `json:"role"`
	Since    time.Time `json:"since,omitzero"` // of a member that is down: when it first did not answer
	Replaced *Replaced `json:"replaced,omitempty"`
}

// Overseer is a control that knows its members.
type Overseer interface {
	Members(ctx context.Context) ([]MemberState, error)
}

// Majority reports whether enough members answer, and how many would.
func Majority(list []MemberState) (has bool, voters, up int) {
	for _, m := range list {
		if m.Role != Learner {
			voters++
		}
		if m.Role == Leader || m.Role == Follower {
			up++
		}
	}
	return up > voters/2, voters, up
}

// How often a node looks after the members, and how long each may take to answer.
const (
	overseeing = 2 * time.Second
	overseen   = 500 * time.Millisecond
	// lately is how long a member that is down is asked again by everybody who wants to know: it may be starting.
	lately = 10 * time.Second
)

// overseer remembers which members are down, and what was known of them all.
type overseer struct {
	mu    sync.Mutex
	known []*pb.Member
	down  map[uint64]time.Time
	past  map[string]*Replaced
	last  []MemberState // of the last look
	at    time.Time     // of it; zero where nobody looks after the members
}

// recent is what the last look found, unless one has failed since, or it may be different by now: nodes look for the first time while
// their members start.
func (o *overseer) recent() ([]MemberState, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fell := slices.ContainsFunc(o.last, func(m MemberState) bool { return m.Role == Down && time.Since(m.Since) < lately })
	return o.last, !fell && time.Since(o.at) < 2*overseeing
}

func (o *overseer) note(list []MemberState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last, o.at = list, time.Now()
}

// oversee looks after the members until ctx ends.
func (e *etcd) oversee(ctx context.Context) {
	tick := time.NewTicker(overseeing)
	defer tick.Stop()
	for {
		if list, err := e.members(ctx); err == nil {
			e.overseer.note(list)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Members implements Overseer. Who looks after the members does not ask them again: one that
// hangs keeps nobody waiting.
func (g *registry) Members(ctx context.Context) ([]MemberState, error) {
	e, ok := g.rec.(*etcd)
	if !ok {
		return nil, errors.New("this control has no members")
	}
	if list, ok := e.overseer.recent(); ok {
		return list, nil
	}
	return e.members(ctx)
}

func (e *etcd) members(ctx context.Context) ([]MemberState, error) {
	list, err := e.list(ctx)
	if err != nil {
		return nil, err
	}
	// Each question has its own time: what a hung member costs one of them is not missing for
	// the next, or all members would seem to be down.
	var past map[string]*Replaced
	out := make([]MemberState, len(list))
	var all sync.WaitGroup
	all.Go(func() { past = e.replacements(ctx) })
	for i, m := range list {
		all.Go(func() { out[i] = e.state(ctx, m) })
	}
	all.Wait()
	if ctx.Err() != nil { // nobody was given the time to answer
		return nil, context.Cause(ctx)
	}
	e.overseer.mu.Lock()
	defer e.overseer.mu.Unlock()
	if past != nil {
		e.overseer.past = past
	}
	for i, m := range list {
		out[i].Replaced = e.overseer.past[m.Name]
		if out[i].Role != Down {
			delete(e.overseer.down, m.ID)
			continue
		}
		if e.overseer.down[m.ID].IsZero() {
			e.overseer.down[m.ID] = time.Now().UTC().Truncate(time.Second)
		}
		out[i].Since = e.overseer.down[m.ID]
	}
	slices.SortFunc(out, func(a, b MemberState) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// list are the members as any one of them knows them, or as they were known before.
func (e *etcd) list(ctx context.Context) ([]*pb.Member, error) {
	got := make(chan []*pb.Member, len(e.order()))
	var last error
	ctx, cancel := context.WithTimeout(ctx, overseen)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range e.order() {
		all.Go(func() {
			if r, err := p.c.MemberList(ctx, clientv3.WithSerializable()); err == nil {
				got <- r.Members
				cancel()
			}
		})
	}
	all.Wait()
	e.overseer.mu.Lock()
	defer e.overseer.mu.Unlock()
	select {
	case e.overseer.known = <-got:
	default:
		last = errors.New("no member of the control has ever said which there are")
	}
	if e.overseer.known == nil {
		return nil, last
	}
	return e.overseer.known, nil
}

// replacements are those that a majority remembers, as the first member to answer says; nil
// without an answer.
func (e *etcd) replacements(ctx context.Context) map[string]*Replaced {
	ctx, cancel := context.WithTimeout(ctx, overseen)
	defer cancel()
	got := make(chan map[string]*Replaced, len(e.order()))
	var all sync.WaitGroup
	for _, p := range e.order() {
		all.Go(func() {
			r, err := p.c.Get(ctx, replacedKey, clientv3.WithPrefix(), clientv3.WithSerializable())
			if err != nil {
				return
			}
			out := map[string]*Replaced{}
			for _, kv := range r.Kvs {
				what := &Replaced{}
				if json.Unmarshal(kv.Value, what) == nil {
					out[strings.TrimPrefix(string(kv.Key), replacedKey)] = what
				}
			}
			got <- out
			cancel()
		})
	}
	all.Wait()
	select {
	case out := <-got:
		return out
	default:
		return nil
	}
}

// state asks one member how it is.
func (e *etcd) state(ctx context.Context, m *pb.Member) MemberState {
	s := MemberState{Name: m.Name, Role: Down}
	if len(m.ClientURLs) > 0 {
		_, s.Address, _ = strings.Cut(m.ClientURLs[0], "://")
	}
	ctx, cancel := context.WithTimeout(ctx, overseen)
	defer cancel()
	for _, p := range e.order() {
		if !slices.Contains(m.ClientURLs, p.url) {
			continue
		}
		conn := p.c.ActiveConnection() // p.c.Status makes one each time
		conn.ResetConnectBackoff()     // a try that came before the member did says nothing of now
		r, err := pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{}, grpc.WaitForReady(true))
		switch {
		case err != nil || r.Header.MemberId != m.ID:
		case r.IsLearner:
			s.Role = Learner
		case r.Leader == m.ID:
			s.Role = Leader
		default:
			s.Role = Follower
		}
	}
	if s.Role == Down && m.Name == "" {
		s.Role = Learner // it was added and has not started yet
	}
	return s
}
