package run

import (
	"context"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a column of a data set of which this machine has all rows in memory, other processes' too. Out: the column as if the caller had given it as
// a slice: kernels read it where it lies, and nothing is fetched. Invariant: it stays mapped until the run is over, and a run
// during which somebody wrote to it is an error.

// Laid is a source that can show a column where it lies.
type Laid interface {
	// Lay gives a column as it is stored, all rows in one piece, or nil where that cannot be.
	Lay(ctx context.Context, column int, how Laying) Lay
}

// Laying is for whom a column is shown.
type Laying struct {
	// Blocks does something for all blocks of n bytes, on the workers of the run.
	Blocks func(n int64, each func(lo, hi int64) error) error
	// Changed is called, at most once and from another goroutine, when somebody wants to write to the column before Release.
	Changed func(error)
}

// Lay is a column as one piece of memory.
type Lay interface {
	Bytes() []byte // valid until Release
	// Unchanged is an error if somebody may have written to them since they were given.
	Unchanged() error
	Release()
}

// Plain reports that a column's numbers are used as they are stored, in this kind.
func (b *Binding) Plain(kind num.Kind) bool {
	return !b.Option && !b.Presence && b.Blanks == data.NotBlank && b.Source.Columns()[b.Column].Kind == kind
}

// lay has an input be used where it lies, if its source can show it.
func (m *memory) lay(in *input) {
	src, ok := in.b.Source.(Laid)
	if !ok || in.laid || in.raw != nil || in.moved {
		return
	}
	in.laid = true
	if !in.b.Plain(in.kind) {
		return
	}
	l := src.Lay(m.ctx, in.b.Column, Laying{m.blocks, func(err error) { m.cancel(err) }})
	if l == nil {
		return
	}
	if b := l.Bytes(); int64(len(b)) == in.size() && len(b) > 0 {
		in.raw = &raw{Raw: data.Raw{Bytes: b, Length: int64(len(b))}, path: in.b.Source.Path()}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lays = append(m.lays, l)
}
