package identity

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"time"
)

// Renewer has a request signed by the cluster's authority, at the other end of a
// connection that shows the identity's present certificate; see Authority.Renew.
type Renewer func(ctx context.Context, csr []byte) (der []byte, err error)

// life is how long a certificate is valid after it was issued.
func life(c *x509.Certificate) time.Duration { return c.NotAfter.Sub(c.NotBefore) - early }

// RenewAt is when the certificate should be renewed: at two thirds of its life.
func (i *Identity) RenewAt() time.Time {
	leaf := i.leaf()
	return leaf.NotAfter.Add(-life(leaf) / 3)
}

// Request makes a new key, and a request to certify it.
func (i *Identity) Request() (csr []byte, key *ecdsa.PrivateKey, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, err
	}
	csr, err = x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	return csr, key, err
}

// Renew certifies the key of a request for the owner of a certificate, who must have
// just proved to hold its key, by a TLS handshake: with the same role, name, hosts
// and Serial, whatever the request says. valid is 0 for as long a life as before; no
// certificate outlives the authority.
func (a *Authority) Renew(csr []byte, present *x509.Certificate, valid time.Duration) (der []byte, err error) {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	p, err := issued{a.Cluster, roots, a.now(), a.Revoked}.verify(present)
	if err != nil {
		return nil, fmt.Errorf("not renewed: %w", err)
	}
	key, err := requested(csr)
	if err != nil {
		return nil, fmt.Errorf("not renewed: the request of %v: %w", p, err)
	}
	if valid <= 0 {
		valid = life(present)
	}
	template, err := p.certificate(lineOf(present), a.now(), valid)
	if err != nil {
		return nil, err
	}
	template.DNSNames, template.IPAddresses = present.DNSNames, present.IPAddresses
	if template.NotAfter.After(a.cert.NotAfter) {
		template.NotAfter = a.cert.NotAfter
	}
	return x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
}

// maxRequest is more bytes than any request has.
const maxRequest = 4 << 10

// requested is the key of a request, whose owner has signed it.
func requested(csr []byte) (*ecdsa.PublicKey, error) {
	if len(csr) > maxRequest {
		return nil, fmt.Errorf("expected at most %d bytes, found %d", maxRequest, len(csr))
	}
	r, err := x509.ParseCertificateRequest(csr)
	if err != nil {
		return nil, err
	}
	key, ok := r.PublicKey.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("expected a key of the curve P-256, found %v", r.PublicKeyAlgorithm)
	}
	return key, r.CheckSignature()
}

// Adopt takes a renewed certificate with the key of its request: it is saved where
// the identity was loaded from, and new connections show it.
func (i *Identity) Adopt(der []byte, key *ecdsa.PrivateKey) error {
	next, err := assemble(i.authority, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})
	if err != nil {
		return fmt.Errorf("the renewed certificate cannot be used: %w", err)
	}
	own := next.own.Load()
	switch {
	case next.Peer != i.Peer:
		return fmt.Errorf("the renewed certificate is that of %v, expected one of %v", next.Peer, i.Peer)
	case !key.PublicKey.Equal(own.Leaf.PublicKey):
		return errors.New("the renewed certificate is of another key than the one of the request")
	}
	if err := i.lasts(own.Leaf); err != nil {
		return err
	}
	i.saving.Lock()
	defer i.saving.Unlock()
	if i.dir != "" {
		if err := saveOwn(i.dir, own); err != nil {
			return fmt.Errorf("the renewed certificate cannot be saved: %w", err)
		}
	}
	i.own.Store(own)
	return nil
}

// lasts refuses a renewed certificate that is of less use than the present one: where the
// authority's clock is wrong, it may be one that nobody takes yet, or any more.
func (i *Identity) lasts(next *x509.Certificate) error {
	now, present := i.now(), i.leaf()
	if now.Before(next.NotBefore) || now.After(next.NotAfter) || next.NotAfter.Before(present.NotAfter) {
		return fmt.Errorf("the renewed certificate is valid from %s to %s, expected one that is valid now, %s, and at least until %s as the present one: compare the clocks of this machine and of the authority's",
			next.NotBefore.Format(time.RFC3339), next.NotAfter.Format(time.RFC3339), now.Format(time.RFC3339), present.NotAfter.Format(time.RFC3339))
	}
	return nil
}

