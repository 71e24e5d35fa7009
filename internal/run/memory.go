package run

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the limits of a run or of a piece, and what its buffers are. Out: their contents, in the arena or beside it, and
// the files that are mapped meanwhile. It knows nothing of what is computed.
// Invariant: what it holds is given back by close, or earlier by drop.

// memory is what a run or a piece has of the machine.
type memory struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	opt    Options
	eng    *engine.Engine
	pool   *engine.Pool
	users  users

	about    []about  // per buffer
	buffers  []buffer // a piece has one for each region
	inputs   []*input // per buffer, nil for those that kernels write
	resident int64    // bytes held by buffers

	mu      sync.Mutex // guards maps, leases and lays
	maps    [][]byte   // of files, outside of the arena
	leases  []*mem.Lease
	lays    []Lay
	read    atomic.Int64 // bytes
	decoded decodings
}

// users are the kernels that touch buffers.
type users interface {
	// reach reports that all that touch a buffer use memory beside the arena, now and from now on.
	reach(b int) bool
	// extend reports likewise, and may change how they run. full, if not nil, says why the arena will not do.
	extend(b int, full *SpaceError) bool
}

// about is what is known about a buffer whatever it holds.
type about struct {
	kind      num.Kind
	name      string // for messages
	sorted    bool   // what is sorted
	given     bool   // it is one column of the result, and no other
	spoolable bool   // Options.Spool may take it
}

// buffer is where the contents of a buffer lie.
type buffer struct {
	here  bool
	first int64    // the first element that is there; 0 in a run
	off   int64    // where that lies, in bytes from the arena's beginning
	n     int64    // elements from there on
	span  mem.Span // what to free; empty for memory that belongs to others
	// foreign is the memory itself where it is not the arena's; see foreign.go.
	foreign []byte
	fresh   bool // foreign is from mem.Fresh or mem.Again
	used    bool // foreign had been somebody's before, so that its pages are there
	given   bool // foreign becomes the caller's
	// blocks, if not 0, is the number of rows, each of which combines a block of
	// those that the schedule knows; see schedule.Partial.
	blocks int64
	// appended says that only the first elements are stored, of what becomes the caller's.
	appended bool
	stored   int64
	// spool, if set, has the contents; off is none then.
	spool Spooled
}

// begin makes the workers, and a context that lives until close.
func (m *memory) begin(ctx context.Context) {
	m.ctx, m.cancel = context.WithCancelCause(ctx)
	m.pool = m.opt.workers()
}

// close gives everything back. Mappings go before the leases on their files:
// whoever waits to change a file proceeds with the latter.
func (m *memory) close() {
	m.cancel(nil)
	m.pool.Close()
	for i := range m.buffers {
		m.drop(i)
	}
	for _, pages := range m.maps {
		_ = unix.Munmap(pages)
	}
	for _, l := range m.leases {
		l.Close()
	}
	for _, l := range m.lays {
		l.Release()
	}
}

// cause prefers the reason why the context ended to what followed of it and does not have it.
func (m *memory) cause(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if c := context.Cause(m.ctx); c != nil && !errors.Is(err, c) {
			return c
		}
	}
	return err
}

// name is what a message calls a buffer.
func (m *memory) name(b int) string {
	if in := m.inputs[b]; in != nil {
		return in.name
	}
	return m.about[b].name
}

// base is where element 0 of a buffer would lie.
func (m *memory) base(b int) int64 {
	buf := &m.buffers[b]
	return buf.off - buf.first*int64(m.about[b].kind.Size())
}

// bytes is the contents of a buffer.
func (m *memory) bytes(b int) []byte {
	buf := &m.buffers[b]
	n := buf.n * int64(m.about[b].kind.Size())
	if buf.foreign != nil {
		return buf.foreign[:n:n]
	}
	return m.eng.Arena().Bytes(buf.off, n)
}

// drop frees a buffer's contents.
func (m *memory) drop(b int) {
	buf := &m.buffers[b]
	if buf.span.Len > 0 {
		m.eng.Arena().Free(buf.span)
		m.resident -= buf.span.Len
	}
	if buf.fresh {
		_ = mem.Keep(buf.foreign) // it was mapped as it is
	}
	*buf = buffer{}
}
