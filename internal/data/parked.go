package data

import (
	"errors"
	"os"
)

// Parked is a source whose file can be closed while nobody reads from it. What is known of the
// file stays, and so do the blocks that were compared, for as long as the file is not changed:
// see Checked.
type Parked interface {
	Source
	// Park closes the file. Nobody may read until Unpark.
	Park() error
	// Unpark goes on with a descriptor of the same file, or of one that must have the same bytes.
	Unpark(*os.File)
}

func (in *input) Park() error { return in.file.Close() }

func (in *input) Unpark(f *os.File) { in.file, in.check.file = f, f }

// Close closes the file, which may be parked.
func (in *input) Close() error {
	if err := in.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
