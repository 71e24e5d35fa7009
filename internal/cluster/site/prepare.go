package site

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// usualPort is that of parcels, where `godwit node` is not told another one.
const usualPort = "7411"

// Prepare opens a cluster's directory, or makes one for an etcd that runs elsewhere.
func Prepare(dir string, etcd []string, ttl time.Duration) (*Site, error) {
	s, err := Open(dir)
	if none := (*NoSiteError)(nil); errors.As(err, &none) {
		if len(etcd) == 0 {
			return nil, errors.New("a new cluster needs --etcd, the endpoints of the etcd that keeps its records")
		}
		s, err = Create(dir, ttl)
	}
	if err != nil {
		return nil, err
	}
	if len(etcd) > 0 {
		s.Endpoints = etcd
	}
	return s, s.Save()
}

// Add issues the identity of a node on another machine and notes where clients reach it.
// spec is NAME or NAME=HOST[:PORT]/HOST/…: the first host is where it takes parcels, its own
// name if there is none, and all are names under which etcd's own clients find it. It gives
// the node's name and the directory of its identity.
func (s *Site) Add(spec string) (name, dir string, err error) {
	name, at, _ := strings.Cut(spec, "=")
	hosts := strings.Split(at, "/")
	host, port := name, usualPort
	if hosts[0] != "" {
		if host = hosts[0]; strings.Contains(host, ":") && net.ParseIP(host) == nil {
			if host, port, err = net.SplitHostPort(host); err != nil {
				return "", "", fmt.Errorf("%q is no address of a node: expected NAME=HOST or NAME=HOST:PORT: %w", spec, err)
			}
		}
		hosts[0] = host
	} else {
		hosts = nil
	}
	if dir, err = s.IssueNode(name, hosts...); err != nil {
		return "", "", err
	}
	s.Contacts = slices.DeleteFunc(s.Contacts, func(c Contact) bool { return c.Name == name })
	s.Contacts = append(s.Contacts, Contact{Name: name, Address: net.JoinHostPort(host, port)})
	return name, dir, s.Save()
}
