package fleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/site"
)

// An address of a node, and what happens there.
type seat struct {
	at   *string
	what string
	peer bool // other members of etcd have it in their records
}

func seats(n *site.NodeCard) []seat {
	return []seat{
		{&n.Address, "parcels", false}, {&n.Metrics, "metrics", false},
		{&n.ControlClient, "the cluster's records", false}, {&n.ControlPeer, "other members of etcd", true},
	}
}

// taken are all addresses of cluster.json, also of nodes that are down now.
func (f *Fleet) taken() map[string]bool {
	all := map[string]bool{}
	for i := range f.site.Nodes {
		for _, s := range seats(&f.site.Nodes[i]) {
			all[*s.at] = true
		}
	}
	return all
}

// claim sees to it that the node's ports are free, and moves it to others where they are
// not. cluster.json then says so, and is tried again if it cannot be written: until then clients find the
// cluster by its other nodes. Its caller has the lock.
func (f *Fleet) claim(name string) error {
	i := slices.IndexFunc(f.site.Nodes, func(n site.NodeCard) bool { return n.Name == name })
	card := f.site.Nodes[i]
	for _, s := range seats(&card) {
		if *s.at == "" {
			continue
		}
		err := f.free(*s.at)
		if err == nil {
			continue
		}
		if s.peer {
			if err := f.movable(name, *s.at, err); err != nil {
				return err
			}
		}
		to, cerr := f.ports.choose(1, f.taken())
		if cerr != nil {
			return cerr
		}
		f.say(Event{"moved", name, fmt.Sprintf("node %s: %s has %s, its address for %s; it gets %s", name, whose(*s.at, err), *s.at, s.what, to[0])})
		f.moved[name] = f.moved[name] || s.peer
		f.ports.release(*s.at)
		*s.at = to[0]
	}
	if card != f.site.Nodes[i] {
		f.site.Nodes[i] = card
		f.endpoints()
		f.complain(f.save())
	}
	return nil
}

// free reserves a port. One that a process gives back just now is waited for: a node was
// started again, and what it had started itself is about to end.
func (f *Fleet) free(at string) (err error) {
	for range 10 {
		if err = f.ports.reserve(at); err == nil || err == errReserved {
			return err
		}
		pause(f.ctx, 20*time.Millisecond)
	}
	return err
}

func whose(at string, err error) string {
	if u := userOf(at); !u.unknown() {
		return u.String()
	}
	if err == errReserved {
		return "another godwit up"
	}
	return "another process"
}

// anchored refuses to start where every member of etcd has lost its address: they would look
// for each other in vain.
func (f *Fleet) anchored() error {
	var lost []string
	members := 0
	for _, n := range f.site.Nodes {
		if n.ControlPeer == "" {
			continue
		}
		members++
		if err := f.free(n.ControlPeer); err != nil {
			lost = append(lost, fmt.Sprintf("%s has that of node %s, %s", whose(n.ControlPeer, err), n.Name, n.ControlPeer))
		}
	}
	if members < 2 || len(lost) < members {
		return nil
	}
	return &Error{Text: "others have all addresses at which the members of etcd find each other: " + strings.Join(lost, "; "),
		Help: "end one of those processes: the members that get another address find the others by one that keeps its own"}
}

// movable says why a member of etcd cannot get another address. One that starts elsewhere finds the others,
// and tells them, as long as one of those is where its records say.
func (f *Fleet) movable(name, at string, err error) error {
	members, staying := 0, 0
	for _, n := range f.site.Nodes {
		if n.ControlPeer == "" {
			continue
		}
		if members++; n.Name != name && !f.moved[n.Name] {
			staying++
		}
	}
	if !f.site.Forming && (members == 1 || staying > 0) {
		return nil
	}
	why := "all other members of etcd have lost theirs, too, and would not find each other"
	if f.site.Forming {
		why = "the cluster is being formed, and the others know no other one"
	}
	return &Error{Err: err, Text: fmt.Sprintf("node %s: %s has %s, its address for other members of etcd, which must stay the same because %s; end that process", name, whose(at, err), at, why)}
}
