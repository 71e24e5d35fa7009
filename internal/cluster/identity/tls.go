package identity

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Why a peer is refused. The errors that wrap these say what was expected and
// what was found.
var (
	ErrNoCertificate = errors.New("no certificate")
	ErrExpired       = errors.New("expired certificate")
	ErrRevoked       = errors.New("revoked certificate")
	ErrRefused       = errors.New("the other side does not take the certificate")
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
		MinVersion: tls.VersionTLS13,
		Time:       i.now,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return i.own.Load(), nil
		},
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return i.own.Load(), nil
		},
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
	p, err := issued{i.Cluster, i.roots, i.now(), i.Revoked}.verify(s.PeerCertificates[0])
	switch {
	case err != nil:
		return Peer{}, err
	case !slices.Contains(accept, p.Role):
		return Peer{}, fmt.Errorf("%w: expected %v, found %v", ErrRole, accept, p)
	case name != "" && name != p.Name:
		return Peer{}, fmt.Errorf("%w: expected %q, found %v", ErrName, name, p)
	}
	return p, nil
}

// Ended says why a connection that began with this certificate must end now: it was
// revoked meanwhile, or expired longer ago than clocks may differ.
func (i *Identity) Ended(leaf *x509.Certificate) error {
	p, err := claims(leaf)
	if err != nil {
		return err
	}
	if err := revokedOf(i.Revoked, leaf, p); err != nil {
		return err
	}
	if now := i.now(); now.After(leaf.NotAfter.Add(early)) {
		return outdated(leaf, p, now)
	}
	return nil
}

// Current is nil while the identity's own certificate is valid and not known to be
// revoked. Peers that refuse it cannot say why, so it is worth asking before.
func (i *Identity) Current() error {
	leaf := i.leaf()
	if now := i.now(); now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
		return outdated(leaf, i.Peer, now)
	}
	return revokedOf(i.Revoked, leaf, i.Peer)
}

// Refused adds to the error of a connection what TLS has no words for: that the other
// side does not take the identity's certificate. Other errors it gives back as they are.
func (i *Identity) Refused(err error) error {
	if err == nil || errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "remote error: tls: bad certificate") {
		return err
	}
	return fmt.Errorf("%w of %s, serial %s: it was revoked, or the other side's clock says that it is not valid, or it is of another cluster; the log there says which (%w)",
		ErrRefused, i.Owner(), i.Serial(), err)
}

// Until is when the identity's own certificate ends.
func (i *Identity) Until() time.Time { return i.leaf().NotAfter }

// issued is what holds of a certificate that its cluster's authority issued.
type issued struct {
	cluster string
	roots   *x509.CertPool
	now     time.Time
	revoked func(serial string) bool // may be nil
}

func (a issued) verify(leaf *x509.Certificate) (Peer, error) {
	p, err := claims(leaf)
	if err != nil {
		return Peer{}, err
	}
	if p.Cluster != a.cluster {
		return Peer{}, fmt.Errorf("%w: expected cluster %s, found %v", ErrOtherCluster, a.cluster, p)
	}
	_, err = leaf.Verify(x509.VerifyOptions{Roots: a.roots, CurrentTime: a.now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return Peer{}, explain(err, leaf, p, a.now)
	}
	return p, revokedOf(a.revoked, leaf, p)
}

func explain(err error, leaf *x509.Certificate, p Peer, now time.Time) error {
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return outdated(leaf, p, now)
	case errors.As(err, &unknown):
		return fmt.Errorf("%w: the certificate claims to be of %v, but the authority of that cluster did not issue it", ErrOtherCluster, p)
	}
	return fmt.Errorf("the certificate of %v does not hold: %w", p, err)
}

func outdated(leaf *x509.Certificate, p Peer, now time.Time) error {
	return fmt.Errorf("%w: that of %v is valid from %s to %s, and now is %s; issue a new one (%s), or set the clock right", ErrExpired, p,
		leaf.NotBefore.UTC().Format(time.RFC3339), leaf.NotAfter.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339), p.reissue())
}

func revokedOf(revoked func(string) bool, leaf *x509.Certificate, p Peer) error {
	if serial := Serial(leaf); revoked != nil && revoked(serial) {
		return fmt.Errorf("%w: that of %v, serial %s, was revoked, which is for ever; the operator can issue another one (%s)", ErrRevoked, p, serial, p.reissue())
	}
	return nil
}

// reissue is what the operator does who wants to let the peer in again.
func (p Peer) reissue() string {
	return fmt.Sprintf("godwit cluster --%v %s, where the cluster's authority is kept; godwit up issues those of its machine at every start", p.Role, p.Name)
}
