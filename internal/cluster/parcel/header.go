package parcel

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// belongs has for each kind the flags that it may have.
var belongs = [kinds]Flags{Run: Carries | Builtin, Walk: Carries | Builtin, Fan: Carries | Builtin, Code: Carries, Result: Last, Fail: Last, Send: Carries}

// names has the kinds that are about a kernel or a package, whose Code is not 0.
var names = [kinds]bool{Run: true, Walk: true, Fan: true, NeedCode: true, Code: true, Send: true}

// maxCode is how many bytes of code a kind may carry: Code may bring either.
func maxCode(k Kind) int {
	if k == Send || k == Code {
		return pack.MaxBytes
	}
	return kernel.MaxBytes
}

// empty has the kinds without a payload.
var empty = [kinds]bool{NeedCode: true, Code: true, Cancel: true}

// Append adds the parcel's bytes to dst. It fails when no receiver would
// accept them.
func (p *Parcel) Append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(p.Header.Append(dst, p.Code), p.Payload...)
	if h, _, _, err := ReadHeader(dst[start:]); err != nil || h.Kind != p.Kind {
		return dst[:start], cmp.Or(err, fmt.Errorf("parcel: there is no %s", p.Kind))
	}
	if len(p.Code) > 0 && p.Flags&Carries == 0 {
		return dst[:start], fmt.Errorf("parcel: %d bytes of code, but the flag Carries is not set", len(p.Code))
	}
	return dst, nil
}

// Append adds the header to dst, and behind it the code's bytes if the header
// says Carries. The payload follows; nothing is checked.
func (h *Header) Append(dst, code []byte) []byte {
	var b [HeaderSize]byte
	h.put(b[:])
	dst = append(dst, b[:]...)
	if h.Flags&Carries != 0 {
		dst = appendBlob(dst, code)
	}
	return dst
}

// put writes the fixed header into b.
func (h *Header) put(b []byte) {
	b[0] = Version<<4 | byte(h.Kind&15)
	b[1] = byte(h.Flags)
	binary.LittleEndian.PutUint64(b[20:], uint64(h.Code))
	Readdress(b, h)
}

// Readdress rewrites who gets the answer, hops and time left in the bytes of
// a parcel that ReadHeader accepted; the rest stays. So a parcel is passed on
// without being encoded anew.
func Readdress(b []byte, h *Header) {
	_ = b[HeaderSize-1]
	binary.LittleEndian.PutUint16(b[2:], h.Hops)
	binary.LittleEndian.PutUint32(b[4:], h.Left)
	binary.LittleEndian.PutUint64(b[8:], h.Request)
	binary.LittleEndian.PutUint32(b[16:], uint32(h.Caller))
}

// Decode reads a parcel. Its code and payload alias b; the payload is not
// looked into.
func Decode(b []byte) (*Parcel, error) {
	p := new(Parcel)
	var err error
	p.Header, p.Code, p.Payload, err = ReadHeader(b)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ReadHeader is Decode without an allocation. That the code's hash begins with
// Header.Code is for Prefix.Identify to
// say.
func ReadHeader(b []byte) (h Header, code, payload []byte, err error) {
	r := reader{b: b, part: "header"}
	if len(b) > MaxBytes {
		r.fail(0, "length", atMost(MaxBytes)+" bytes", number(uint64(len(b))))
	}
	f := r.take(HeaderSize, "header")
	if r.err != nil {
		return h, nil, nil, r.err
	}
	h = fields(f)
	h.check(&r, f[0]>>4)
	if h.Flags&Carries != 0 {
		n := r.count(maxCode(h.Kind), 1, "bytes of code")
		if r.err == nil && n == 0 {
			r.fail(HeaderSize, "bytes of code", atLeast(1), "0")
		}
		code = r.take(n, "code")
	}
	if r.err == nil && empty[h.Kind] {
		r.end()
	}
	if r.err != nil {
		return Header{}, nil, nil, r.err
	}
	return h, code, b[r.at:], nil
}

// Fields are those of a parcel's header, of which nothing is checked but that it is there, in this version: for who knows what else the parcel has.
func Fields(b []byte) (h Header, ok bool) {
	if len(b) < HeaderSize || b[0]>>4 != Version {
		return h, false
	}
	return fields(b), true
}

func fields(b []byte) Header {
	_ = b[HeaderSize-1]
	return Header{
		Kind:    Kind(b[0] & 15),
		Flags:   Flags(b[1]),
		Hops:    binary.LittleEndian.Uint16(b[2:]),
		Left:    binary.LittleEndian.Uint32(b[4:]),
		Request: binary.LittleEndian.Uint64(b[8:]),
		Caller:  catalog.Peer(binary.LittleEndian.Uint32(b[16:])),
		Code:    Prefix(binary.LittleEndian.Uint64(b[20:])),
	}
}

// check tells what the fields allow each other.
func (h *Header) check(r *reader, version byte) {
	switch {
	case version != Version:
		r.fail(0, "version", number(Version), number(uint64(version)))
	case !h.Kind.Valid():
		r.fail(0, "kind", "a kind of parcel", number(uint64(h.Kind)))
	case h.Flags&^belongs[h.Kind] != 0:
		r.fail(1, "flags", fmt.Sprintf("only those of %#x, which a %s may have", byte(belongs[h.Kind]), h.Kind), fmt.Sprintf("%#x", byte(h.Flags)))
	case h.Flags&Carries != 0 && h.Flags&Builtin != 0:
		r.fail(1, "flags", "either a kernel or a preinstalled function", "both")
	case names[h.Kind] && h.Code == 0:
		r.fail(20, "code", "the prefix of a kernel's or package's hash", "0")
	}
}

// Identify gives the identity of the kernel or package with these bytes, and fails unless
// p is its prefix.
func (p Prefix) Identify(code []byte) (kernel.ID, error) {
	id := kernel.Hash(code)
	if is := PrefixOf(id); is != p {
		return id, fmt.Errorf("parcel: the code was announced as %s, but its hash begins with %s; it was damaged or is another one", p, is)
	}
	return id, nil
}
