package data

import (
	"context"
	"encoding/binary"
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
	if err := s.readSchema(start); err != nil {
		return nil, err
	}
	var err error
	if isFile {
		err = s.readFooter()
	} else {
		err = s.readStream()
	}
	return s, err
}

// readSchema has arrow-go read the first message.
func (s *arrowFile) readSchema(off int64) error {
	m, err := s.message(off)
	if err == errEndOfStream || err == nil && m.kind != messageSchema {
		return fail(s.input.path, "this is not an Arrow IPC file: it does not begin with a schema")
	}
	if err != nil {
		return err
	}
	sc, err := decodeSchema(m.meta)
	if err != nil {
		return damaged(s.input.path, err)
	}
	if !sc.IsNativeEndian() {
		return fail(s.input.path, "the file is big-endian, which is not supported for Arrow")
	}
	s.cols, s.leaves = arrowLeaves(sc)
	for i := range s.leaves {
		if s.leaves[i].index != num.Invalid {
			s.leaves[i].dictionary = dictionaryID(&m.schema, i)
		}
	}
	return nil
}

// readFooter lists the batches of a file.
func (s *arrowFile) readFooter() error {
	var tail [10]byte
	if err := s.readAt(tail[:], s.size-10); err != nil {
		return err
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail[:])))
	if string(tail[4:]) != "ARROW1" {
		e := fail(s.input.path, "the Arrow file is cut short: its last 6 bytes are not \"ARROW1\"")
		e.Help = "write or copy the file again"
		return e
	}
	if n <= 8 || n > s.size-18 || n > maxArrowMetadata {
		return fail(s.input.path, "the Arrow footer says that it has %d bytes", n)
	}
	b := make([]byte, n)
	if err := s.readAt(b, s.size-10-n); err != nil {
		return err
	}
	t := rootTable(b)
	for _, off := range footerBlocks(&t, 8) {
		if err := s.addMessage(off); err != nil {
			return err
		}
	}
	for _, off := range footerBlocks(&t, 10) {
		if err := s.addMessage(off); err != nil {
			return err
		}
	}
	return nil
}

func (s *arrowFile) addMessage(off int64) error {
	if off < 8 || off >= s.size {
		return fail(s.input.path, "the Arrow footer lists a batch at byte %d of %d", off, s.size)
	}
	m, err := s.message(off)
	if err == errEndOfStream {
		err = fail(s.input.path, "the Arrow footer lists a batch at byte %d, where there is none", off)
	}
	if err != nil {
		return err
	}
	return s.add(m)
}

// readStream walks over the messages of a stream. A stream may end without a
// mark, but not inside a message.
func (s *arrowFile) readStream() error {
	off := int64(0)
	for {
		m, err := s.message(off)
		if err == errEndOfStream {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.add(m); err != nil {
			return err
		}
		off = m.next
	}
}

func (s *arrowFile) add(m arrowMessage) error {
	switch m.kind {
	case messageBatch:
		if s.rows+m.batch.rows < s.rows {
			return fail(s.input.path, "its batches say that they have more than %d rows", int64(1)<<62)
		}
		if err := s.checkColumns(&m.batch); err != nil {
			return err
		}
		s.addBatch(m.batch)
	case messageDictionary:
		s.dictionaries = append(s.dictionaries, m)
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
