//go:build !amd64 && !arm64

package worker

import (
	"fmt"
	"runtime"
)

func catchCrashes() error {
	return fmt.Errorf("packages run on amd64 and arm64, and this is %s", runtime.GOARCH)
}
