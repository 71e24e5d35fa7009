package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// DefaultNodes is how many a new cluster gets if nobody says.
const DefaultNodes = 4

// mostNodes is how many one machine may have.
const mostNodes = 64

// controlMembers is how many of the nodes keep the cluster's records: enough to
// go on without one.
const controlMembers = 3

// open opens the folder, or makes one. Paths in it are absolute from here on, so that
// processes are known by them.
func (f *Fleet) open() (*site.Site, error) {
	dir, err := filepath.Abs(f.opt.Dir)
	if err != nil {
		return nil, err
	}
	s, err := site.Open(dir)
	if none := (*site.NoSiteError)(nil); errors.As(err, &none) {
		s, err = site.Create(dir, f.opt.TTL)
	}
	if err != nil {
		return nil, foreign(f.opt.Dir, err)
	}
	f.saved = text(s)
	s.TTL = int(f.opt.TTL.Seconds())
	if len(s.Nodes) > 0 && f.opt.Nodes > 0 && len(s.Nodes) != f.opt.Nodes {
		return nil, &Error{Text: fmt.Sprintf("the cluster in %s has %d nodes, not %d", f.opt.Dir, len(s.Nodes), f.opt.Nodes),
			Help: fmt.Sprintf("start it with -n %d, or without -n, and add nodes with `%s`; or name another directory with --cluster", len(s.Nodes), site.Command("add NODE", f.opt.Dir))}
	}
	if len(s.Nodes) == 0 && len(s.Endpoints) > 0 && len(f.opt.Etcd) == 0 {
		return nil, &Error{Text: fmt.Sprintf("the cluster in %s was made for nodes on other machines, with the etcd at %v", f.opt.Dir, s.Endpoints),
			Help: "name another directory with --cluster; or give --etcd, to start nodes of it on this machine, too"}
	}
	return s, nil
}

func text(s *site.Site) string {
	b, _ := json.Marshal(&s.Card) // never fails
	return string(b)
}

// prepare waits for what an earlier fleet has left, and gives nodes their ports and certificates.
func (f *Fleet) prepare() error {
	nodes := filepath.Join(f.site.Dir, "nodes")
	if n := len(left(nodes)); n > 0 {
		f.say(Event{Event: "said", Text: fmt.Sprintf("an earlier godwit up has left %d processes in %s: they are waited for, and killed after %v", n, f.opt.Dir, leaving)})
		clearLeft(f.ctx, nodes, leaving)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.site.Nodes) == 0 {
		if err := f.place(); err != nil {
			return err
		}
	} else if err := f.reform(); err != nil {
		return err
	}
	if err := f.certify(); err != nil {
		return err
	}
	return f.save()
}

// recorded reports that a member of etcd has records already, though cluster.json could not be
// written then.
func (f *Fleet) recorded() bool {
	return slices.ContainsFunc(f.site.Nodes, func(n site.NodeCard) bool {
		return n.ControlPeer != "" && control.Formed(filepath.Join(f.site.NodeDir(n.Name), "control"))
	})
}

// place gives every node of a new cluster its ports.
func (f *Fleet) place() error {
	n := f.opt.Nodes
	if n == 0 {
		n = DefaultNodes
	}
	members := min(controlMembers, n)
	if n == 2 {
		members = 1 // two would be lost together
	}
	if len(f.opt.Etcd) > 0 {
		members, f.site.Endpoints = 0, f.opt.Etcd
	}
	list, err := f.ports.choose(2*n+2*members, nil)
	if err != nil {
		return err
	}
	next := func() string { p := list[0]; list = list[1:]; return p }
	for i := range n {
		c := site.NodeCard{Name: "n" + strconv.Itoa(i+1), Address: next(), Metrics: next()}
		if i < members {
			c.ControlClient, c.ControlPeer = next(), next()
		}
		f.site.Nodes = append(f.site.Nodes, c)
	}
	f.site.Forming = members > 0
	f.endpoints()
	return nil
}

// reform sees to it that the members of etcd can find each other. It gives them other addresses if one of them is taken before they have
// ever found each other. There is nothing to lose then, and no address to keep.
func (f *Fleet) reform() error {
	f.site.Forming = f.site.Forming && !f.recorded()
	if !f.site.Forming {
		return f.anchored()
	}
	whole := true
	for _, n := range f.site.Nodes {
		whole = whole && (n.ControlPeer == "" || f.ports.reserve(n.ControlPeer) == nil)
	}
	if whole {
		return nil
	}
	for i := range f.site.Nodes {
		n := &f.site.Nodes[i]
		if n.ControlPeer == "" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.site.NodeDir(n.Name), "control")); err != nil {
			return err
		}
		f.ports.release(n.ControlPeer)
		at, err := f.ports.choose(1, f.taken())
		if err != nil {
			return err
		}
		n.ControlPeer = at[0]
	}
	return nil
}

// endpoints are where clients find the cluster's records, if they are kept in nodes.
func (f *Fleet) endpoints() {
	var list []string
	for _, n := range f.site.Nodes {
		if n.ControlClient != "" {
			list = append(list, n.ControlClient)
		}
	}
	if len(list) > 0 {
		f.site.Endpoints = list
	}
}

// certify issues the certificates of clients and of all nodes anew. On a full disk those that are there
// serve on, if they are good still.
func (f *Fleet) certify() error {
	err := f.site.IssueClient()
	if err = f.spare(err, filepath.Join(f.site.Dir, "client")); err != nil {
		return err
	}
	for _, n := range f.site.Nodes {
		_, err := f.site.IssueNode(n.Name, "127.0.0.1", "localhost")
		if err = f.spare(err, filepath.Join(f.site.NodeDir(n.Name), "identity")); err != nil {
			return err
		}
	}
	return nil
}

// identify makes a node's folder and certificate anew if they are not there any more, or not to be
// used. Its caller has the lock.
func (f *Fleet) identify(name string) error {
	id, err := identity.Load(filepath.Join(f.site.NodeDir(name), "identity"))
	if err == nil && id.Current() == nil {
		return nil
	}
	_, err = f.site.IssueNode(name, "127.0.0.1", "localhost")
	return err
}

// spare forgives that a certificate could not be written, if dir has one that is good.
func (f *Fleet) spare(err error, dir string) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	id, old := identity.Load(dir)
	if old != nil || id.Current() != nil {
		return err
	}
	f.say(Event{Event: "said", Text: fmt.Sprintf("%v; the old certificate in %s is used", err, dir)})
	return nil
}

// save writes cluster.json if it is to say something new. Its caller has the lock.
func (f *Fleet) save() error {
	now := text(f.site)
	if now == f.saved {
		return nil
	}
	if err := f.site.Save(); err != nil {
		return fmt.Errorf("cluster.json in %s cannot be written: %w", f.opt.Dir, err)
	}
	f.saved = now
	return nil
}

// formed notes that the cluster has been ready once.
func (f *Fleet) formed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready, f.site.Forming = true, false
	f.complain(f.save())
}

// complain says an error that nothing is to end for.
func (f *Fleet) complain(err error) {
	if err != nil {
		f.say(Event{Event: "said", Text: err.Error() + "; it is tried again until it can"})
	}
}
