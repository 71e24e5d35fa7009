package run

import (
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// outcome is a Result with what it holds, in one piece of memory if that is little.
type outcome struct {
	Result
	stats   [1]LaunchStats
	columns [1]column.Column
	dims    [2]int64
	owned   [1][]byte
	scalar  [2]uint64 // what a column of so few bytes is copied to
}

// newOutcome makes room for what so many launches do.
func newOutcome(launches int) (o *outcome, stats []LaunchStats) {
	o = &outcome{}
	if launches > len(o.stats) {
		return o, make([]LaunchStats, launches)
	}
	return o, o.stats[:launches]
}

// result takes the result's columns: those that were written to memory of their own as
// they are, copies of the others.
func (r *runner) result() (*Result, error) {
	res := &r.outcome.Result
	*res = Result{results: r.eng.Results(), Stats: Stats{Threads: r.pool.Size(), BytesRead: r.read.Load(), Parts: r.parts, Decoded: r.decoded.list}, Columns: r.outcome.columns[:0], owned: r.outcome.owned[:0]}
	for _, c := range r.s.Result {
		col, err := r.column(res, c)
		if err != nil {
			return nil, err
		}
		res.Columns = append(res.Columns, col)
	}
	res.Stats.Schedule, res.Stats.Launches = r.s, r.stats[:len(r.p.steps)]
	for i, l := range r.p.steps {
		st := &r.stats[i]
		if st.Label = l.Label; st.Runs > 0 {
			number := r.kernelOf(i, l)
			c := r.compiled[number].c
			st.Hash, st.Name, st.Bytes = c.Hash, r.p.kernels[number].name(), c.Safe.Bytes
		}
	}
	return res, nil
}

// kernelOf is the number of the kernel of step i.
func (r *runner) kernelOf(i int, l *schedule.Launch) int {
	if r.frame != nil {
		return r.ready[i].kernel
	}
	return r.p.numbers[l.Kernel]
}

// copyRoom is memory for a column that is copied, with anything in it. The memory in the outcome is for one.
func (r *runner) copyRoom(n int64) []byte {
	if len(r.s.Result) == 1 && n <= int64(unsafe.Sizeof(r.outcome.scalar)) {
		return unsafe.Slice((*byte)(unsafe.Pointer(&r.outcome.scalar)), unsafe.Sizeof(r.outcome.scalar))[:n:n]
	}
	if b := r.eng.Results().Reuse(n); b != nil {
		return b
	}
	return mem.FreshResult(n, r.opt.Machine.HugePages(), true)
}

// Close gives the memory of the columns to results to come. Nothing may use them afterwards.
func (res *Result) Close() {
	if res == nil {
		return
	}
	for _, b := range res.owned {
		res.results.Give(b)
	}
	res.owned = nil
	for i := range res.Columns {
		res.Columns[i].Data = nil
	}
}

func (r *runner) column(res *Result, c schedule.Column) (column.Column, error) {
	if err := r.settle(c.Buffer); err != nil {
		return column.Column{}, err
	}
	col := column.Column{Kind: r.s.Buffers[c.Buffer].Kind}
	if n := len(c.Dims); n > 0 && n <= len(r.outcome.dims) && len(r.s.Result) == 1 {
		col.Dims = r.outcome.dims[:0:n]
	} else if n > 0 {
		col.Dims = make([]int64, 0, n)
	}
	for _, p := range c.Dims {
		d, err := r.eval(p)
		if err != nil {
			return col, err
		}
		col.Dims = append(col.Dims, max(d, 0))
	}
	n, buf := col.Len(), &r.buffers[c.Buffer]
	if n > buf.n {
		return col, bug("a result column has %d elements, its buffer %d", n, buf.n)
	}
	if buf.spool != nil {
		var err error
		col.Data, err = buf.spool.Bytes(n * int64(col.Kind.Size()))
		return col, err
	}
	src := r.bytes(c.Buffer)[:n*int64(col.Kind.Size())]
	if buf.appended && buf.stored < n {
		clear(src[max(0, buf.stored)*int64(col.Kind.Size()):])
	}
	all := buf.foreign
	if col.Data = src; !buf.given {
		all = r.copyRoom(int64(len(src)))
		col.Data = all
	}
	if len(all) >= mem.Kept { // what is shorter is not kept
		res.owned = append(res.owned, all)
	}
	canonical := r.s.Buffers[c.Buffer].Canonical
	if buf.given && canonical {
		return col, nil
	}
	if !r.blockwise(int64(len(src))) {
		copy(col.Data, src) // onto itself, where it was given
		if !canonical {
			column.CanonicalNaN(col.Kind, col.Data)
		}
		return col, nil
	}
	err := r.blocks(int64(len(src)), func(lo, hi int64) error {
		if !buf.given {
			copy(col.Data[lo:hi], src[lo:hi])
		}
		if !canonical {
			column.CanonicalNaN(col.Kind, col.Data[lo:hi])
		}
		return nil
	})
	return col, err
}
