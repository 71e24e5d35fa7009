package run

import (
	"unsafe"

	"github.com/godwit-run/godwit/num"
)

// Foreign memory is what the arena does not hold: slices of the caller's, and columns of
// results that become the caller's. Native code uses it where it lies, so nothing is
// copied; WebAssembly sees the arena only.

// inPlace gives the base of an input that the launch reads where it lies. Indices and
// bools are not read in place: they are looked at once and trusted from then on, and the
// caller's memory may change in between.
func (p *launching) inPlace(in *input) (base int64, ok bool) {
	if !in.plain() || !p.c.ReachesAll() {
		return 0, false
	}
	off, _ := p.r.eng.Offset(in.raw.Bytes)
	return off - in.first()*int64(in.kind.Size()), true
}

// unwindowed reports that all inputs for which there are windows can be read where they
// lie by now, because the kernel has been promoted.
func (p *launching) unwindowed() bool {
	for _, f := range p.feeds {
		if _, ok := p.inPlace(f.in); !ok {
			return false
		}
	}
	return true
}

// plain reports that an input lies in memory in a form that needs no look at it.
func (in *input) plain() bool {
	if in.raw == nil || in.raw.ones || in.raw.File != nil || in.moved || len(in.raw.Bytes) == 0 {
		return false
	}
	if in.kind == num.Bool || in.want.Bound > 0 {
		return false
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(in.raw.Bytes)))%uintptr(in.kind.Size()) == 0
}

// keepsForeign reports that a buffer that is written is one column of the result, and that
// all who touch it reach all memory.
func (r *runner) keepsForeign(b int) bool {
	switch {
	case r.opt.Beside != nil || r.p.swapped[b] || r.p.results[b] != 1:
		return false
	case r.buffers[b].here:
		return r.buffers[b].foreign != nil
	}
	for _, u := range r.p.uses[b] {
		if u.launch == nil {
			continue // the host reads bytes wherever they are
		}
		if c, err := r.compile(u.launch.Kernel); err != nil || !c.ReachesAll() || u.launch.Packed != nil {
			return false
		}
	}
	return true
}

// roomForeign allocates a buffer of n elements for the caller.
func (r *runner) roomForeign(b int, n int64) error {
	if r.buffers[b].here && r.buffers[b].n >= n {
		return nil
	}
	bytes := n * int64(r.s.Buffers[b].Kind.Size())
	if r.resident+bytes > r.opt.Resident {
		return r.tooLarge(b, bytes, "")
	}
	if n == 0 {
		r.buffers[b] = buffer{here: true}
		return nil
	}
	words := make([]uint64, (bytes+7)/8) // so that elements are aligned
	mem := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes)
	off, _ := r.eng.Offset(mem)
	r.buffers[b] = buffer{here: true, off: off, n: n, foreign: mem}
	return nil
}
