package identity

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/godwit-run/godwit/internal/pattern"
)

// lineBytes is the length of each half of a serial number, in bytes.
const lineBytes = 8

// newLine draws the first half of a serial number: 62 random bits. The bits above
// them make all serial numbers positive and equally long.
func newLine() []byte {
	line := make([]byte, lineBytes)
	_, _ = rand.Read(line) // never fails
	line[0] = line[0]&0x3f | 0x40
	return line
}

func lineOf(c *x509.Certificate) []byte {
	return new(big.Int).Rsh(c.SerialNumber, 8*lineBytes).FillBytes(make([]byte, lineBytes))
}

// Serial is what revoking a certificate names: the first half of its serial number,
// 16 hexadecimal digits, which renewed certificates keep.
func Serial(c *x509.Certificate) string {
	if c.SerialNumber.Sign() < 0 || c.SerialNumber.BitLen() > 16*lineBytes {
		return strings.Repeat("0", 2*lineBytes) // not of an authority of this package
	}
	return hex.EncodeToString(lineOf(c))
}

// Serial is that of the identity's own certificate.
func (i *Identity) Serial() string { return Serial(i.leaf()) }

var serialNumbers = pattern.Of(`^[0-9a-f]{16}([0-9a-f]{16})?$`)

// ReadSerial gives the Serial of a certificate: of a file that holds it in PEM form, or
// of its serial number in hexadecimal digits, of which the first half is enough.
func ReadSerial(text string) (string, error) {
	digits := strings.ToLower(strings.ReplaceAll(text, ":", ""))
	if serialNumbers().MatchString(digits) {
		return digits[:2*lineBytes], nil
	}
	c, err := readCertificate(text)
	if err != nil {
		return "", fmt.Errorf("%.100q is neither a serial number (16 or 32 hexadecimal digits) nor a file of a certificate: %w", text, err)
	}
	if _, err := claims(c); err != nil {
		return "", fmt.Errorf("%s: %w", text, err)
	}
	return Serial(c), nil
}
