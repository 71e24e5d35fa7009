package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

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
func (r *runner) settle(b int) error {
	if r.buffers[b].here {
		return nil
	}
	in := r.inputs[b]
	switch {
	case in == nil:
		return bug("%s is read before it is written", r.name(b))
	case in.b.Source == nil:
		return r.settleScalar(in)
	case in.rows*in.width == 0:
		r.buffers[b] = buffer{here: true}
		return nil
	case in.raw != nil:
		return r.settleRaw(in)
	}
	return r.settleDecoded(in)
}

// room allocates a buffer of n elements, all zero.
func (r *runner) room(b int, n int64, why string) error {
	return r.roomBy(b, n, why, r.eng.Arena().Alloc)
}

// roomUsed allocates a buffer of n elements with anything in it.
func (r *runner) roomUsed(b int, n int64) error { return r.roomBy(b, n, "", r.eng.Arena().AllocUsed) }

func (r *runner) roomBy(b int, n int64, why string, get func(int64) (mem.Span, error)) error {
	if r.buffers[b].here && r.buffers[b].n >= n {
		return nil
	}
	r.drop(b)
	if n == 0 {
		r.buffers[b] = buffer{here: true}
		return nil
	}
	s, err := r.reserve(b, n*int64(r.s.Buffers[b].Kind.Size()), why, get)
	if full := (*SpaceError)(nil); errors.As(err, &full) && r.reachesForeign(b, full) {
		return r.roomForeign(b, n, why, false)
	}
	if err != nil {
		return err
	}
	r.buffers[b] = buffer{here: true, off: s.Off, n: n, span: s}
	if in := r.inputs[b]; in != nil {
		r.buffers[b].first = in.first()
	}
	return nil
}

// reserve takes bytes of the arena for a buffer, within the run's limit.
func (r *runner) reserve(b int, bytes int64, why string, get func(int64) (mem.Span, error)) (mem.Span, error) {
	if r.resident+bytes > r.opt.Resident {
		return mem.Span{}, r.tooLarge(b, bytes, why)
	}
	s, err := get(bytes)
	if full := (*mem.FullError)(nil); errors.As(err, &full) {
		if r.resident+bytes > full.Size {
			e := r.tooLarge(b, bytes, why)
			e.Limit = full.Size
			return s, e
		}
		return s, &SpaceError{Name: r.name(b), Need: bytes, Limit: full.Size, Crowded: true,
			Why: why + " beside what others have", Help: "it fits when they have ended; use fewer or smaller arguments and results"}
	}
	if err == nil {
		r.resident += s.Len
	}
	return s, err
}

func (r *runner) tooLarge(b int, bytes int64, why string) *SpaceError {
	e := &SpaceError{Name: r.name(b), Need: bytes, Limit: r.opt.Resident, Why: why}
	switch {
	case r.inputs[b] != nil && bytes > r.opt.Resident:
		e.Help = "store it in a narrower type, or use a smaller part of it"
	case bytes > r.opt.Resident && strings.HasPrefix(r.s.Buffers[b].Name, "sort"):
		e.Help = "what is sorted is whole in memory: take the greatest with .top_k::<K>(), which reads it in pieces, or sort the parts"
	case bytes > r.opt.Resident:
		e.Help = "compute a smaller result, or the same in parts"
	default:
		e.Help = bytesText(r.resident) + " are already taken by other arguments and results; use fewer or smaller ones"
	}
	return e
}

// whyWhole ends a message about an input that does not fit.
const whyWhole = " because a step needs the whole of it at once"

func (r *runner) settleScalar(in *input) error {
	if err := r.room(in.buffer, 1, ""); err != nil {
		return err
	}
	column.Put(in.kind, r.bytes(in.buffer), 0, in.b.Bits)
	return nil
}

// bytes is the contents of a buffer.
func (r *runner) bytes(b int) []byte {
	buf := &r.buffers[b]
	n := buf.n * int64(r.s.Buffers[b].Kind.Size())
	if buf.foreign != nil {
		return buf.foreign[:n:n]
	}
	return r.eng.Arena().Bytes(buf.off, n)
}

// settleRaw uses memory that already lies in the arena as it is, maps large
// files, and copies the rest.
func (r *runner) settleRaw(in *input) error {
	if off, ok := r.eng.Offset(in.raw.Bytes); ok && !in.moved {
		r.buffers[in.buffer] = buffer{here: true, first: in.first(), off: off, n: in.rows * in.width}
		return r.validate(in)
	}
	if in.mappable() && r.mapsSafely(in) {
		if done, err := r.settleMapped(in); done || err != nil {
			return err
		}
	}
	if err := r.room(in.buffer, in.rows*in.width, whyWhole); err != nil {
		return err
	}
	dst := r.bytes(in.buffer)
	err := r.blocks(int64(len(dst)), func(lo, hi int64) error {
		r.read.Add(in.raw.outside(hi - lo))
		return in.raw.read(dst[lo:hi], lo)
	})
	if err != nil {
		return err
	}
	return r.validate(in)
}

