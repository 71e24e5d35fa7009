package site

import (
	"fmt"
	"net"
	"slices"
	"time"
)

// In: the directory of a cluster that runs. Out: what a node must be told to be one of it, which is no part of its `godwit up`: with an identity of its
// own, and a place to listen. Far memory joins in this way.

// Join fills in what the directory of a cluster knows.
func (cfg *NodeConfig) Join(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	taken := slices.ContainsFunc(s.Nodes, func(n NodeCard) bool { return n.Name == cfg.Name }) || slices.ContainsFunc(s.Contacts, func(c Contact) bool { return c.Name == cfg.Name })
	if taken || !plainName(cfg.Name) {
		return fmt.Errorf("`%s` cannot be the name of a node that joins the cluster in %s: use letters, digits, - and _, and not the name of another one", cfg.Name, dir)
	}
	if cfg.Listen == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		cfg.Listen = l.Addr().String()
		if err := l.Close(); err != nil {
			return err
		}
	}
	host, _, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return fmt.Errorf("--listen: expected HOST:PORT: %w", err)
	}
	if _, err := s.IssueNode(cfg.Name, host); err != nil {
		return err
	}
	cfg.Dir, cfg.Etcd, cfg.TTL = s.NodeDir(cfg.Name), s.Endpoints, time.Duration(s.TTL)*time.Second
	return nil
}

// plainName reports that a name can be one of a directory.
func plainName(name string) bool {
	return name != "" && !slices.ContainsFunc([]rune(name), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}
