//go:build !amd64 && !static

package worker

const (
	trapEnds     = "trap instruction"
	divisionEnds = "" // a division by zero gives 0
	onX32        = ""
)
