// Package identity is who is who in a cluster: each cluster has a certificate
// authority of its own, which issues a certificate to every node and client.
// Peers talk over TLS 1.3 and show each other these certificates; host names
// and public authorities play no part.
//
// A certificate says in its URI who its owner is: godwit://CLUSTER/node/NAME
// or godwit://CLUSTER/client/NAME.
package identity

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Role is what a peer may do.
type Role uint8

const (
	Node   Role = iota + 1 // holds data and runs parcels
	Client                 // sends requests
)

func (r Role) String() string {
	switch r {
	case Node:
		return "node"
	case Client:
		return "client"
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

func (p Peer) uri() *url.URL {
	return &url.URL{Scheme: scheme, Host: p.Cluster, Path: "/" + p.Role.String() + "/" + p.Name}
}

var (
	names    = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	clusters = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// claims reads who a certificate says it belongs to. That is true only once
// the certificate was verified.
func claims(c *x509.Certificate) (Peer, error) {
	if len(c.URIs) != 1 || c.URIs[0].Scheme != scheme {
		return Peer{}, fmt.Errorf("%w: the certificate of %q has no name of a godwit node or client", ErrOtherCluster, c.Subject)
	}
	u := c.URIs[0]
	role, name, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	p := Peer{Cluster: u.Host, Name: name}
	switch role {
	case Node.String():
		p.Role = Node
	case Client.String():
		p.Role = Client
	}
	if p.Role == 0 || !names.MatchString(name) || !clusters.MatchString(p.Cluster) {
		return Peer{}, fmt.Errorf("%w: the name %q in the certificate is not godwit://CLUSTER/node/NAME or …/client/NAME", ErrRole, u)
	}
	return p, nil
}

// Identity is a certificate with its key and the authority that its owner
// trusts.
type Identity struct {
	Peer
	authority *x509.Certificate
	roots     *x509.CertPool
	own       tls.Certificate
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
	return &Identity{Peer: p, authority: authority, roots: roots, own: own}, nil
}

// Save writes the identity to a directory, which it makes if needed, so that
// Load finds the old one or the new one at every moment. The key is readable
// by the owner alone.
func (i *Identity) Save(dir string) error {
	key, err := keyPEM(i.own.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := replace(filepath.Join(dir, AuthorityFile), certificatePEM(i.authority.Raw)); err != nil {
		return err
	}
	return replace(filepath.Join(dir, IdentityFile), append(certificatePEM(i.own.Certificate[0]), key...))
}

// Load reads an identity that Save wrote.
func Load(dir string) (*Identity, error) {
	i, err := load(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no identity: expected the files %s and %s, as they are issued for a node or client: %w",
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
	text, err := os.ReadFile(file)
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
	return assemble(authority, own)
}

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

func readCertificate(file string) (*x509.Certificate, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, fmt.Errorf("%s: expected a certificate in PEM form, found none", file)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// replace writes a file so that it is there whole or not at all, even after
// a power cut.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
