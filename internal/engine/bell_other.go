//go:build !linux

package engine

import (
	"errors"
	"sync/atomic"
)

var (
	polledBells atomic.Int64
	mostPolled  = func() int64 { return 0 }
)

func newPolled() (bell, error) { return nil, errors.ErrUnsupported }
