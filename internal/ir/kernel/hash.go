package kernel

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/godwit-run/godwit/internal/data/digest"
)

// ID is the identity of a kernel everywhere: the SHA-256 of its canonical
// bytes.
type ID [sha256.Size]byte

// Hash gives the identity of the kernel with these bytes.
func Hash(b []byte) ID { return sha256.Sum256(b) }

// String is the whole identity in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Short is enough of the identity for people to tell kernels apart.
func (id ID) Short() string { return digest.Short(id) }
