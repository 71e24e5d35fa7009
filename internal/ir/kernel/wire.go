package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// format walks a kernel and its bytes together, reading or writing, so that
// the layout is described once. Each method takes a pointer to a field: when
// writing the field is checked and appended, when reading it is set. After
// an error nothing more happens.
type format struct {
	buf     []byte
	at      int // position when reading
	reading bool
	err     error
	k       *Kernel
	next    Value // the number of the next value to be defined
	depth   int
}

func (f *format) failf(text string, args ...any) {
	if f.err != nil {
		return
	}
	at := f.at
	if !f.reading {
		at = len(f.buf)
	}
	f.err = &FormatError{Offset: at, Reason: fmt.Sprintf(text, args...)}
}

// within is check of a limit of the format.
func (f *format) within(ok bool, text string, args ...any) {
	if ok || f.err != nil {
		return
	}
	f.failf(text, args...)
	f.err.(*FormatError).Limit = true
}

// check fails unless ok; it holds in both directions.
func (f *format) check(ok bool, text string, args ...any) {
	if !ok {
		f.failf(text, args...)
	}
}

func (f *format) take(n int) []byte {
	if f.err == nil && len(f.buf)-f.at < n {
		f.failf("the bytes end too early")
	}
	if f.err != nil {
		return make([]byte, n)
	}
	b := f.buf[f.at : f.at+n]
	f.at += n
	return b
}

// set assigns what was read. When writing nothing is assigned, so that a
// kernel in use elsewhere can be written too.
func set[T any](f *format, p *T, v T) {
	if f.reading {
		*p = v
	}
}

// uint is seven bits to a byte, low bits first, in as few bytes as possible.
func (f *format) uint(p *uint64, limit uint64, what string) {
	if !f.reading {
		f.within(*p <= limit, "%s is %d, at most %d is allowed", what, *p, limit)
		f.buf = binary.AppendUvarint(f.buf, *p)
		return
	}
	v := uint64(0)
	for shift := 0; f.err == nil; shift += 7 {
		b := f.take(1)[0]
		if b == 0 && shift > 0 || bits.Len8(b&0x7f)+shift > 64 {
			f.failf("%s is not in shortest form", what)
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	f.within(v <= limit, "%s is %d, at most %d is allowed", what, v, limit)
	*p = v
}

// signed puts the sign into the lowest bit.
func (f *format) signed(p *int64, what string) {
	u := uint64(*p<<1) ^ uint64(*p>>63)
	f.uint(&u, math.MaxUint64, what)
	set(f, p, int64(u>>1)^-int64(u&1))
}

// index is a number in 0..limit.
func (f *format) index(p *int, limit int, what string) {
	f.check(f.reading || (*p >= 0 && *p < limit), "%s %d, but there are %d", what, *p, limit)
	u := uint64(*p)
	f.uint(&u, math.MaxInt64, what)
	f.check(u < uint64(limit), "%s %d, but there are %d", what, u, limit)
	set(f, p, int(u))
}

func (f *format) natural(p *int64, what string) {
	f.check(f.reading || *p >= 0, "%s is negative", what)
	u := uint64(*p)
	f.uint(&u, math.MaxInt64, what)
	set(f, p, int64(u))
}

func (f *format) flag(p *bool, what string) {
	u := uint64(0)
	if *p {
		u = 1
	}
	f.uint(&u, 1, what)
	set(f, p, u == 1)
}

func (f *format) kind(p *num.Kind) {
	u := uint64(*p)
	f.uint(&u, math.MaxUint8, "kind")
	set(f, p, num.Kind(u))
	f.check(p.Valid(), "there is no kind %d", u)
}

// bits is a constant of a kind in its one form.
func (f *format) bits(p *uint64, k num.Kind) {
	switch {
	case f.err != nil:
	case k.IsFloat() && f.reading:
		var b [8]byte
		copy(b[:], f.take(k.Size()))
		*p = binary.LittleEndian.Uint64(b[:])
	case k.IsFloat():
		f.buf = append(f.buf, binary.LittleEndian.AppendUint64(nil, *p)[:k.Size()]...)
	case k.IsSigned():
		n := int64(*p)
		f.signed(&n, "constant")
		set(f, p, uint64(n))
	default:
		f.uint(p, math.MaxUint64, "constant")
	}
	f.check(f.err != nil || num.IsCanon(k, *p), "%#x is not a proper value of %s", *p, k)
}

// list is a count and that many items. Nothing is allocated ahead of the
// bytes that fill it.
func list[T any](f *format, s *[]T, limit int, what string, item func(*T)) {
	n := uint64(len(*s))
	f.uint(&n, uint64(limit), "number of "+what)
	if f.reading && f.err == nil && n > uint64(len(f.buf)-f.at) {
		f.failf("%d %s do not fit in the bytes that are left", n, what)
	}
	exactly(f, s, int(n), what, item)
}

// exactly is a list whose length follows from what came before.
func exactly[T any](f *format, s *[]T, n int, what string, item func(*T)) {
	f.check(f.reading || len(*s) == n, "%d %s where %d belong", len(*s), what, n)
	if f.reading {
		*s = nil
	}
	for i := 0; i < n && f.err == nil; i++ {
		if f.reading {
			*s = append(*s, *new(T))
		}
		item(&(*s)[i])
	}
}

// use is a reference to a value, as the distance back from the newest one.
func (f *format) use(p *Value) {
	f.reference(p)
	f.check(*p != None, "a value is absent")
}

// reference is use, with distance 0 for None.
func (f *format) reference(p *Value) {
	d := uint64(0)
	if *p != None {
		f.check(f.reading || (*p >= 0 && *p < f.next), "value %d is used before it is defined", *p)
		d = uint64(f.next - *p)
	}
	f.uint(&d, uint64(f.next), "distance to a value")
	v := None
	if d > 0 {
		v = f.next - Value(d)
	}
	set(f, p, v)
}

// define gives n values the next numbers; they take no bytes.
func (f *format) define(vs *[]Value, n int) {
	exactly(f, vs, n, "values defined", func(p *Value) {
		if f.reading {
			*p = f.next
		}
		f.check(*p == f.next, "value %d is defined where %d is next", *p, f.next)
		f.next++
	})
}
