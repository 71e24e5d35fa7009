package cluster

import (
	"context"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
)

// In: chunks that will be wanted soon, in order. Out: their rows, on the way before anybody waits for them: from the next node while
// this one answers. Invariant: what is asked for beforehand has credit of the client, which it gives back when it is in its
// place, or when the run that wanted it has ended.

const (
	// pieceBytes is about how much is asked for at once. A chunk comes in pieces, so that one is read at the node and another is on
	// its way while a third is put in its place; and what a piece lies in stays in a processor's cache meanwhile.
	pieceBytes = 256 << 10
	// mostPieces is how many pieces of a chunk are under way that is wanted now.
	mostPieces = 6
	// aheadBytes is about how much of a source is under way beforehand.
	aheadBytes = 4 << 20
)

// excerpt is rows of a column that are asked for.
type excerpt struct {
	column int
	rows   data.Chunk
	bytes  int64
	credit bool // it has credit of the client
	id     caller.ID
	got    *future // nil until it is asked for, and when it is in its place
}

// wanted is a chunk that somebody wants, or will.
type wanted struct {
	ctx     context.Context // of who wants it
	chunk   int
	columns []int // each once
	list    []excerpt
	asked   int // of the list
	forget  func() bool
}

// ahead is what a source has been told of and not asked for yet.
type ahead struct {
	mu    sync.Mutex
	soon  []*wanted // in this order
	bytes int64     // that are under way with credit
}

// want is a chunk in excerpts, of one wanted column after another.
func (s *source) want(ctx context.Context, chunk int, wants []data.Want) *wanted {
	w := &wanted{ctx: ctx, chunk: chunk, columns: columnsOf(wants)}
	rows := s.chunks[chunk]
	for _, column := range w.columns {
		c := &s.cols[column]
		row := max(1, c.Width()*int64(c.Kind.Size()))
		step := max(8, pieceBytes/row/8*8)
		for lo := rows.Lo; lo < rows.Hi; lo += step {
			e := excerpt{column: column, rows: data.Chunk{Lo: lo, Hi: min(lo+step, rows.Hi)}}
			if e.bytes = e.rows.Rows() * row; c.Nullable {
				e.bytes += e.rows.Rows()
			}
			w.list = append(w.list, e)
		}
	}
	return w
}

func columnsOf(wants []data.Want) (list []int) {
	for _, w := range wants {
		if !slices.Contains(list, w.Column) {
			list = append(list, w.Column)
		}
	}
	return list
}

// ask asks for the next excerpt.
func (s *source) ask(w *wanted) {
	e := &w.list[w.asked]
	w.asked++
	e.id, e.got = s.c.fetch(w.ctx, s.set, s.of[w.chunk], s.gather(e))
}

// gather is what asks for an excerpt.
func (s *source) gather(e *excerpt) *parcel.Gather {
	return &parcel.Gather{Set: s.set.ID, Column: e.column, Null: s.cols[e.column].Nullable, Lo: e.rows.Lo, Hi: e.rows.Hi}
}

// Soon implements data.Ahead.
func (s *source) Soon(ctx context.Context, chunk int, wants []data.Want) {
	if chunk < 0 || chunk >= len(s.chunks) || ctx.Err() != nil ||
		slices.ContainsFunc(wants, func(w data.Want) bool {
			return w.Column < 0 || w.Column >= len(s.cols) || !s.cols[w.Column].Kind.Valid()
		}) {
		return // Fill says why
	}
	if s.c.mayBeNear(s.set, s.of[chunk]) {
		return // it is read when it is wanted, and lies in the processor's cache then
	}
	w := s.want(ctx, chunk, wants)
	s.ahead.mu.Lock()
	s.ahead.soon = append(s.ahead.soon, w)
	w.forget = context.AfterFunc(ctx, func() {
		s.ahead.mu.Lock()
		at := slices.Index(s.ahead.soon, w)
		if at >= 0 {
			s.ahead.soon = slices.Delete(s.ahead.soon, at, at+1)
		}
		s.ahead.mu.Unlock()
		if at >= 0 {
			s.drop(w)
		}
	})
	s.ahead.mu.Unlock()
	s.pump()
}

// pump asks for more of what is wanted soon.
func (s *source) pump() {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	for _, w := range s.ahead.soon {
		for w.asked < len(w.list) {
			e := &w.list[w.asked]
			if s.ahead.bytes+e.bytes > aheadBytes || !s.c.credit.TryAcquire(e.bytes) {
				return
			}
			e.credit = true
			s.ahead.bytes += e.bytes
			s.ask(w)
		}
	}
}

// begun gives what was wanted soon, which is wanted now.
func (s *source) begun(ctx context.Context, chunk int, wants []data.Want) *wanted {
	columns := columnsOf(wants)
	until, limited := ctx.Deadline()
	s.ahead.mu.Lock()
	at := slices.IndexFunc(s.ahead.soon, func(w *wanted) bool {
		// What was asked for in less time than there is may end too early.
		before, is := w.ctx.Deadline()
		return w.chunk == chunk && before.Equal(until) && is == limited && slices.Equal(w.columns, columns)
	})
	var w *wanted
	if at >= 0 {
		w = s.ahead.soon[at]
		s.ahead.soon = slices.Delete(s.ahead.soon, at, at+1)
	}
	s.ahead.mu.Unlock()
	if w == nil {
		return s.want(ctx, chunk, wants)
	}
	w.forget()
	return w
}

// over notes that an excerpt is not under way any more.
func (s *source) over(e *excerpt) {
	e.got = nil
	if !e.credit {
		return
	}
	e.credit = false
	s.c.credit.Release(e.bytes)
	s.ahead.mu.Lock()
	s.ahead.bytes -= e.bytes
	s.ahead.mu.Unlock()
}

// drop ends what is still under way of a chunk.
func (s *source) drop(w *wanted) {
	for i := range w.list[:w.asked] {
		if e := &w.list[i]; e.got != nil {
			s.c.calls.Abandon(e.id)
			s.over(e)
		}
	}
}
