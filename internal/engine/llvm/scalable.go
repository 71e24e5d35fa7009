package llvm

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// ScalableBytes is the width of this processor's scalable vectors (SVE) in bytes, 0
// without. The operator of a machine may set it between starts of a process.
func ScalableBytes() int {
	if runtime.GOARCH != "arm64" {
		return 0
	}
	n, err := unix.PrctlRetInt(unix.PR_SVE_GET_VL, 0, 0, 0, 0)
	if err != nil {
		return 0
	}
	return n & unix.PR_SVE_VL_LEN_MASK
}
