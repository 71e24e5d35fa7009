package trust

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// maxFile is more than any file of a key has.
const maxFile = 4 << 10

// Generate makes a key pair: path.key, the private key (PKCS #8 in PEM, readable by
// its owner alone), and path.pub, the public key's text on one line. Files that are
// there are not replaced.
func Generate(path string) (ed25519.PublicKey, error) {
	for _, name := range []string{path + ".key", path + ".pub"} {
		if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s exists already: choose another name, or move it away", name)
		}
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	if err := create(path+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return nil, err
	}
	return public, create(path+".pub", []byte(Text(public)+"\n"), 0o644)
}

// create writes a file that is not there yet. What it could not finish it removes.
func create(name string, b []byte, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// ReadPrivate reads a private key that Generate made. Others than its owner must
// not be able to read the file.
func ReadPrivate(path string) (ed25519.PrivateKey, error) {
	b, mode, err := read(path)
	if err != nil {
		return nil, err
	}
	if mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the private key %s has the mode %04o, so others than its owner can use it: chmod 600 %s", path, mode.Perm(), path)
	}
	block, rest := pem.Decode(b)
	if block == nil || block.Type != "PRIVATE KEY" || strings.TrimSpace(string(rest)) != "" {
		return nil, fmt.Errorf("%s is not a private key: expected one block of PEM, PRIVATE KEY; make a key with godwit keygen", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s is not a private key: %w; make a key with godwit keygen", path, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s holds a key of the kind %T, expected ed25519; make a key with godwit keygen", path, parsed)
	}
	return key, nil
}

// ReadPublic reads a public key that Generate made.
func ReadPublic(path string) (ed25519.PublicKey, error) {
	b, _, err := read(path)
	if err != nil {
		return nil, err
	}
	key, err := Parse(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func read(path string) (b []byte, mode os.FileMode, err error) {
	return regular.ReadGiven(path, maxFile)
}
