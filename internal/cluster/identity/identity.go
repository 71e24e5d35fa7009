// Package identity is who is who in a cluster: each cluster has a certificate
// authority of its own, which issues a certificate to every node, client and
// administrator. Peers talk over TLS 1.3 and show each other these certificates;
// host names and public authorities play no part.
//
// A certificate says in its URI who its owner is: godwit://CLUSTER/node/NAME,
// …/client/NAME or …/admin/NAME. Its serial number has two halves: the first one,
// Serial, is drawn when it is issued and kept when it is renewed, so that revoking
// it ends a certificate and all that came or will come of it.
package identity

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
	"github.com/godwit-run/godwit/internal/pattern"
)

// Role is what a peer may do.
type Role uint8

const (
	Node   Role = iota + 1 // holds data and runs parcels
	Client                 // sends requests
	Admin                  // sends requests, and says who is trusted
)

var roles = []Role{Node, Client, Admin}

func (r Role) String() string {
	switch r {
	case Node:
		return "node"
	case Client:
		return "client"
	case Admin:
		return "admin"
	}
	return fmt.Sprintf("role %d", uint8(r))
}

// Peer is what a certificate says about its owner.
type Peer struct {
	Cluster string // id of the cluster: 32 hexadecimal digits
	Role    Role
	Name    string
}

func (p Peer) String() string {
	return fmt.Sprintf("%v %q of cluster %s", p.Role, p.Name, p.Cluster)
}

const scheme = "godwit"

// Owner is a short name for whom a certificate belongs to: "client/alice".
func (p Peer) Owner() string { return p.Role.String() + "/" + p.Name }

func (p Peer) uri() *url.URL {
	return &url.URL{Scheme: scheme, Host: p.Cluster, Path: "/" + p.Owner()}
}

var (
	names    = pattern.Of(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	clusters = pattern.Of(`^[0-9a-f]{32}$`)
)

// claims reads who a certificate says it belongs to. That is true only once
// the certificate was verified.
func claims(c *x509.Certificate) (Peer, error) {
	if len(c.URIs) != 1 || c.URIs[0].Scheme != scheme {
		return Peer{}, fmt.Errorf("%w: the certificate of %q has no name of a godwit node, client or admin", ErrOtherCluster, c.Subject)
	}
	u := c.URIs[0]
	role, name, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	p := Peer{Cluster: u.Host, Name: name}
	if n := slices.IndexFunc(roles, func(r Role) bool { return r.String() == role }); n >= 0 {
		p.Role = roles[n]
	}
	if p.Role == 0 || !names().MatchString(name) || !clusters().MatchString(p.Cluster) {
		return Peer{}, fmt.Errorf("%w: the name %q in the certificate is not godwit://CLUSTER/node/NAME, …/client/NAME or …/admin/NAME", ErrRole, u)
	}
	return p, nil
}

// PeerOf is who a certificate says it belongs to, for certificates that were verified
// before, such as those of a connection.
func PeerOf(verified *x509.Certificate) (Peer, error) { return claims(verified) }

// Identity is a certificate with its key and the authority that its owner
// trusts. The certificate may be renewed while it is in use: new connections show
// the new one, others go on.
type Identity struct {
	Peer
	// Revoked says whether a certificate of this Serial was revoked; nil: none was.
	// Now is the clock that certificates are held against; nil: time.Now. Both are
	// set before first use, and are called from many goroutines.
	Revoked func(serial string) bool
	Now     func() time.Time

	dir       string // that it was loaded from, and is renewed in; may be empty
	authority *x509.Certificate
	roots     *x509.CertPool
	own       atomic.Pointer[tls.Certificate] // with its Leaf
	saving    sync.Mutex                      // held while a renewed one is saved and shown
}

func (i *Identity) leaf() *x509.Certificate { return i.own.Load().Leaf }

func (i *Identity) now() time.Time { return clock(i.Now) }

func clock(now func() time.Time) time.Time {
	if now == nil {
		return time.Now()
	}
	return now()
}

// The files of a directory that Save writes. They suit other servers too:
// IdentityFile has both certificate and key.
const (
	AuthorityFile = "ca.crt"
	IdentityFile  = "identity.pem"
)

// assemble checks that the parts belong together.
func assemble(authority *x509.Certificate, own tls.Certificate) (*Identity, error) {
	leaf, err := x509.ParseCertificate(own.Certificate[0])
	if err != nil {
		return nil, err
	}
	own.Leaf = leaf
	p, err := claims(leaf)
	if err != nil {
		return nil, err
	}
	if err := leaf.CheckSignatureFrom(authority); err != nil {
		return nil, fmt.Errorf("the certificate of %v was not issued by the authority beside it: %w", p, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	i := &Identity{Peer: p, authority: authority, roots: roots}
	i.own.Store(&own)
	return i, nil
}

// Save writes the identity to a directory, which it makes if needed, so that
// Load finds the old one or the new one at every moment. The key is readable
// by the owner alone.
func (i *Identity) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := whole.Write(filepath.Join(dir, AuthorityFile), certificatePEM(i.authority.Raw), 0o600); err != nil {
		return err
	}
	return saveOwn(dir, i.own.Load())
}

// saveOwn writes certificate and key as one file, so that they always belong together.
func saveOwn(dir string, own *tls.Certificate) error {
	key, err := keyPEM(own.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(dir, IdentityFile), append(certificatePEM(own.Certificate[0]), key...), 0o600)
}

// Load reads an identity that Save wrote.
func Load(dir string) (*Identity, error) {
	i, err := load(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no identity: expected the files %s and %s, as they are issued for a node, client or admin: %w",
			dir, AuthorityFile, IdentityFile, err)
	} else if err != nil {
		return nil, fmt.Errorf("the identity in %s cannot be used: %w", dir, err)
	}
	return i, nil
}

func load(dir string) (*Identity, error) {
	authority, err := readCertificate(filepath.Join(dir, AuthorityFile))
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, IdentityFile)
	text, err := regular.ReadLinked(file, maxFile)
	if err != nil {
		return nil, err
	}
	own, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if _, ok := own.PrivateKey.(*ecdsa.PrivateKey); !ok {
		return nil, fmt.Errorf("%s: expected an ECDSA key, found %T", file, own.PrivateKey)
	}
	i, err := assemble(authority, own)
	if err != nil {
		return nil, err
	}
	i.dir = dir
	return i, nil
}
