// Package site is a cluster as it lies on disk: the directory that `godwit up`
// makes, which holds the cluster's authority, its members' certificates and
// data, and what a client needs to connect. It also puts the parts of a node
// together.
package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control/remote"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// Site is a cluster's directory.
//
//	cluster.json       how to connect
//	authority/         the cluster's certificate authority: keep it private
//	client/            the identity of clients
//	admin/             the identity of administrators: keep it private, too
//	nodes/NAME/        a node on this machine: its identity, control's records, data
//
// A client needs only cluster.json and client/.
type Site struct {
	Dir string
	Card
}

// Card is what cluster.json holds.
type Card struct {
	Version   int      `json:"version"`
	Cluster   string   `json:"cluster"`   // its id
	Endpoints []string `json:"endpoints"` // host:port of etcd, which nodes alone reach
	// Contacts are nodes on other machines, by which clients reach the cluster.
	Contacts []Contact `json:"contacts,omitempty"`
	// TTL is after how many seconds a silent node counts as dead.
	TTL int `json:"ttl_seconds"`
	// Forming says that the members of etcd among Nodes have not found each other yet.
	Forming bool `json:"forming,omitempty"`
	// Nodes are those that were started together on this machine.
	Nodes []NodeCard `json:"nodes,omitempty"`
}

// NodeCard is how a node on this machine is reached, so that it comes back in the same
// places.
type NodeCard struct {
	Name    string `json:"name"`
	Address string `json:"address"` // of parcels
	Metrics string `json:"metrics"`
	// Of the nodes that are members of control, usually the first three:
	ControlClient string `json:"control_client,omitempty"`
	ControlPeer   string `json:"control_peer,omitempty"`
}

// Contact is where clients reach a node.
type Contact struct {
	Name    string `json:"name"`
	Address string `json:"address"` // host:port of parcels
}

const version = 1

// certificates last for a year; `godwit up` issues new ones at each start.
const valid = 365 * 24 * time.Hour

// Open reads the directory of a cluster.
func Open(dir string) (*Site, error) {
	b, err := regular.ReadLinked(filepath.Join(dir, "cluster.json"), 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoSiteError{Dir: dir}
	}
	if err != nil {
		return nil, err
	}
	s := &Site{Dir: dir}
	if err := json.Unmarshal(b, &s.Card); err != nil {
		return nil, fmt.Errorf("%s: %w; expected what `godwit up` wrote", filepath.Join(dir, "cluster.json"), err)
	}
	if s.Version != version {
		return nil, fmt.Errorf("%s: version %d, this godwit reads %d", filepath.Join(dir, "cluster.json"), s.Version, version)
	}
	return s, nil
}

// NoSiteError says that a directory holds no cluster.
type NoSiteError struct{ Dir string }

func (e *NoSiteError) Error() string {
	return fmt.Sprintf("there is no cluster in %s: start one with `godwit up -n 4`, or name the directory of one with --cluster", e.Dir)
}

// Create makes the directory of a new cluster: its authority and the identities
// of clients and administrators.
func Create(dir string, ttl time.Duration) (*Site, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// It holds private keys: whoever has it inside of a repository does not mean to publish them.
	if err := whole.Write(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return nil, err
	}
	a, err := identity.Create(filepath.Join(dir, "authority"))
	if err != nil {
		return nil, err
	}
	s := &Site{Dir: dir, Card: Card{Version: version, Cluster: a.Cluster, TTL: int(ttl.Seconds())}}
	return s, s.IssueClient()
}

// IssueClient makes new certificates for clients and for administrators.
func (s *Site) IssueClient() error {
	a, err := identity.Open(filepath.Join(s.Dir, "authority"))
	if err != nil {
		return err
	}
	for role, dir := range map[identity.Role]string{identity.Client: ClientDir, identity.Admin: AdminDir} {
		id, err := a.Issue(role, dir, valid)
		if err != nil {
			return err
		}
		if err := id.Save(filepath.Join(s.Dir, dir)); err != nil {
			return err
		}
	}
	return nil
}

// Where a cluster's directory has the identities of those who are no nodes.
const (
	ClientDir = "client"
	AdminDir  = "admin"
)

// IssueNode makes a certificate for a node and gives its directory. hosts are the names
// and addresses under which etcd's own clients find it. All nodes have the name
// identity.NodeCN in addition, by which an etcd of its own lets them in and nobody else
// (--client-cert-allowed-hostname).
func (s *Site) IssueNode(name string, hosts ...string) (string, error) {
	a, err := identity.Open(filepath.Join(s.Dir, "authority"))
	if err != nil {
		return "", err
	}
	id, err := a.Issue(identity.Node, name, valid, append(hosts[:len(hosts):len(hosts)], identity.NodeCN)...)
	if err != nil {
		return "", err
	}
	dir := s.NodeDir(name)
	return dir, id.Save(filepath.Join(dir, "identity"))
}

// NodeDir is where a node of this machine keeps everything.
func (s *Site) NodeDir(name string) string { return filepath.Join(s.Dir, "nodes", name) }

// Save writes cluster.json, whole or not at all.
func (s *Site) Save() error {
	b, err := json.MarshalIndent(&s.Card, "", "  ")
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(s.Dir, "cluster.json"), append(b, '\n'), 0o600)
}

// addresses are where clients reach nodes.
func (s *Site) addresses() ([]remote.Address, error) {
	var all []remote.Address
	for _, n := range s.Nodes {
		all = append(all, remote.Address{Name: n.Name, Address: n.Address})
	}
	for _, c := range s.Contacts {
		all = append(all, remote.Address(c))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no node by which the cluster is reached (older versions went to etcd): write it anew with `godwit cluster --cluster %s --node NAME=HOST:PORT`, once for each node", filepath.Join(s.Dir, "cluster.json"), s.Dir)
	}
	return all, nil
}

// dial reaches the cluster's control by way of its nodes.
func (s *Site) dial(id *identity.Identity) (*remote.Client, error) {
	nodes, err := s.addresses()
	if err != nil {
		return nil, err
	}
	return remote.Dial(remote.Options{Nodes: nodes, Identity: id})
}
