package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// prefix begins a public key in text form and says its kind.
const prefix = "gwk1"

// Text is a public key as text: gwk1 and its 32 bytes in base64 for URLs.
func Text(key ed25519.PublicKey) string {
	return prefix + base64.RawURLEncoding.EncodeToString(key)
}

// Parse reads what Text gives.
func Parse(text string) (ed25519.PublicKey, error) {
	digits, ok := strings.CutPrefix(text, prefix)
	key, err := base64.RawURLEncoding.Strict().DecodeString(digits)
	if !ok || err != nil || len(key) != ed25519.PublicKeySize || Text(key) != text {
		return nil, fmt.Errorf("expected a public key, %s and 43 letters, digits, - and _, found %.100q", prefix, text)
	}
	return key, nil
}

// Fingerprint is the first 16 bytes of the SHA-256 of a public key in hexadecimal
// digits, in groups of four, for people to compare.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	digits := hex.EncodeToString(sum[:16])
	var groups []string
	for i := 0; i < len(digits); i += 4 {
		groups = append(groups, digits[i:i+4])
	}
	return strings.Join(groups, ":")
}
