package data

import (
	"strings"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// In: a column of a source. Out: how much there is to decode, as far as the source knows without reading: what decoding takes is expected by this.

// Stored says how values lie that have to be decoded.
type Stored struct {
	// Form is the format and how it is compressed: "csv", "jsonl", "arrow lz4", "parquet zstd".
	Form string
	// Bytes are the column's, or those of the whole file where its columns lie Together and are decoded together.
	Bytes, Values float64
	Together      bool
}

// inMemory is the form of values that are read already, and lie in another way than they are computed with.
const inMemory = "memory"

// StoredOf is how a column is stored; false if it lies as it is computed with, or the source does not know.
func StoredOf(src Source, column int) (Stored, bool) {
	if column < 0 || column >= len(src.Columns()) || Plainly(src, column) {
		return Stored{}, false
	}
	switch s := src.(type) {
	case *reading:
		if t := s.coded[column]; t != nil {
			return Stored{Form: inMemory, Bytes: float64(src.Rows() * int64(t.Kind.Size())), Values: float64(src.Rows())}, true
		}
		if k := s.kept.column(column); k != nil {
			return Stored{Form: inMemory, Bytes: float64(len(k.Values)), Values: float64(src.Rows())}, true
		}
		return StoredOf(s.Source, column)
	case *typedList:
		return StoredOf(s.files, column)
	case *list:
		return s.storedOf(column)
	}
	st := Stored{Form: src.Format(), Values: float64(src.Rows() * src.Columns()[column].Width())}
	switch s := src.(type) {
	case *csvFile:
		st.Bytes, st.Together = float64(s.size), true
	case *linesFile:
		st.Bytes, st.Together = float64(s.size), true
	case *parquetFile:
		codec, bytes, ok := s.chunkBytes(column)
		if !ok {
			return Stored{}, false
		}
		st.Form, st.Bytes = st.Form+codec, bytes
	case *memorySource:
		st.Form, st.Bytes = inMemory, st.Values
	case *arrowFile:
		st.Bytes = float64(s.size) / float64(len(s.cols))
	default:
		return Stored{}, false
	}
	return st, true
}

// storedOf adds up what the members say; their forms are taken to be the first one's. A file that says it only while it is open is not opened for that:
// if it is not, its rows are taken to be as those of the others.
func (s *list) storedOf(column int) (all Stored, ok bool) {
	if column >= s.keyed {
		return Stored{}, false
	}
	seen, asleep := int64(0), int64(0)
	for _, m := range s.members {
		one, is, awake := s.memberStored(m, column)
		if !awake {
			asleep += m.src.Rows()
			continue
		}
		seen += m.src.Rows()
		if !is {
			continue // what it has lies as it is computed with, or it has nothing
		}
		if !ok {
			all, ok = Stored{Form: one.Form, Together: one.Together}, true
		}
		all.Bytes, all.Values = all.Bytes+one.Bytes, all.Values+one.Values
	}
	if ok && asleep > 0 {
		more := float64(seen+asleep) / float64(max(1, seen))
		all.Bytes, all.Values = all.Bytes*more, all.Values*more
	}
	return all, ok
}

func (s *list) memberStored(m *member, column int) (st Stored, ok, awake bool) {
	if _, is := m.src.(*parquetFile); is {
		if !s.hold(m) {
			return Stored{}, false, false
		}
		defer s.done(m)
	}
	st, ok = StoredOf(m.src, m.column(column))
	return st, ok, true
}

// chunkBytes are the compressed bytes of a column in all row groups, and the codec of the first, after a space.
func (s *parquetFile) chunkBytes(column int) (codec string, bytes float64, ok bool) {
	leaf := s.leaves[column].index
	if leaf < 0 {
		return "", 0, false
	}
	for i, g := range s.groups {
		meta, err := s.reader.MetaData().RowGroup(g).ColumnChunk(leaf)
		if err != nil {
			return "", 0, false
		}
		if i == 0 && meta.Compression() != compress.Codecs.Uncompressed {
			codec = " " + strings.ToLower(meta.Compression().String())
		}
		bytes += float64(meta.TotalCompressedSize())
	}
	return codec, bytes, true
}