// Reload takes the certificate that lies where the identity was loaded from, if it is
// another one than is shown: an operator, or another process, has put it there.
func (i *Identity) Reload() (changed bool, err error) {
	i.saving.Lock()
	defer i.saving.Unlock()
	if i.dir == "" {
		return false, nil
	}
	next, err := Load(i.dir)
	switch {
	case err != nil:
		return false, err
	case next.Peer != i.Peer || !bytes.Equal(next.authority.Raw, i.authority.Raw):
		return false, fmt.Errorf("%s now holds the certificate of %v, and that of %v is in use: a process keeps its name; start it again to give it another one", i.dir, next.Peer, i.Peer)
	case bytes.Equal(next.own.Load().Certificate[0], i.own.Load().Certificate[0]):
		return false, nil
	}
	i.own.Store(next.own.Load())
	return true, nil
}

// Renew replaces the certificate by a new one, once.
func (i *Identity) Renew(ctx context.Context, renew Renewer) error {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	csr, key, err := i.Request()
	if err != nil {
		return err
	}
	der, err := renew(ctx, csr)
	if err != nil {
		return err
	}
	return i.Adopt(der, key)
}

// Times of Keep.
const (
	// renewTime bounds one attempt.
	renewTime = 30 * time.Second
	// firstPause doubles with each failure, up to a fiftieth of the certificate's
	// life and lookAgain.
	firstPause = time.Second
	// lookAgain is how often a file that someone put in place is looked for, and
	// how late a clock that was set is noticed, at most.
	lookAgain = time.Hour
)

// Keep renews a certificate whenever two thirds of its life are over, until ctx ends,
// and takes those that are put in its place on disk. Failures are logged and tried
// again after growing pauses, also when it has expired: then someone must issue
// another one. renew may be nil where nobody renews: then it only reloads.
func Keep(ctx context.Context, i *Identity, renew Renewer, log *slog.Logger) {
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(i.pause(failures)):
		}
		if changed, err := i.Reload(); err != nil {
			log.Warn("the certificate on disk is not taken", "why", err)
		} else if changed {
			log.Info("took the certificate that was put in place", "serial", i.Serial(), "until", i.Until())
		}
		if !i.Due() {
			failures = 0
		} else if err := i.due(ctx, renew); err == nil {
			log.Info("renewed the certificate", "serial", i.Serial(), "until", i.Until())
			failures = 0
		} else if ctx.Err() == nil {
			failures++
			log.Warn("the certificate was not renewed", "until", i.Until(), "attempts", failures, "why", err)
		}
	}
}

// Due reports whether the certificate is to be renewed, by the identity's clock.
func (i *Identity) Due() bool { return !i.now().Before(i.RenewAt()) }

// due renews a certificate that must be.
func (i *Identity) due(ctx context.Context, renew Renewer) error {
	if err := i.Current(); err != nil {
		return err // nobody would take it as a proof
	}
	if renew == nil {
		return errors.New("nobody here renews certificates: issue a new one, and put it in the place of the old one (" + i.reissue() + ")")
	}
	return i.Renew(ctx, renew)
}

// pause is how long Keep waits, with a random part so that not all nodes of a
// cluster, whose certificates are of the same minute, come at once.
func (i *Identity) pause(failures int) time.Duration {
	most := max(firstPause, min(lookAgain, life(i.leaf())/50))
	wait := min(most, i.RenewAt().Sub(i.now()))
	if failures > 0 {
		wait = min(most, firstPause<<min(failures-1, 20))
	}
	wait = max(wait, firstPause)
	return wait + mathrand.N(wait/8)
}
