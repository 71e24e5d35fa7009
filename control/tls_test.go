package control

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority makes a certificate authority, and one certificate of it for
// 127.0.0.1.
func authority(t *testing.T) (Files, *tls.Config) {
	t.Helper()
	caKey, caCert := certificate(t, &x509.Certificate{IsCA: true, KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true}, nil, nil)
	leafKey, leaf := certificate(t, &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, caCert, caKey)
	der, err := x509.MarshalECPrivateKey(leafKey)
	check(t, err)
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600))
		return path
	}
	files := Files{write("ca", "CERTIFICATE", caCert.Raw), write("cert", "CERTIFICATE", leaf.Raw), write("key", "EC PRIVATE KEY", der)}
	roots := x509.NewCertPool()
	roots.AddCert(caCert)
	return files, &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: leafKey}}}
}

// certificate makes one of t, signed by itself if there is no parent.
func certificate(t *testing.T, c, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	if parent == nil {
		parent, parentKey = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), parentKey)
	check(t, err)
	cert, err := x509.ParseCertificate(der)
	check(t, err)
	return key, cert
}

func TestTLS(t *testing.T) {
	t.Parallel()
	files, good := authority(t)
	_, strange := authority(t)
	s := start(t, Config{Name: "one", TLS: files})
	stranger := strange.Clone()
	stranger.RootCAs = good.RootCAs // trusts the member, but is not trusted
	for _, tt := range []struct {
		name string
		tls  *tls.Config
		ok   bool
	}{
		{"of the cluster", good, true},
		{"without TLS", nil, false},
		{"without a certificate", &tls.Config{RootCAs: good.RootCAs}, false},
		{"of another cluster", stranger, false},
		{"which does not trust the member", strange, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := must[Control](t)(Dial([]string{s.Endpoint()}, tt.tls, Options{}))
			defer c.Close()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if tt.ok {
				ctx = within(t)
			}
			if _, err := c.View(ctx); (err == nil) != tt.ok {
				t.Errorf("a client got %v", err)
			}
		})
	}
	inside := s.Control()
	defer inside.Close()
	join(t, inside, "a")
}
