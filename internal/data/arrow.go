package data

import (
	"context"
	"sync"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// arrowFile is an Arrow IPC file or stream. Batches that are not compressed
// are cut into chunks of npyBlock elements; a compressed one is a chunk.
type arrowFile struct {
	table
	noStatistics
	*input
	leaves       []arrowLeaf
	layout       arrowExpected
	batches      []arrowBatch
	of           []arrowPart // by chunk
	dictionaries []arrowMessage
	mu           sync.Mutex
	loaded       map[int64]columnRun // dictionaries by id
}

// arrowPart is the batch of a chunk and the chunk's first row in it.
type arrowPart struct {
	batch int
	first int64
}

var _ Source = (*arrowFile)(nil)

func (s *arrowFile) Path() string { return s.input.path }

func openArrow(in *input) (Source, error) {
	var magic [8]byte
	n := min(in.size, 8)
	if err := in.readAt(magic[:n], 0); err != nil {
		return nil, err
	}
	if n < 8 && string(magic[:n]) != "ARROW1\x00\x00"[:n] {
		return nil, fail(in.path, "this is not an Arrow file: it begins with %q", magic[:n])
	}
	if n < 8 {
		return nil, cutShort(in.path, 8, in.size)
	}
	if string(magic[:4]) == "FEA1" {
		e := fail(in.path, "this is a Feather version 1 file, which is not supported")
		e.Help = "write version 2, which is an Arrow IPC file"
		return nil, e
	}
	s := &arrowFile{noStatistics: noStatistics{in.path}, input: in}
	s.table = table{name: in.path, format: "arrow"}
	isFile := string(magic[:6]) == "ARROW1"
	start := int64(0)
	if isFile {
		start = 8
	}
	m, err := s.readSchema(start)
	if err != nil {
		return nil, err
	}
	if isFile {
		err = s.readFooter(&m)
	} else {
		err = s.readStream(m.next)
	}
	return s, err
}

// readSchema has arrow-go read the first message.
func (s *arrowFile) readSchema(off int64) (arrowMessage, error) {
	m, err := s.message(off)
	if err == errEndOfStream || err == nil && m.kind != messageSchema {
		return m, noSchema(s.input.path)
	}
	if _, prefix, lost := s.messageLength(off); err != nil && lost == nil && off > 0 && prefix != arrowPrefix {
		bare, ok := s.bareSchema(off)
		if !ok {
			return m, noSchema(s.input.path)
		}
		m, err = bare, nil
	}
	if err != nil {
		return m, err
	}
	sc, err := decodeSchema(m.meta)
	if err != nil {
		return m, damaged(s.input.path, err)
	}
	if !sc.IsNativeEndian() {
		return m, fail(s.input.path, "the file is big-endian, which is not supported for Arrow")
	}
	s.cols, s.leaves = arrowLeaves(sc, m.version)
	s.layout = expectedOf(&m, sc)
	for i := range s.leaves {
		if s.leaves[i].index != num.Invalid {
			s.leaves[i].dictionary = dictionaryID(&m.schema, i)
		}
	}
	return m, nil
}

// noSchema is an error about a file whose first message is none.
func noSchema(path string) *Error {
	e := fail(path, "this is not an Arrow IPC file: it does not begin with a schema")
	e.Help = "write the file again; with polars, as a stream (write_ipc_stream) or as Parquet"
	return e
}

func (s *arrowFile) add(m arrowMessage) error {
	switch m.kind {
	case messageBatch:
		if s.rows+m.batch.rows < s.rows {
			return fail(s.input.path, "its batches say that they have more than %d rows", int64(1)<<62)
		}
		if err := s.layout.check(&m); err != nil {
			return damagedArrow(s.input.path, "batch %d, the message at byte %d, is damaged: %v", len(s.batches), m.at, err)
		}
		if err := s.checkColumns(&m.batch); err != nil {
			return err
		}
		s.addBatch(m.batch)
	case messageDictionary:
		if !s.layout.ids[m.dictionary] {
			return damagedArrow(s.input.path, "expected a dictionary of the schema in the message at byte %d, found one with id %d", m.at, m.dictionary)
		}
		s.dictionaries = append(s.dictionaries, m)
	default:
		return damagedArrow(s.input.path, "expected a batch in the message at byte %d, found a second schema", m.at)
	}
	return nil
}

func (s *arrowFile) addBatch(b arrowBatch) {
	width := int64(1)
	for i := range s.cols {
		width = max(width, s.cols[i].Width())
	}
	parts := []Chunk{{0, b.rows}}
	if !b.compressed {
		parts = evenChunks(b.rows, width, npyBlock)
	}
	for _, p := range parts {
		if p.Rows() == 0 {
			continue
		}
		s.chunks = append(s.chunks, Chunk{s.rows + p.Lo, s.rows + p.Hi})
		s.of = append(s.of, arrowPart{len(s.batches), p.Lo})
	}
	s.rows += b.rows
	s.batches = append(s.batches, b)
}

func (s *arrowFile) checkWant(w Want) error {
	if s.leaves[w.Column].null && w.Kind.Valid() {
		return nil // without a value it is whatever is asked for
	}
	return checkMeant(s.input.path, &s.cols[w.Column], w)
}

func (s *arrowFile) Raw(column int) (Raw, bool) {
	if column < 0 || column >= len(s.cols) || len(s.batches) != 1 || s.batches[0].compressed {
		return Raw{}, false
	}
	k, l := s.cols[column].Kind, &s.leaves[column]
	if k == num.Invalid || k == num.Bool || l.index != num.Invalid || l.lies != nil || l.null {
		return Raw{}, false
	}
	b := &s.batches[0]
	for i := range l.layers + 1 {
		if b.nodes[l.node+i].nulls != 0 {
			return Raw{}, false
		}
	}
	n, _ := sizeOf(b.rows, s.cols[column].Dims, k)
	at := b.buffers[s.valueBuffer(b, l)]
	return Raw{File: s.file, Offset: b.body + at.offset, Length: n, Check: s.check, Pages: s.pages}, true
}

func (s *arrowFile) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (read int64, err error) {
	c, err := checkFill(s, chunk, wants, dst)
	if err != nil {
		return 0, err
	}
	return s.fillRows(ctx, chunk, c, wants, dst)
}

// fillRows implements ranged.
func (s *arrowFile) fillRows(ctx context.Context, chunk int, rows Chunk, wants []Want, dst []Dest) (read int64, err error) {
	defer guard(s.input.path, &err)
	for i, w := range prepared(s.cols, wants) {
		n, err := s.fillColumn(ctx, chunk, rows, w, dst[i])
		read += n
		if err != nil {
			return read, err
		}
	}
	return read, nil
}
