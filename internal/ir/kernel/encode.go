package kernel

import "fmt"

// magic begins every kernel; its last byte is the version of the format.
const magic = "GWK\x01"

// A FormatError says why bytes are not a kernel, or a kernel has no bytes.
type FormatError struct {
	Offset int // in the bytes, read or written so far
	Reason string
	Limit  bool // there is more of something than a kernel may have
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("kernel: byte %d: %s", e.Offset, e.Reason)
}

// Encode gives the canonical bytes of k. It fails with a *FormatError when k
// is outside the limits, its values are not numbered canonically (see
// Renumber), or a field is set that its instruction does not have: such a
// kernel would not come back the same.
func Encode(k *Kernel) ([]byte, error) {
	f := &format{k: k}
	f.kernel()
	if f.err == nil && len(f.buf) > MaxBytes {
		f.within(false, "a kernel has at most %d bytes", MaxBytes)
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.buf, nil
}

// Decode reads what Encode wrote, and nothing else: for all bytes it accepts,
// Encode gives the same bytes again. The kernel is well formed but not yet
// known to be typed or safe; that is for verify to find out. Errors are
// *FormatError.
func Decode(b []byte) (*Kernel, error) {
	f := &format{k: new(Kernel), buf: b, reading: true}
	if len(b) > MaxBytes {
		f.failf("a kernel has at most %d bytes, this has %d", MaxBytes, len(b))
		return nil, f.err
	}
	f.kernel()
	if f.err == nil && f.at != len(b) {
		f.failf("%d bytes after the end of the kernel", len(b)-f.at)
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.k, nil
}
