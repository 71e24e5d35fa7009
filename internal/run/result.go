package run

import (
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// result takes the result's columns: those that were written to memory of their own as
// they are, copies of the others.
func (r *runner) result() (*Result, error) {
	res := &Result{Stats: Stats{Threads: r.pool.Size(), BytesRead: r.read.Load()}, Columns: make([]column.Column, 0, len(r.s.Result))}
	for _, c := range r.s.Result {
		col, err := r.column(c)
		if err != nil {
			return nil, err
		}
		res.Columns = append(res.Columns, col)
	}
	for i, label := range r.p.labels {
		r.stats[i].Label = label
	}
	res.Stats.Launches = r.stats[:len(r.p.labels)]
	return res, nil
}

func (r *runner) column(c schedule.Column) (column.Column, error) {
	if err := r.settle(c.Buffer); err != nil {
		return column.Column{}, err
	}
	col := column.Column{Kind: r.s.Buffers[c.Buffer].Kind}
	if len(c.Dims) > 0 {
		col.Dims = make([]int64, 0, len(c.Dims))
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
		col.Data, err = r.unspool(c, n)
		return col, err
	}
	src := r.bytes(c.Buffer)[:n*int64(col.Kind.Size())]
	col.Data = src
	if !buf.given {
		col.Data = make([]byte, len(src))
	}
	err := r.blocks(int64(len(src)), func(lo, hi int64) error {
		if !buf.given {
			copy(col.Data[lo:hi], src[lo:hi])
		}
		column.CanonicalNaN(col.Kind, col.Data[lo:hi])
		return nil
	})
	return col, err
}
