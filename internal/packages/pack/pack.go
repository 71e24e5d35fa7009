// Package pack is the file format of packages: functions written in C (or any
// language with an LLVM front end), one section for each kind of processor,
// signed. docs/packages.md documents the bytes; the tests hold the two together.
//
// A package named X defines
//
//	void   X_main(void *payload, size_t size, void *target_args)
//
// which runs where the package is sent, and may define
//
//	size_t X_payload_bound(const void *args, size_t size)
//	int    X_payload_init(void *payload, size_t *payload_size, const void *args, size_t size)
//
// which run at the sender and make the payload of what the user gave.
package pack

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/godwit-run/godwit/internal/data/digest"
)

// Version is the version of the format.
const Version = 1

// Magic begins a package.
const Magic = "godwitP\x01"

// Limits of a package: what a reader accepts before it allocates anything.
const (
	MaxBytes    = 16 << 20
	MaxSections = 16
	MaxDeps     = 16
	MaxName     = 64 // letters, digits and _, a C identifier
	MaxFeatures = 64 // of one section
)

// MaxGrants is how many regions one call may be granted: Linux passes at most 253
// descriptors in a message.
const MaxGrants = 64

// ID is the content hash of a package: SHA-256 of its bytes without the signature.
type ID [sha256.Size]byte

// String is the ID in hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Short is enough of it for people.
func (id ID) Short() string { return digest.Short(id) }

// ParseID reads what String gives.
func ParseID(text string) (ID, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(ID{}) {
		return ID{}, fmt.Errorf("expected the hash of a package, %d hexadecimal digits, found %.100q", 2*len(ID{}), text)
	}
	return ID(b), nil
}

// Form is what a section holds.
type Form uint8

const (
	BadForm   Form = iota
	Source         // C text; the target needs clang
	Bitcode        // LLVM bitcode as the front end makes it; optimised at the target
	Optimised      // LLVM bitcode after the optimiser; the target only selects instructions
	Object         // a relocatable object for exactly this target
	forms
)

var formNames = [forms]string{Source: "source", Bitcode: "bitcode", Optimised: "optimised", Object: "object"}

func (f Form) String() string {
	if f > BadForm && f < forms {
		return formNames[f]
	}
	return fmt.Sprintf("form(%d)", uint8(f))
}

// ParseForm reads what String gives.
func ParseForm(text string) (Form, error) {
	for f := BadForm + 1; f < forms; f++ {
		if formNames[f] == text {
			return f, nil
		}
	}
	return BadForm, fmt.Errorf("expected a form (source, bitcode, optimised or object), found %q", text)
}

// Section is the package for one kind of processor.
type Section struct {
	Arch string // as GOARCH: "amd64", "arm64", "riscv64"
	// Features are those that the processor must have beyond its architecture's
	// baseline, in LLVM's names ("avx2", "sve"), ascending.
	Features []string
	Form     Form
	Bytes    []byte
}

// Package is a decoded package.
type Package struct {
	Name     string    // X
	Deps     []string  // shared libraries to load at the target: "libm.so.6"
	Sections []Section // at least one, in the order of Compare, none twice
	// Signer and Signature are empty in a package that is not signed. The
	// signature covers the ID.
	Signer    ed25519.PublicKey
	Signature []byte
}
