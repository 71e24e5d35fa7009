package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// copyBlock is the number of bytes that a worker copies at a time, a multiple of
// data.Block.
const copyBlock = 1 << 20

// mapFrom is the size from which mapping a file beats copying it.
const mapFrom = 4 << 20

// settle makes a buffer's whole contents present. Only inputs can be absent:
// launches make room for what they write.
func (m *memory) settle(b int) error {
	if m.buffers[b].here {
		return nil
	}
	in := m.inputs[b]
	switch {
	case in == nil:
		return bug("%s is read before it is written", m.name(b))
	case in.b.Source == nil:
		return m.settleScalar(in)
	case in.rows*in.width == 0:
		m.buffers[b] = buffer{here: true}
		return nil
	}
	if m.lay(in); in.raw != nil {
		return m.settleRaw(in)
	}
	return m.settleDecoded(in)
}

// room allocates a buffer of n elements, all zero.
func (m *memory) room(b int, n int64, why string) error {
	return m.roomBy(b, n, why, m.eng.Arena().Alloc)
}

// roomUsed allocates a buffer of n elements with anything in it.
func (m *memory) roomUsed(b int, n int64) error { return m.roomBy(b, n, "", m.eng.Arena().AllocUsed) }

func (m *memory) roomBy(b int, n int64, why string, get func(int64) (mem.Span, error)) error {
	if m.buffers[b].here && m.buffers[b].n >= n {
		return nil
	}
	m.drop(b)
	if n == 0 {
		m.buffers[b] = buffer{here: true}
		return nil
	}
	bytes := n * int64(m.about[b].kind.Size())
	s, err := m.reserve(b, bytes, why, get)
	if full := (*SpaceError)(nil); errors.As(err, &full) && m.users.extend(b, full) {
		return m.roomForeign(b, n, why, false)
	}
	if err != nil {
		return err
	}
	m.buffers[b] = buffer{here: true, off: s.Off + stagger(b, s.Len-bytes), n: n, span: s}
	if in := m.inputs[b]; in != nil {
		m.buffers[b].first = in.first()
	}
	return nil
}

// stagger is how far from the beginning of a page a buffer begins, where its span has room for that. Kernels go through the same elements of several
// buffers, and a processor that compares only the low 12 bits of addresses takes a load for one of what was just stored if they are equal: it waits
// for the store, which made a fold by keys into six tables twice as slow.
func stagger(b int, room int64) int64 {
	const line = 64
	return min(int64(b)*5*line%mem.Page, room) &^ (line - 1)
}

// reserve takes bytes of the arena for a buffer, within the run's limit.
func (m *memory) reserve(b int, bytes int64, why string, get func(int64) (mem.Span, error)) (mem.Span, error) {
	if m.resident+bytes > m.opt.Resident {
		return mem.Span{}, m.tooLarge(b, bytes, why)
	}
	if err := m.lacks(b, bytes, why); err != nil {
		return mem.Span{}, err
	}
	s, err := get(bytes)
	if full := (*mem.FullError)(nil); errors.As(err, &full) {
		if m.resident+bytes > full.Size {
			e := m.tooLarge(b, bytes, why)
			e.Limit = full.Size
			return s, e
		}
		return s, &SpaceError{Name: m.name(b), Need: bytes, Limit: full.Size, Crowded: true,
			Why: why + " beside what others have", Help: "it fits when they have ended; use fewer or smaller arguments and results"}
	}
	if err != nil {
		return s, m.unmapped(b, bytes, why, err)
	}
	m.resident += s.Len
	return s, nil
}

// addressSpace is how many bytes this process may map; false where nobody limits that. Tests have less.
var addressSpace = func() (int64, bool) {
	var most unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_AS, &most)
	return int64(most.Cur), err == nil && most.Cur < math.MaxInt64
}

// unmapped says for which array the system gave no address space, and what to do.
func (m *memory) unmapped(b int, bytes int64, why string, err error) error {
	if !errors.Is(err, unix.ENOMEM) {
		return err
	}
	e := &SpaceError{Name: m.name(b), Need: bytes, Why: why + " beside all that this process has mapped", Limit: left(),
		Help: "the system maps no more for it: use smaller arguments and results, or give bounds that are nearer to what there is, as the K of join_all::<K>"}
	if most, limited := addressSpace(); limited {
		e.Limit = most
		e.Help = "that is all the address space that it may have, by ulimit -v: allow more, use smaller arguments and results, or give bounds that are nearer to what there is, as the K of join_all::<K>"
	}
	return e
}

// lookFrom is from how many bytes on the system is asked whether it has them: less may lie in memory that this process has already.
const lookFrom = 64 << 20

