package data

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
)

// checkBuffers expects the buffers of a message inside of its body, at words
// of 8 bytes, and beside each other. Buffers may be shared whole.
func checkBuffers(path string, m *arrowMessage) error {
	sorted := true
	last := int64(0)
	for _, b := range m.batch.buffers {
		if b.offset < 0 || b.length < 0 || b.offset > m.length || b.length > m.length-b.offset {
			return damagedArrow(path, "a buffer of the message before byte %d lies outside of it", m.next)
		}
		if b.length == 0 {
			continue
		}
		if b.offset%8 != 0 {
			return damagedArrow(path, "expected a buffer of the message at byte %d at a multiple of 8 bytes, found it at byte %d of the body", m.at, b.offset)
		}
		sorted = sorted && b.offset >= last
		last = b.offset + b.length
	}
	if m.batch.rows < 0 {
		return damagedArrow(path, "a batch says that it has %d rows", m.batch.rows)
	}
	if !sorted && overlapping(m.batch.buffers) {
		return damagedArrow(path, "expected the buffers of the message at byte %d beside each other, found one inside of another", m.at)
	}
	return nil
}

// overlapping reports whether buffers have bytes in common, but are not the
// same one. A buffer that is shared leaves no hole: where there is one, an
// offset is wrong.
func overlapping(buffers []arrowBuffer) bool {
	all := slices.Clone(buffers)
	slices.SortFunc(all, func(a, b arrowBuffer) int { return cmp.Compare(a.offset, b.offset) })
	var last arrowBuffer
	shared, hole := false, false
	for _, b := range all {
		end := last.offset + last.length
		switch {
		case b.length == 0:
			continue
		case b == last:
			shared = true
		case b.offset < end:
			return true
		case b.offset-end >= maxPadding:
			hole = true
		}
		last = b
	}
	return shared && hole
}

// end is where the last buffer of a batch ends in the body.
func (b *arrowBatch) end() int64 {
	end := int64(0)
	for _, at := range b.buffers {
		end = max(end, at.offset+at.length)
	}
	return end
}

// arrowExpected is what a schema says that each batch has.
type arrowExpected struct {
	top            []int // the nodes of the columns
	nodes, buffers int
	views          int
	ids            map[int64]bool // of dictionaries
}

// expectedOf counts from the schema's own fields.
func expectedOf(m *arrowMessage, sc *arrow.Schema) arrowExpected {
	e := arrowExpected{ids: map[int64]bool{}}
	for _, f := range tables(&m.schema, 6) {
		e.top = append(e.top, e.nodes)
		e.field(&f, true)
	}
	l := arrowLayout{v4: m.version == arrowV4}
	for _, f := range sc.Fields() {
		l.add(f.Type)
	}
	e.buffers, e.views = l.buffers, l.variadics
	return e
}

// field walks over a field. Below a dictionary there is nothing in batches.
func (e *arrowExpected) field(f *flatbuffers.Table, counted bool) {
	if counted {
		e.nodes++
	}
	if d, ok := childTable(f, 12); ok {
		e.ids[d.GetInt64Slot(4, 0)] = true
		counted = false
	}
	for _, c := range tables(f, 14) {
		e.field(&c, counted)
	}
}

// check compares a batch with its schema.
func (e *arrowExpected) check(m *arrowMessage) error {
	b := &m.batch
	if len(b.nodes) != e.nodes {
		return fmt.Errorf("expected %d arrays, found %d", e.nodes, len(b.nodes))
	}
	for i, n := range e.top {
		if at := b.nodes[n]; at.rows != b.rows || at.nulls > at.rows {
			return fmt.Errorf("expected %d rows in column %d, found %d with %d nulls", b.rows, i, at.rows, at.nulls)
		}
	}
	need := int64(e.buffers)
	for i, n := range b.variadic {
		if i >= e.views || n < 0 || n > int64(len(b.buffers)) {
			return fmt.Errorf("expected buffers of %d columns of views, found %d of the %d-th", e.views, n, i+1)
		}
		need += n
	}
	if have := int64(len(b.buffers)); have != need {
		return fmt.Errorf("expected %d buffers, found %d", need, have)
	}
	return nil
}
