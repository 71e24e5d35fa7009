package pack

import (
	"crypto/ed25519"
	"fmt"
)

// domain begins what is signed, so that a signature of a package is none of
// anything else that the key may sign.
const domain = "godwit package 1\x00"

// signed is the message that the signature covers.
func signed(id ID) []byte { return append([]byte(domain), id[:]...) }

// Sign signs the package. It replaces an older signature.
func (p *Package) Sign(key ed25519.PrivateKey) error {
	if len(key) != ed25519.PrivateKeySize {
		return fmt.Errorf("expected a private ed25519 key of %d bytes, found %d bytes", ed25519.PrivateKeySize, len(key))
	}
	id, err := p.ID()
	if err != nil {
		return err
	}
	p.Signer = key.Public().(ed25519.PublicKey)
	p.Signature = ed25519.Sign(key, signed(id))
	return nil
}

// Check verifies the signature; the error wraps ErrUnsigned or ErrSignature. That
// the signer may be trusted is for package trust to say.
func (p *Package) Check() error {
	id, err := p.ID()
	if err != nil {
		return err
	}
	switch {
	case len(p.Signer) == 0 && len(p.Signature) == 0:
		return fmt.Errorf("package %s (%s): %w; sign it with godwit cc --key FILE", p.Name, id.Short(), ErrUnsigned)
	case len(p.Signer) != ed25519.PublicKeySize || !ed25519.Verify(p.Signer, signed(id), p.Signature):
		return fmt.Errorf("package %s (%s): %w: it was changed after it was signed; get it anew from who made it", p.Name, id.Short(), ErrSignature)
	}
	return nil
}
