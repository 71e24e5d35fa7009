package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// maxArrowFields bounds the fields of a schema, nested ones included.
const maxArrowFields = 1 << 16

// decodeSchema has arrow-go decode the metadata of a schema message. arrow-go
// allocates what the vectors in it claim to need, which no recover survives,
// so their lengths are checked first. It may panic on damaged bytes.
func decodeSchema(meta []byte) (*arrow.Schema, error) {
	t := rootTable(meta)
	header, ok := childTable(&t, 8)
	if !ok || t.GetByteSlot(6, 0) != messageSchema {
		return nil, errors.New("a schema was expected")
	}
	if body := t.GetInt64Slot(10, 0); body != 0 { // for which arrow-go would make room
		return nil, fmt.Errorf("a schema has no body, found one of %d bytes", body)
	}
	structs(&t, 12, 4)
	structs(&header, 8, 4)
	structs(&header, 10, 8)
	left := maxArrowFields
	checkFields(&header, 6, &left, 0)
	b := binary.LittleEndian.AppendUint32(nil, 0xffffffff)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(meta)))
	r, err := ipc.NewReader(bytes.NewReader(append(b, meta...)))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

// checkFields walks over the fields in a slot of t.
func checkFields(t *flatbuffers.Table, slot flatbuffers.VOffsetT, left *int, depth int) {
	fields := tables(t, slot)
	if *left -= len(fields); *left < 0 || depth > 64 {
		panic("a schema has too many fields")
	}
	for i := range fields {
		f := &fields[i]
		structs(f, 16, 4) // metadata
		const union = 14
		if typ, ok := childTable(f, 10); ok && f.GetByteSlot(8, 0) == union {
			structs(&typ, 6, 4) // type codes
		}
		checkFields(f, 14, left, depth+1)
	}
}

// tables are the elements of a vector of tables.
func tables(t *flatbuffers.Table, slot flatbuffers.VOffsetT) []flatbuffers.Table {
	elements := structs(t, slot, 4)
	if len(elements) == 0 {
		return nil
	}
	at := t.Vector(flatbuffers.UOffsetT(t.Offset(slot)))
	out := make([]flatbuffers.Table, len(elements))
	for i, e := range elements {
		pos := at + flatbuffers.UOffsetT(4*i) + flatbuffers.GetUOffsetT(e)
		out[i] = flatbuffers.Table{Bytes: t.Bytes, Pos: pos}
	}
	return out
}

// dictionaryID is the id of the dictionary of the schema's i-th field.
func dictionaryID(schema *flatbuffers.Table, i int) int64 {
	field := tables(schema, 6)[i]
	if d, ok := childTable(&field, 12); ok {
		return d.GetInt64Slot(4, 0)
	}
	return 0
}