// left is how many bytes the machine, or the group that the process is in, has left. Tests have less.
var left = mem.Available

// lacks is an error about bytes that the machine does not have.
func (m *memory) lacks(b int, bytes int64, why string) error {
	if bytes < lookFrom {
		return nil
	}
	have := left()
	if bytes <= have {
		return nil
	}
	e := m.tooLarge(b, bytes, why)
	if e.Limit = have; bytes <= m.opt.Resident {
		e.Help = "this machine, or the group that the process is in, has no more left: use a smaller part of it, or a machine with more memory"
	}
	return e
}

func (m *memory) tooLarge(b int, bytes int64, why string) *SpaceError {
	e := &SpaceError{Name: m.name(b), Need: bytes, Limit: m.opt.Resident, Why: why}
	switch {
	case m.inputs[b] != nil && bytes > m.opt.Resident:
		e.Help = "store it in a narrower type, or use a smaller part of it"
	case bytes > m.opt.Resident && m.about[b].sorted:
		e.Help = "what is sorted is whole in memory: take the greatest with .top_k::<K>(), which reads it in pieces, or sort the parts"
	case bytes > m.opt.Resident:
		e.Help = "compute a smaller result, or the same in parts"
	default:
		e.Help = bytesText(m.resident) + " are already taken by other arguments and results; use fewer or smaller ones"
	}
	return e
}

// whyWhole ends a message about an input that does not fit.
const whyWhole = " because a step needs the whole of it at once"

func (m *memory) settleScalar(in *input) error {
	if err := m.room(in.buffer, 1, ""); err != nil {
		return err
	}
	column.Put(in.kind, m.bytes(in.buffer), 0, in.b.Bits)
	return nil
}

// settleRaw uses memory that already lies in the arena as it is, maps large
// files, and copies the rest.
func (m *memory) settleRaw(in *input) error {
	if m.inside(in) && !in.moved {
		m.use(in)
		return m.validate(in, 0, in.rows*in.width)
	}
	if in.mappable() && m.mapsSafely(in) {
		if done, err := m.settleMapped(in); done || err != nil {
			return err
		}
	}
	if err := m.roomBy(in.buffer, in.rows*in.width, whyWhole, m.eng.Arena().AllocUsed); err != nil {
		return err
	}
	dst := m.bytes(in.buffer)
	err := m.blocks(int64(len(dst)), func(lo, hi int64) error {
		m.read.Add(in.raw.outside(hi - lo))
		return in.raw.read(dst[lo:hi], lo)
	})
	if err != nil {
		return err
	}
	return m.validate(in, 0, in.rows*in.width)
}

// blockwise reports that so many bytes are more than a block, or that the run is to end, which blocks looks at.
func (m *memory) blockwise(n int64) bool { return n > copyBlock || m.ctx.Err() != nil }

// blocks calls f for every block of n bytes, on as many workers as they are
// worth.
func (m *memory) blocks(n int64, f func(lo, hi int64) error) error {
	if !m.blockwise(n) {
		return f(0, n)
	}
	return m.inOrder(int((n+copyBlock-1)/copyBlock), func(_ context.Context, i int) error {
		lo := int64(i) * copyBlock
		return f(lo, min(lo+copyBlock, n))
	})
}

// mapsSafely reports that no kernel leaves its memory if somebody writes to the file of an input while it is mapped,
// which a lease hinders for some time only: it holds no indices, is a shard of a node's own, or all that read it are native.
func (m *memory) mapsSafely(in *input) bool {
	switch {
	case in.want.Bound <= 0 || in.raw.Check != nil:
		return true
	case m.users.reach(in.buffer):
		return true
	}
	return in.size() > m.opt.Resident-m.resident && m.users.extend(in.buffer, nil)
}

// settleMapped maps the file under a lease, so that nobody can cut it short
// while kernels read it. It reports false when there is no lease to be had.
func (m *memory) settleMapped(in *input) (bool, error) {
	lease, short := m.lease(in)
	switch {
	case short && in.raw.Check == nil: // else copying says what is wrong with a file that has checksums
		return true, &data.ChangedError{Path: in.raw.path}
	case lease == nil:
		return false, nil // copying works without
	}
	start, end := in.extent()
	skip, n := in.raw.Offset-start, end-start
	s, err := m.reserve(in.buffer, n, whyWhole, m.eng.Arena().Reserve)
	if full := (*SpaceError)(nil); errors.As(err, &full) && m.users.extend(in.buffer, full) {
		return true, m.settleForeign(in, lease, start, n)
	}
	if err != nil {
		return true, err
	}
	m.buffers[in.buffer] = buffer{here: true, first: in.first(), off: s.Off + skip, n: in.rows * in.width, span: s}
	if err := m.eng.Arena().MapFile(s, lease.Fd(), start, n, false); err != nil {
		return true, err
	}
	return true, m.trust(in, lease, m.eng.Arena().Bytes(s.Off, n), start)
}