// blocks calls f for every block of n bytes, on as many workers as they are
// worth.
func (r *runner) blocks(n int64, f func(lo, hi int64) error) error {
	if n <= copyBlock && r.ctx.Err() == nil {
		return f(0, n)
	}
	return r.inOrder(int((n+copyBlock-1)/copyBlock), func(_ context.Context, i int) error {
		lo := int64(i) * copyBlock
		return f(lo, min(lo+copyBlock, n))
	})
}

// mapsSafely reports that no kernel leaves its memory if somebody writes to the file of an input while it is mapped,
// which a lease hinders for some time only: it holds no indices, is a shard of a node's own, or all that read it are native.
func (r *runner) mapsSafely(in *input) bool {
	switch {
	case in.want.Bound <= 0 || in.raw.Check != nil:
		return true
	case r.p == nil:
		return false
	case r.allOf(in.buffer, r.reachesAll):
		return true
	}
	return in.size() > r.opt.Resident-r.resident && r.reachesForeign(in.buffer, nil)
}

// settleMapped maps the file under a lease, so that nobody can cut it short
// while kernels read it. It reports false when there is no lease to be had.
func (r *runner) settleMapped(in *input) (bool, error) {
	path := in.raw.path
	lease, err := mem.TakeLease(in.raw.File, func() { r.cancel(&data.ChangedError{Path: path}) })
	if err != nil {
		return false, nil // copying works without
	}
	start, end := in.extent()
	if lease.Size() < end {
		lease.Close()
		if in.raw.Check != nil {
			return false, nil // copying says what is wrong with a file that has checksums
		}
		return true, &data.ChangedError{Path: path}
	}
	r.keep(lease)
	skip, n := in.raw.Offset-start, end-start
	s, err := r.reserve(in.buffer, n, whyWhole, r.eng.Arena().Reserve)
	if full := (*SpaceError)(nil); errors.As(err, &full) && r.reachesForeign(in.buffer, full) {
		return true, r.settleForeign(in, lease, start, n)
	}
	if err != nil {
		return true, err
	}
	r.buffers[in.buffer] = buffer{here: true, first: in.first(), off: s.Off + skip, n: in.rows * in.width, span: s}
	if err := r.eng.Arena().MapFile(s, lease.Fd(), start, n, false); err != nil {
		return true, err
	}
	return true, r.trust(in, lease, r.eng.Arena().Bytes(s.Off, n), start)
}

// settleForeign maps a file for which the arena has no room.
func (r *runner) settleForeign(in *input, lease *mem.Lease, start, n int64) error {
	pages, err := r.mapPages(lease, start, n)
	if err != nil {
		return fmt.Errorf("%s: map %d bytes: %w", in.raw.path, n, err)
	}
	column := pages[in.raw.Offset-start:][:in.raw.Length]
	off, _ := r.eng.Offset(column)
	r.buffers[in.buffer] = buffer{here: true, first: in.first(), off: off, n: in.rows * in.width, foreign: column}
	return r.trust(in, lease, pages, start)
}

// trust compares a mapping with its checksums and looks at its indices, unless both were
// done before.
func (r *runner) trust(in *input, lease *mem.Lease, mapped []byte, start int64) error {
	r.read.Add(in.raw.Length)
	if err := r.compare(in, mapped, start); err != nil {
		return err
	}
	known := checked{lease.Version(), in.raw.Offset, in.raw.Length, in.kind, in.want.Bound}
	if known.done() {
		return nil
	}
	if err := r.validate(in); err != nil {
		return err
	}
	known.remember()
	return nil
}

// compare compares a mapping of an input's file, from offset start on, with its
// checksums.
func (r *runner) compare(in *input, mapped []byte, start int64) error {
	if c := in.raw.Check; c == nil || c.Known(start, start+int64(len(mapped))) {
		return nil
	}
	return r.blocks(int64(len(mapped)), func(lo, hi int64) error { return in.raw.Check.Seen(mapped[lo:hi], start+lo) })
}

// settleDecoded decodes a column, and with it all others of the same source
// that must be present as a whole and are not yet.
func (r *runner) settleDecoded(in *input) error {
	group := r.together(in)
	d := &decoding{r: r, src: in.b.Source}
	for _, in := range group {
		if err := r.room(in.buffer, in.rows*in.width, whyWhole); err != nil {
			return err
		}
		d.add(in, area{mem: r.bytes(in.buffer)})
	}
	tasks := d.tasks(0, len(in.b.Source.Chunks()))
	return r.inOrder(len(tasks), func(ctx context.Context, i int) error { return d.run(ctx, tasks[i], 0, 0) })
}

// together lists the inputs to decode along with in.
func (r *runner) together(in *input) []*input {
	group := []*input{in}
	for _, o := range r.inputs {
		if o == nil || o == in || o.b.Source != in.b.Source || o.param != in.param {
			continue
		}
		if o.raw == nil && !r.buffers[o.buffer].here && o.plan == whole {
			group = append(group, o)
		}
	}
	return group
}

// inOrder hands out tasks 0..n in order to the workers. The first task that
// fails, by number, gives the error: those before it are seen through.
func (r *runner) inOrder(n int, task func(ctx context.Context, i int) error) error {
	var next atomic.Int64
	var q failures
	err := r.pool.Do(r.ctx, min(n, r.pool.Size()), func(ctx context.Context, _ int) error {
		for ctx.Err() == nil && !q.any() {
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
