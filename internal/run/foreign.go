package run

import (
	"slices"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// Foreign memory is what the arena does not hold: slices of the caller's, and columns of
// results that become the caller's. Native code uses it where it lies, so nothing is
// copied; WebAssembly sees the arena only.

// inPlace gives the base of an input that the launch reads where it lies. The caller may write to it meanwhile:
// native code holds every index that it loads below its bound, so indices are looked at once, for the error.
func (x *execution) inPlace(in *input) (base int64, ok bool) {
	if !in.present() || !x.reachesAll() {
		return 0, false
	}
	off, _ := x.m.eng.Offset(in.raw.Bytes)
	return off - in.first()*int64(in.kind.Size()), true
}

// reachesAll reports that all code that reads the inputs uses memory outside of the arena, now and from now on: of a kernel and that of its totals
// one may be native code long before the other.
func (x *execution) reachesAll() bool {
	return x.c.ReachesAll() && (x.ahead == nil || x.ahead.ReachesAll())
}

// lookOnce looks at an input that is read where it lies, once in a run.
func (m *memory) lookOnce(in *input) error {
	if in.seen {
		return nil
	}
	in.seen = true
	m.read.Add(in.raw.Length)
	if !in.looked() {
		return nil
	}
	return m.blocks(in.raw.Length, func(lo, hi int64) error {
		return in.checkBound(in.raw.Bytes[lo:hi], lo/int64(in.kind.Size()))
	})
}

// unwindowed reports that all inputs for which there are windows can be read where they
// lie by now, because the kernel has been promoted.
func (x *execution) unwindowed() bool {
	return !slices.ContainsFunc(x.feeds, func(f feed) bool {
		_, ok := x.inPlace(f.in)
		return !ok || f.in.looked()
	})
}

// present reports that an input lies in memory as kernels want it.
func (in *input) present() bool {
	if in.raw == nil || in.raw.ones || in.raw.File != nil || in.moved || len(in.raw.Bytes) == 0 {
		return false
	}
	return aligned(in.raw.Bytes, in.kind)
}

// aligned reports that b begins where an element may.
func aligned(b []byte, k num.Kind) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(k.Size()) == 0
}

// keepsForeign reports that a buffer that is written is one column of the result, and that
// all who touch it reach all memory.
func (r *runner) keepsForeign(b int) bool {
	switch {
	case !r.about[b].given || r.opt.Beside != nil && r.combines(b):
		return false
	case r.buffers[b].here:
		return r.buffers[b].foreign != nil
	}
	return r.reach(b)
}

// reach is of users.
func (r *runner) reach(b int) bool { return r.allOf(b, r.reachesAll) }

// extend is of users: a buffer for which the arena has no room is to lie outside of it.
// It waits for native code where that can be had. If there will never be room, those that touch it are interpreted without.
func (r *runner) extend(b int, full *SpaceError) bool {
	if !r.opt.beyond || r.opt.Beside != nil && r.combines(b) {
		return false
	}
	never := full == nil || !full.Crowded
	if !r.p.swapped[b] {
		return r.allOf(b, func(k *kernel.Kernel) bool { return r.extendKernel(k, never) })
	}
	for _, k := range r.p.kernels { // what is swapped with it must reach it, too
		if !r.extendKernel(k.k, never) {
			return false
		}
	}
	return true
}

// reachesAll reports that a kernel's code reaches all memory already.
func (r *runner) reachesAll(k *kernel.Kernel) bool {
	c, err := r.compile(k)
	return err == nil && c.ReachesAll()
}

// combines reports that a buffer is for rows that another kernel combines, beside their data or here:
// that kernel is none of the program's, and may not reach all memory.
func (r *runner) combines(b int) bool {
	return slices.ContainsFunc(r.p.uses[b], func(u schedule.Use) bool {
		return u.Launch != nil && u.Launch.Partial != nil && u.Launch.Kernel.Regions[u.Region].Access != kernel.Read
	})
}

// allOf reports whether all kernels that touch a buffer are such. The host takes bytes
// wherever they are.
func (r *runner) allOf(b int, such func(*kernel.Kernel) bool) bool {
	for _, u := range r.p.uses[b] {
		if u.Launch == nil {
			continue
		}
		l := u.Launch
		if !such(l.Kernel) || l.InTurn != nil && !such(l.InTurn.Launch.Kernel) {
			return false
		}
		// What is kept leaf by leaf is written apart, and moved by the host.
		if l.Packed != nil && l.Kernel.Regions[u.Region].Access == kernel.Read && !such(l.Packed.Launch.Kernel) {
			return false
		}
	}
	return true
}

// roomForeign allocates a buffer of n elements outside of the arena: for the caller, if it is
// a column of the result. With filled it may have anything in it.
func (m *memory) roomForeign(b int, n int64, why string, filled bool) error {
	if m.buffers[b].here && m.buffers[b].n >= n {
		return nil
	}
	if n == 0 {
		m.buffers[b] = buffer{here: true}
		return nil
	}
	bytes := n * int64(m.about[b].kind.Size())
	var used []byte
	switch {
	case m.about[b].given:
		used = m.eng.Results().Reuse(bytes)
	case filled: // else fresh pages are quicker, which are zeroed as they are touched
		used = mem.Again(bytes)
	}
	if used == nil && bytes > mapFrom {
		if err := m.lacks(b, bytes, why); err != nil {
			return err
		}
		if have := m.available(); bytes > have {
			e := m.tooLarge(b, bytes, why)
			e.Limit = have
			return e
		}
	}
	buf := buffer{here: true, n: n}
	switch {
	case used != nil:
		buf.foreign, buf.given, buf.fresh, buf.used = used, m.about[b].given, !m.about[b].given, true
		if filled {
			break
		}
		if err := m.blocks(bytes, func(lo, hi int64) error { clear(used[lo:hi]); return nil }); err != nil {
			return err
		}
	case m.about[b].given:
		buf.foreign, buf.given = mem.FreshResult(bytes, m.opt.Machine.HugePages(), filled), true
	default:
		pages, err := mem.Fresh(bytes)
		if err != nil {
			return m.unmapped(b, bytes, why, err)
		}
		buf.foreign, buf.fresh = pages, true
	}
	buf.off, _ = m.eng.Offset(buf.foreign)
	if in := m.inputs[b]; in != nil {
		buf.first = in.first()
	}
	m.buffers[b] = buf
	return nil
}

// available is how many bytes may still be taken outside of the arena.
func (m *memory) available() int64 {
	if !m.opt.beyond {
		return m.opt.Resident - m.resident
	}
	return left()
}
