//go:build !linux

package engine

import "errors"

func newPolled() (bell, error) { return nil, errors.ErrUnsupported }
