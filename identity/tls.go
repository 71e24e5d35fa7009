package identity

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Why a peer is refused. The errors that wrap these say what was expected and
// what was found.
var (
	ErrNoCertificate = errors.New("no certificate")
	ErrExpired       = errors.New("expired certificate")
	ErrOtherCluster  = errors.New("certificate of another cluster")
	ErrRole          = errors.New("wrong role")
	ErrName          = errors.New("wrong name")
)

// Server is how a node accepts connections: from peers of its own cluster
// with one of these roles.
func (i *Identity) Server(accept ...Role) *tls.Config {
	c := i.config(accept, "")
	// VerifyConnection asks for a certificate in clearer words.
	c.ClientAuth = tls.RequestClientCert
	c.SessionTicketsDisabled = true
	return c
}

// Client is how to connect to a node of the own cluster, which must have this
// name, unless it is empty.
func (i *Identity) Client(name string) *tls.Config {
	c := i.config([]Role{Node}, name)
	// The peer's host name says nothing; VerifyConnection checks who it is.
	c.InsecureSkipVerify = true
	return c
}

func (i *Identity) config(accept []Role, name string) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{i.own},
		VerifyConnection: func(s tls.ConnectionState) error {
			_, err := i.Verify(s, accept, name)
			return err
		},
	}
}

// Verify says who the other side of a connection is, or why it is not one of
// this cluster with one of these roles, and with that name unless it is empty.
func (i *Identity) Verify(s tls.ConnectionState, accept []Role, name string) (Peer, error) {
	if len(s.PeerCertificates) == 0 {
		return Peer{}, fmt.Errorf("%w: expected one of cluster %s", ErrNoCertificate, i.Cluster)
	}
	leaf := s.PeerCertificates[0]
	p, err := claims(leaf)
	if err != nil {
		return Peer{}, err
	}
	if p.Cluster != i.Cluster {
		return Peer{}, fmt.Errorf("%w: expected cluster %s, found %v", ErrOtherCluster, i.Cluster, p)
	}
	_, err = leaf.Verify(x509.VerifyOptions{Roots: i.roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return Peer{}, i.explain(err, leaf, p)
	}
	if !slices.Contains(accept, p.Role) {
		return Peer{}, fmt.Errorf("%w: expected %v, found %v", ErrRole, accept, p)
	}
	if name != "" && name != p.Name {
		return Peer{}, fmt.Errorf("%w: expected %q, found %v", ErrName, name, p)
	}
	return p, nil
}

func (i *Identity) explain(err error, leaf *x509.Certificate, p Peer) error {
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return outdated(leaf, p)
	case errors.As(err, &unknown):
		return fmt.Errorf("%w: the certificate claims to be of %v, but the authority of that cluster did not issue it", ErrOtherCluster, p)
	}
	return fmt.Errorf("the certificate of %v does not hold: %w", p, err)
}

func outdated(leaf *x509.Certificate, p Peer) error {
	return fmt.Errorf("%w: that of %v is valid from %s to %s, and now is %s; issue a new one, or set the clock right", ErrExpired, p,
		leaf.NotBefore.UTC().Format(time.RFC3339), leaf.NotAfter.UTC().Format(time.RFC3339), time.Now().UTC().Format(time.RFC3339))
}

// Current is nil while the identity's own certificate is valid. Peers that
// refuse an expired one cannot say why, so it is worth asking before.
func (i *Identity) Current() error {
	if now := time.Now(); now.Before(i.own.Leaf.NotBefore) || now.After(i.own.Leaf.NotAfter) {
		return outdated(i.own.Leaf, i.Peer)
	}
	return nil
}
