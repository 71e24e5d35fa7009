package parcel

import (
	"math"
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// Whole is the share of a request with which its first Send begins.
const Whole uint64 = 1 << 62

// Call is the payload of a Send: what the main function of a package gets.
type Call struct {
	// Share is how much of the request this parcel stands for, of Whole. A run that
	// sends parcels on divides its share among them; one that ends without a
	// reply and without parcels gives its share back to the caller. So the caller
	// knows when nothing of the request is under way any more. 0 stands for too
	// little to be divided: then only the deadline tells.
	Share  uint64
	Grants []Grant
	Bytes  []byte
}

// Grant is a region that a package asks for, under the name by which it finds it.
type Grant struct {
	Name  string // letters, digits and _, at most pack.MaxName
	Write bool
	// Bytes, if positive, asks for memory of the node, which is made when it is first
	// asked for and outlives the call.
	Bytes int64
	// Otherwise it is the rows of a data set's column that the node holds. They
	// cannot be written.
	Set    uint32
	Column int
}

// The ways in which a grant is written.
const (
	grantRead byte = iota
	grantWrite
	grantColumn
	grants
)

// Append adds the call's bytes, a Send's payload, to dst.
func (c *Call) Append(dst []byte) []byte {
	dst = appendUint(dst, c.Share)
	dst = appendUint(dst, uint64(len(c.Grants)))
	for i := range c.Grants {
		dst = c.Grants[i].append(dst)
	}
	return append(dst, c.Bytes...)
}

func (g *Grant) append(dst []byte) []byte {
	dst = appendBlob(dst, []byte(g.Name))
	switch {
	case g.Bytes <= 0:
		return appendUint(appendUint(append(dst, grantColumn), uint64(g.Set)), uint64(g.Column))
	case g.Write:
		dst = append(dst, grantWrite)
	default:
		dst = append(dst, grantRead)
	}
	return appendUint(dst, uint64(g.Bytes))
}

// ReadCall reads a Send's payload. Bytes alias b.
func ReadCall(b []byte) (*Call, error) {
	r := reader{b: b, part: "call"}
	c := &Call{Share: r.uint(Whole, "share")}
	for range r.count(MaxGrants, 4, "grants") {
		start, g := r.at, r.grant()
		if r.err == nil && slices.ContainsFunc(c.Grants, func(o Grant) bool { return o.Name == g.Name }) {
			r.fail(start, "name", "a name that no other grant has", strconv.Quote(g.Name))
		}
		c.Grants = append(c.Grants, g)
	}
	if n := r.left(); n > 0 {
		c.Bytes = r.take(n, "bytes")
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return c, nil
}

func (r *reader) grant() (g Grant) {
	start := r.at
	name := r.take(r.count(pack.MaxName, 1, "bytes of a name"), "name")
	if r.err == nil && !identifier(name) {
		r.fail(start, "name", "letters, digits and _", "other bytes, or none")
	}
	g.Name = string(name)
	how := r.byte(grants-1, "grant")
	if how == grantColumn {
		g.Set, g.Column = r.word("set"), r.column()
		return g
	}
	g.Write = how == grantWrite
	start = r.at
	if g.Bytes = int64(r.uint(math.MaxInt64, "bytes of a region")); r.err == nil && g.Bytes == 0 {
		r.fail(start, "bytes of a region", atLeast(1), "0")
	}
	return g
}

// identifier reports whether a name can stand in C.
func identifier(name []byte) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(name) > 0
}
