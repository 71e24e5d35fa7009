package data

import (
	"encoding/binary"
	"errors"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The metadata of Arrow IPC messages is read by hand, because arrow-go loads
// all columns of a batch and does not say where buffers lie in the file. The
// numbers are vtable slots of Message.fbs and File.fbs: 4 is the first field.
// The accessors trust offsets, so each flatbuffer is verified before.

// arrowMessage is one message: where its body lies, and its batch.
type arrowMessage struct {
	kind         byte  // messageSchema, …
	version      int16 // of the format
	known        bool  // it has what its kind says
	at           int64 // its offset in the file
	body, length int64
	next         int64 // offset of the next message
	meta         []byte
	schema       flatbuffers.Table
	batch        arrowBatch
	dictionary   int64 // id, for a dictionary batch
	delta        bool
}

const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// versions of the format that are read: before V4 batches lay otherwise.
const (
	arrowV4 = 3
	arrowV5 = 4
)

// arrowBatch is a record batch, or the values of a dictionary.
type arrowBatch struct {
	rows       int64
	body       int64 // offset of its body in the file
	nodes      []arrowNode
	buffers    []arrowBuffer
	variadic   []int64
	compressed bool
	codec      int8 // 0 LZ4 frames, 1 zstd
	method     int8 // 0: each buffer is compressed by itself
}

type arrowNode struct{ rows, nulls int64 }

// arrowBuffer is a part of the body.
type arrowBuffer struct{ offset, length int64 }

var errEndOfStream = errors.New("end of stream")

// maxArrowMetadata bounds one message's metadata, in bytes.
const maxArrowMetadata = 256 << 20

// message reads the message at offset off.
func (in *input) message(off int64) (arrowMessage, error) {
	if off == in.size {
		return arrowMessage{}, errEndOfStream
	}
	head, prefix, err := in.messageLength(off)
	if err != nil {
		return arrowMessage{}, err
	}
	if head == 0 {
		return arrowMessage{}, errEndOfStream
	}
	if head < 8 || head > maxArrowMetadata {
		return arrowMessage{}, fail(in.path, "the message at byte %d says that its metadata has %d bytes", off, head)
	}
	if off+prefix+head > in.size {
		return arrowMessage{}, cutShort(in.path, off+prefix+head, in.size)
	}
	b := make([]byte, head)
	if err := in.readAt(b, off+prefix); err != nil {
		return arrowMessage{}, err
	}
	if prefix == 8 && head%8 != 0 {
		return arrowMessage{}, damagedArrow(in.path, "expected metadata that fills words of 8 bytes in the message at byte %d, found %d bytes", off, head)
	}
	if err := verifyFlat(b, flatMessage); err != nil {
		return arrowMessage{}, damagedArrow(in.path, "the message at byte %d is damaged: %v", off, err)
	}
	m := parseMessage(b, off+prefix+head)
	m.at = off
	if err := m.check(in.path); err != nil {
		return arrowMessage{}, err
	}
	if m.length > in.size-m.body {
		return arrowMessage{}, cutShort(in.path, m.body+m.length, in.size)
	}
	m.next = m.body + (m.length+7)&^7
	m.next = min(m.next, in.size)
	return m, checkBuffers(in.path, &m)
}

// damagedArrow is an error about metadata.
func damagedArrow(path, format string, args ...any) *Error {
	e := fail(path, format, args...)
	e.Help = "the file is damaged; write or copy it again"
	return e
}

// check looks at what a message says of itself.
func (m *arrowMessage) check(path string) error {
	c := &m.batch
	switch {
	case m.version != arrowV4 && m.version != arrowV5:
		return damagedArrow(path, "expected the format's version V4 or V5 in the message at byte %d, found V%d", m.at, int(m.version)+1)
	case m.length < 0:
		return damagedArrow(path, "the message at byte %d says that its body has %d bytes", m.at, m.length)
	case !m.known:
		return damagedArrow(path, "expected a schema, a dictionary or a batch in the message at byte %d, found none: its kind is %d", m.at, m.kind)
	case c.compressed && (c.codec != 0 && c.codec != 1 || c.method != 0):
		return damagedArrow(path, "expected LZ4 (0) or zstd (1) of each buffer (0) in the message at byte %d, found codec %d and method %d", m.at, c.codec, c.method)
	}
	return nil
}

// messageLength reads the length of the metadata; before Arrow 0.15 no
// continuation marker stood in front of it.
func (in *input) messageLength(off int64) (head, prefix int64, err error) {
	var b [8]byte
	n := min(8, in.size-off)
	if n < 4 {
		return 0, 0, cutShort(in.path, off+8, in.size)
	}
	if err := in.readAt(b[:n], off); err != nil {
		return 0, 0, err
	}
	if binary.LittleEndian.Uint32(b[:]) != 0xffffffff {
		return int64(int32(binary.LittleEndian.Uint32(b[:]))), 4, nil
	}
	if n < 8 {
		return 0, 0, cutShort(in.path, off+8, in.size)
	}
	return int64(int32(binary.LittleEndian.Uint32(b[4:]))), 8, nil
}

// rootTable is the outermost table of a flatbuffer.
func rootTable(b []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

func parseMessage(b []byte, body int64) arrowMessage {
	t := rootTable(b)
	m := arrowMessage{meta: b, version: t.GetInt16Slot(4, 0), kind: t.GetByteSlot(6, 0), body: body, length: t.GetInt64Slot(10, 0)}
	header, ok := childTable(&t, 8)
	if !ok {
		return m
	}
	switch m.kind {
	case messageSchema:
		m.schema, m.known = header, true
	case messageBatch:
		m.batch, m.known = parseBatch(&header, body), true
	case messageDictionary:
		m.dictionary, m.delta = header.GetInt64Slot(4, 0), header.GetBoolSlot(8, false)
		if data, ok := childTable(&header, 6); ok {
			m.batch, m.known = parseBatch(&data, body), true
		}
	}
	return m
}

func childTable(t *flatbuffers.Table, slot flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := t.Offset(slot)
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
}

func parseBatch(t *flatbuffers.Table, body int64) arrowBatch {
	b := arrowBatch{rows: t.GetInt64Slot(4, 0), body: body}
	eachPair(t, 6, func(x, y int64) { b.nodes = append(b.nodes, arrowNode{x, y}) })
	eachPair(t, 8, func(x, y int64) { b.buffers = append(b.buffers, arrowBuffer{x, y}) })
	if c, ok := childTable(t, 10); ok {
		b.compressed, b.codec, b.method = true, c.GetInt8Slot(4, 0), c.GetInt8Slot(6, 0)
	}
	for _, v := range structs(t, 12, 8) {
		b.variadic = append(b.variadic, int64(binary.LittleEndian.Uint64(v)))
	}
	return b
}

func eachPair(t *flatbuffers.Table, slot flatbuffers.VOffsetT, each func(x, y int64)) {
	for _, s := range structs(t, slot, 16) {
		each(int64(binary.LittleEndian.Uint64(s)), int64(binary.LittleEndian.Uint64(s[8:])))
	}
}

// structs are the elements, size bytes each, of a vector.
func structs(t *flatbuffers.Table, slot flatbuffers.VOffsetT, size int) [][]byte {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return nil
	}
	n, at := t.VectorLen(o), int(t.Vector(o))
	if n < 0 || at < 0 || n > (len(t.Bytes)-at)/size {
		panic("a vector is longer than its message")
	}
	out := make([][]byte, n)
	for i := range out {
		out[i] = t.Bytes[at+i*size : at+(i+1)*size]
	}
	return out
}
