package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// outlet is standard output. It keeps the first error, so that no command ends well of which
// something was not printed, whoever printed it.
type outlet struct {
	io.Writer
	err error
}

func (o *outlet) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// File implements view.Filed.
func (o *outlet) File() *os.File {
	f, _ := o.Writer.(*os.File)
	return f
}

// cause is what the system says, without the file's name.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
