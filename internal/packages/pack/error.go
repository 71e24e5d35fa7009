package pack

import (
	"errors"
	"fmt"
)

// ErrUnsigned is wrapped by Check for a package without a signature.
var ErrUnsigned = errors.New("the package is not signed")

// ErrSignature is wrapped by Check for a package that was changed after it was
// signed, or signed with another key than the one it names.
var ErrSignature = errors.New("the signature does not fit the package")

// ErrNoSection is wrapped by Choose where no section fits.
var ErrNoSection = errors.New("no section fits")

// A FormatError says why bytes are not a package, or why a package cannot be
// written.
type FormatError struct {
	Offset   int // of the field, in bytes from the start of the package
	Field    string
	Expected string
	Found    string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("package, byte %d: %s: expected %s, found %s", e.Offset, e.Field, e.Expected, e.Found)
}
