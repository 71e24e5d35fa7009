//go:build !linux

package data

import (
	"errors"
	"os"
)

func nameless(string) (*os.File, bool) { return nil, false }

func nameAs(*os.File, string) error { return errors.ErrUnsupported }