// settleForeign maps a file for which the arena has no room.
func (m *memory) settleForeign(in *input, lease *mem.Lease, start, n int64) error {
	pages, err := m.mapPages(lease, start, n)
	if err != nil {
		return fmt.Errorf("%s: map %d bytes: %w", in.raw.path, n, err)
	}
	column := pages[in.raw.Offset-start:][:in.raw.Length]
	off, _ := m.eng.Offset(column)
	m.buffers[in.buffer] = buffer{here: true, first: in.first(), off: off, n: in.rows * in.width, foreign: column}
	return m.trust(in, lease, pages, start)
}

// trust compares a mapping with its checksums and looks at its indices, unless both were
// done before.
func (m *memory) trust(in *input, lease *mem.Lease, mapped []byte, start int64) error {
	m.read.Add(in.raw.Length)
	if err := m.compare(in, mapped, start); err != nil {
		return err
	}
	known := checked{lease.Version(), in.raw.Offset, in.raw.Length, in.kind, in.want.Bound}
	if known.done() {
		return nil
	}
	if err := m.validate(in, 0, in.rows*in.width); err != nil {
		return err
	}
	known.remember()
	return nil
}

// compare compares a mapping of an input's file, from offset start on, with its
// checksums.
func (m *memory) compare(in *input, mapped []byte, start int64) error {
	if c := in.raw.Check; c == nil || c.Known(start, start+int64(len(mapped))) {
		return nil
	}
	return m.blocks(int64(len(mapped)), func(lo, hi int64) error { return in.raw.Check.Seen(mapped[lo:hi], start+lo) })
}

// soonTasks is how many tasks beyond those at work a source is told of.
const soonTasks = 8

// settleDecoded decodes a column, and with it all others of the same source
// that must be present as a whole and are not yet.
func (m *memory) settleDecoded(in *input) error {
	group := m.together(in)
	d := &decoding{m: m, src: in.b.Source}
	for _, in := range group {
		get := m.eng.Arena().AllocUsed
		if in.b.Option { // what stands in place of a null need not be written
			get = m.eng.Arena().Alloc
		}
		if err := m.roomBy(in.buffer, in.rows*in.width, whyWhole, get); err != nil {
			return err
		}
		d.add(in, area{mem: m.bytes(in.buffer)})
	}
	tasks := d.tasks(0, len(in.b.Source.Chunks()))
	d.workers = min(len(tasks), m.pool.Size())
	ahead, cancel := context.WithCancel(m.ctx)
	defer cancel()
	told := min(len(tasks), soonTasks+d.workers)
	d.soon(ahead, tasks[:told])
	return m.inOrder(len(tasks), func(ctx context.Context, i int) error {
		if next := i + told; next < len(tasks) {
			d.soon(ahead, tasks[next:next+1])
		}
		return d.run(ctx, tasks[i], 0, 0)
	})
}

// together lists the inputs to decode along with in.
func (m *memory) together(in *input) []*input {
	group := []*input{in}
	for _, o := range m.inputs {
		if o == nil || o == in || o.b.Source != in.b.Source || o.param != in.param {
			continue
		}
		if o.raw == nil && !m.buffers[o.buffer].here && o.plan == whole {
			group = append(group, o)
		}
	}
	return group
}

// inOrder hands out tasks 0..n in order to the workers. The first task that
// fails, by number, gives the error: those before it are seen through.
func (m *memory) inOrder(n int, task func(ctx context.Context, i int) error) error {
	var next atomic.Int64
	var q failures
	err := m.pool.Do(m.ctx, min(n, m.pool.Size()), func(ctx context.Context, _ int) error {
		for ctx.Err() == nil && q.first() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := task(ctx, i); err != nil {
				q.add(i, err)
			}
		}
		return context.Cause(ctx)
	})
	if ferr := q.first(); ferr != nil {
		return ferr
	}
	return err
}

// inside reports that an input lies in kernel memory already.
func (m *memory) inside(in *input) bool {
	if in.raw == nil {
		return false
	}
	_, ok := m.eng.Offset(in.raw.Bytes)
	return ok
}

// use has a buffer be such an input, where it lies.
func (m *memory) use(in *input) {
	off, _ := m.eng.Offset(in.raw.Bytes)
	m.buffers[in.buffer] = buffer{here: true, first: in.first(), off: off, n: in.rows * in.width}
}
