package remote

import (
	"context"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// do carries out a request that is allowed.
func (s *Service) do(ctx context.Context, who caller, req *request) (a *answer, err error) {
	a = &answer{}
	var set *catalog.Set
	ctx = control.For(ctx, who.Owner())
	switch req.Do {
	case doView:
		return s.view(ctx)
	case doAllocate:
		a.Number, err = s.cfg.Control.Allocate(ctx)
	case doCommit:
		if set, err = control.ReadSet(req.Set); err == nil {
			err = s.cfg.Control.Commit(ctx, set)
		}
	case doReplace:
		if set, err = control.ReadSet(req.Set); err == nil {
			set, err = s.cfg.Control.Replace(ctx, set)
			a.Set = setText(set)
		}
	case doRemove:
		set, err = s.cfg.Control.Remove(ctx, req.Name)
		a.Set = setText(set)
	case doTrust:
		return s.trust(ctx, who, req.Trust)
	case doDrain:
		if err = s.cfg.Control.Drain(ctx, req.Name, req.On); err == nil {
			s.cfg.Log.Info("a node was marked", "by", who.Owner(), "node", req.Name, "draining", req.On)
		}
	case doMembers:
		overseer, ok := s.cfg.Control.(control.Overseer)
		if !ok {
			return nil, &elsewhereError{text: "this node does not know the members of etcd"}
		}
		if a.Members, err = overseer.Members(ctx); err != nil {
			err = &elsewhereError{text: err.Error()}
		}
	case doRenew:
		if s.cfg.Authority == nil {
			return nil, &elsewhereError{text: "this node has no authority of the cluster, which renews certificates: it is in the cluster's directory (authority/), and a node is given it with --authority"}
		}
		a.Cert, err = s.cfg.Authority.Renew(req.CSR, who.state.State.PeerCertificates[0], 0)
		if err != nil {
			s.cfg.Log.Warn("a certificate is not renewed", "of", who.Owner(), "why", err)
		} else {
			s.cfg.Log.Info("a certificate was renewed", "of", who.Owner())
		}
	}
	return a, err
}

func setText(s *catalog.Set) []byte {
	if s == nil {
		return nil
	}
	return control.AppendSet(s)
}

// view asks etcd, and falls back to the node's last view if that does not answer.
func (s *Service) view(ctx context.Context) (*answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type asked struct {
		v   *catalog.View
		err error
	}
	got := make(chan asked, 1)
	go func() {
		v, err := s.cfg.Control.View(ctx)
		got <- asked{v, err}
	}()
	began := time.Now()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		select {
		case a := <-got:
			if a.err == nil {
				return &answer{view: s.encodedOf(a.v)}, nil
			}
			return s.own(a.err)
		case <-tick.C:
			if newest, _ := s.last(); newest != nil && s.hopeless(time.Since(began)) {
				return s.own(nil)
			}
		}
	}
}

// own is the node's last view, or the error if it has none.
func (s *Service) own(err error) (*answer, error) {
	newest, _ := s.last()
	if newest == nil {
		return nil, err
	}
	return &answer{view: newest, Age: max(1, time.Since(s.cfg.Fresh()).Milliseconds())}, nil
}

// hopeless reports that etcd will not answer who has waited for so long. One that is slow and
// renews leases is waited for: its view may have what somebody has just written.
func (s *Service) hopeless(waited time.Duration) bool {
	quiet := s.quiet()
	return waited >= patience && quiet > unsure || waited >= glance && quiet > sure
}

// trust adds to the list. There is no way to take something out that was revoked.
func (s *Service) trust(ctx context.Context, who caller, add *trust.List) (*answer, error) {
	if add == nil {
		return nil, &control.InvalidError{Reason: "nothing was given to be trusted or revoked"}
	}
	list, err := s.cfg.Control.Trust(ctx, func(l trust.List) (trust.List, error) { return apply(l, *add) })
	if err != nil {
		return nil, err
	}
	s.cfg.Log.Info("the list of trust was changed", "by", who.Owner(), "keys", len(add.Keys), "revoked", len(add.Revoked), "packages", len(add.Packages), "certificates", len(add.Serials))
	return &answer{Trust: &list}, nil
}

// apply adds what one list has to another one.
func apply(l, add trust.List) (trust.List, error) {
	var err error
	for _, k := range add.Keys {
		if l, err = l.Add(k.Name, k.Public); err != nil {
			return l, err
		}
	}
	return l.Merge(add.Revocations())
}

// added is what a list has that an older one has not.
func added(old, l trust.List) trust.List {
	more := old.Lacks(l)
	for _, k := range l.Keys {
		if !has(old.Keys, k) {
			more.Keys = append(more.Keys, k)
		}
	}
	return more
}

func has(keys []trust.Key, k trust.Key) bool {
	for _, o := range keys {
		if o.Name == k.Name && o.Public.Equal(k.Public) {
			return true
		}
	}
	return false
}
