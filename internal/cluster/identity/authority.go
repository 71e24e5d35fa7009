package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

const (
	// authorityKeyFile stands beside AuthorityFile in the directory of Create.
	authorityKeyFile = "ca.key"
	// authorityValid is how long an authority lasts.
	authorityValid = 20 * 365 * 24 * time.Hour
	// early is how long before its issue a certificate is valid, so that slow clocks accept it.
	early = 24 * time.Hour
)

// NodeCN is the common name of every node's certificate, and of no other: servers
// that know nothing of godwit's names, such as etcd, let members in by it. Who it
// is stands in the URI.
const NodeCN = "godwit-node"

// commonName says what the owner is, never its name, which could be chosen to be
// that of another role.
func commonName(r Role) string { return scheme + "-" + r.String() }

// Authority issues the certificates of one cluster.
type Authority struct {
	Cluster string // id: 32 random hexadecimal digits
	// Revoked and Now are as in Identity. They are set before first use.
	Revoked func(serial string) bool
	Now     func() time.Time
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
}

// Create makes the authority of a new cluster in a directory that has none
// yet. Who can read that directory can add nodes to the cluster.
func Create(dir string) (*Authority, error) {
	for _, name := range []string{AuthorityFile, authorityKeyFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s holds an authority already (%s): open it, or choose another directory", dir, name)
		}
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return nil, err
	}
	cluster := hex.EncodeToString(id)
	template, err := certificate("godwit cluster "+cluster, newLine(), time.Now(), authorityValid)
	if err != nil {
		return nil, err
	}
	template.URIs = []*url.URL{{Scheme: scheme, Host: cluster}}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.MaxPathLenZero = true // it issues no further authorities
	template.KeyUsage = x509.KeyUsageCertSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a := &Authority{Cluster: cluster, cert: cert, key: key}
	return a, a.save(dir)
}

func (a *Authority) save(dir string) error {
	key, err := keyPEM(a.key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := whole.Write(filepath.Join(dir, authorityKeyFile), key, 0o600); err != nil {
		return err
	}
	return whole.Write(filepath.Join(dir, AuthorityFile), certificatePEM(a.cert.Raw), 0o600)
}

// Open reads an authority that Create made.
func Open(dir string) (*Authority, error) {
	a, err := open(dir)
	if err != nil {
		return nil, fmt.Errorf("%s holds no authority that can be used: %w", dir, err)
	}
	return a, nil
}

func open(dir string) (*Authority, error) {
	cert, err := readCertificate(filepath.Join(dir, AuthorityFile))
	if err != nil {
		return nil, err
	}
	if !cert.IsCA || len(cert.URIs) != 1 || !clusters().MatchString(cert.URIs[0].Host) {
		return nil, fmt.Errorf("%s: expected the authority of a cluster, found the certificate of %q", AuthorityFile, cert.Subject)
	}
	text, err := regular.ReadLinked(filepath.Join(dir, authorityKeyFile), maxFile)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s: expected a key in PEM form, found none", authorityKeyFile)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", authorityKeyFile, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, fmt.Errorf("%s is not the key of %s", authorityKeyFile, AuthorityFile)
	}
	return &Authority{Cluster: cert.URIs[0].Host, cert: cert, key: key}, nil
}

// Issue makes a new key and its certificate. The name has up to 63 letters,
// digits, dots, dashes and underscores. hosts, names or IP addresses, are for programs
// other than godwit that check them; godwit peers check the name.
func (a *Authority) Issue(role Role, name string, valid time.Duration, hosts ...string) (*Identity, error) {
	p := Peer{Cluster: a.Cluster, Role: role, Name: name}
	switch {
	case !slices.Contains(roles, role):
		return nil, fmt.Errorf("a certificate is for a node, a client or an admin, not for %v", role)
	case !names().MatchString(name):
		return nil, fmt.Errorf("%q cannot be the name of a %v: expected 1 to 63 letters, digits, '.', '-' or '_', the first and last a letter or digit", name, role)
	case valid <= 0:
		return nil, fmt.Errorf("a certificate cannot be valid for %v: expected a positive time", valid)
	}
	template, err := p.certificate(newLine(), a.now(), valid)
	if err != nil {
		return nil, err
	}
	if template.NotAfter.After(a.cert.NotAfter) {
		return nil, fmt.Errorf("a certificate cannot be valid for %v: the authority itself expires on %s", valid, a.cert.NotAfter.Format(time.DateOnly))
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else if h != "" {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	return assemble(a.cert, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})
}

func (a *Authority) now() time.Time { return clock(a.Now) }

// certificate is that of a node, client or admin.
func (p Peer) certificate(line []byte, now time.Time, valid time.Duration) (*x509.Certificate, error) {
	c, err := certificate(commonName(p.Role), line, now, valid)
	if err != nil {
		return nil, err
	}
	c.URIs = []*url.URL{p.uri()}
	c.KeyUsage = x509.KeyUsageDigitalSignature
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if p.Role == Node {
		c.ExtKeyUsage = append(c.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	return c, nil
}

// certificate has what all certificates here share.
func certificate(cn string, line []byte, now time.Time, valid time.Duration) (*x509.Certificate, error) {
	own := make([]byte, lineBytes)
	if _, err := rand.Read(own); err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(slices.Concat(line, own)),
		Subject:      pkix.Name{CommonName: cn},
		NotBefore:    now.Add(-early),
		NotAfter:     now.Add(valid),
	}, nil
}
