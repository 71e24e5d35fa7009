//go:build !arm64

package object

// flush does nothing: x86 keeps instruction fetches coherent with stores.
func flush([]byte) {}
