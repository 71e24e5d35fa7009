package data

import (
	"encoding/binary"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// A flatbuffer is a graph of tables, and each says by offsets where its parts
// lie. The accessors of package flatbuffers follow them without a look, so a
// wrong one reads other bytes, or a part as missing. verifyFlat walks over a
// flatbuffer first; what is there then lies inside of it, and parts of a
// table lie beside each other, as all builders lay them.

const (
	maxFlatTables = 1 << 21 // parts may be shared, so a small flatbuffer can stand for an endless tree
	maxFlatDepth  = 160
)

type flatVerifier struct {
	b    []byte
	left int // tables
}

// verifyFlat expects a flatbuffer whose outermost table is of a shape.
func verifyFlat(b []byte, root flatID) error {
	v := &flatVerifier{b, maxFlatTables}
	pos, err := v.follow(0, "the flatbuffer")
	if err != nil {
		return err
	}
	return v.table(pos, root, 0)
}

// inside expects size bytes at pos, at a multiple of align.
func (v *flatVerifier) inside(pos, size, align int, what string) error {
	if pos < 0 || size < 0 || pos > len(v.b) || size > len(v.b)-pos {
		return fmt.Errorf("expected %s inside of %d bytes of metadata, found it at byte %d with %d bytes", what, len(v.b), pos, size)
	}
	if pos%align != 0 {
		return fmt.Errorf("expected %s at a multiple of %d bytes, found it at byte %d", what, align, pos)
	}
	return nil
}

// follow reads the offset at pos.
func (v *flatVerifier) follow(pos int, what string) (int, error) {
	if err := v.inside(pos, 4, 4, what); err != nil {
		return 0, err
	}
	to := pos + int(binary.LittleEndian.Uint32(v.b[pos:]))
	return to, v.inside(to, 4, 4, what)
}

// table expects a table at pos, and all that it refers to.
func (v *flatVerifier) table(pos int, id flatID, depth int) error {
	s := &flatShapes[id]
	if v.left--; v.left < 0 || depth > maxFlatDepth {
		return fmt.Errorf("the metadata has more than %d tables, or %d inside of each other", maxFlatTables, maxFlatDepth)
	}
	slots, inline, err := v.vtable(pos, s.name)
	if err != nil {
		return err
	}
	var taken [8][2]int
	for i := range s.parts {
		p := &s.parts[i]
		if i >= len(slots)/2 {
			break
		}
		off := int(binary.LittleEndian.Uint16(slots[2*i:]))
		if off == 0 {
			continue
		}
		end := off + p.width()
		if off < 4 || end > inline {
			return fmt.Errorf("expected the %s of the %s in its %d bytes, found it at byte %d", p.name, s.name, inline, off)
		}
		for _, t := range taken[:i] {
			if off < t[1] && t[0] < end {
				return fmt.Errorf("expected the %s of the %s in bytes of its own, found it at byte %d, where another part is", p.name, s.name, off)
			}
		}
		taken[i] = [2]int{off, end}
		if err := v.part(pos, off, s, i, slots, depth); err != nil {
			return err
		}
	}
	return nil
}

// vtable is what a table has of its parts' offsets, and the table's size.
func (v *flatVerifier) vtable(pos int, name string) (slots []byte, inline int, err error) {
	if err := v.inside(pos, 4, 4, "the "+name); err != nil {
		return nil, 0, err
	}
	at := pos - int(int32(binary.LittleEndian.Uint32(v.b[pos:])))
	if err := v.inside(at, 4, 2, "the offsets of the "+name); err != nil {
		return nil, 0, err
	}
	n := int(binary.LittleEndian.Uint16(v.b[at:]))
	inline = int(binary.LittleEndian.Uint16(v.b[at+2:]))
	if n < 4 || n%2 != 0 || inline < 4 {
		return nil, 0, fmt.Errorf("expected a %s and its offsets of 4 bytes or more, found %d and %d", name, inline, n)
	}
	if err := v.inside(at, n, 2, "the offsets of the "+name); err != nil {
		return nil, 0, err
	}
	return v.b[at+4 : at+n], inline, v.inside(pos, inline, 4, "the "+name)
}

// part expects the i-th part of a table, off bytes behind its beginning.
func (v *flatVerifier) part(pos, off int, s *flatShape, i int, slots []byte, depth int) error {
	p, at := &s.parts[i], pos+off
	what := "the " + p.name + " of the " + s.name
	switch p.form {
	case flatScalar:
		return v.inside(at, p.size, p.size, what)
	case flatTable:
		to, err := v.follow(at, what)
		if err != nil {
			return err
		}
		return v.table(to, p.of, depth+1)
	case flatUnion:
		to, err := v.follow(at, what)
		if err != nil {
			return err
		}
		kind := 0 // the part before says which
		if o := int(binary.LittleEndian.Uint16(slots[2*(i-1):])); o != 0 {
			kind = int(v.b[pos+o])
		}
		return v.table(to, p.member(kind), depth+1)
	}
	return v.vector(at, p, what, depth)
}

// vector expects a text, or a vector of structs or tables.
func (v *flatVerifier) vector(at int, p *flatPart, what string, depth int) error {
	to, err := v.follow(at, what)
	if err != nil {
		return err
	}
	n := int(binary.LittleEndian.Uint32(v.b[to:]))
	if n > len(v.b) {
		return fmt.Errorf("expected %s inside of %d bytes of metadata, found %d elements", what, len(v.b), n)
	}
	size, end := n*p.size, 0
	if p.form == flatText {
		end = 1 // a zero
	}
	if err := v.inside(to+4, size+end, 1, what); err != nil {
		return err
	}
	if p.form == flatText && v.b[to+4+n] != 0 {
		return fmt.Errorf("expected a zero behind %s at byte %d, found %#x", what, to+4+n, v.b[to+4+n])
	}
	for i := 0; p.form == flatTables && i < n; i++ {
		child, err := v.follow(to+4+4*i, what)
		if err != nil {
			return err
		}
		if err := v.table(child, p.of, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// appendFlat appends what a verified table holds, whatever its layout: two
// tables that say the same give the same bytes. Parts that are aside are not
// in them.
func appendFlat(out []byte, t *flatbuffers.Table, id flatID) []byte {
	for i := range flatShapes[id].parts {
		p, slot := &flatShapes[id].parts[i], flatbuffers.VOffsetT(4+2*i)
		switch p.form {
		case flatScalar:
			out = appendFlatScalar(out, t, p, slot)
		case flatText:
			var text []byte
			if o := flatbuffers.UOffsetT(t.Offset(slot)); o != 0 {
				text = t.ByteVector(t.Pos + o)
			}
			out = append(binary.AppendUvarint(out, uint64(len(text))), text...)
		case flatStructs:
			if p.aside {
				continue
			}
			all := structs(t, slot, p.size)
			out = binary.AppendUvarint(out, uint64(len(all)))
			for _, s := range all {
				out = append(out, s...)
			}
		case flatTables:
			if p.aside {
				continue
			}
			all := tables(t, slot)
			out = binary.AppendUvarint(out, uint64(len(all)))
			for i := range all {
				out = appendFlat(out, &all[i], p.of)
			}
		case flatTable, flatUnion:
			child, ok := childTable(t, slot)
			if !ok {
				out = append(out, 0)
				continue
			}
			of := p.of
			if p.form == flatUnion {
				of = p.member(int(t.GetByteSlot(slot-2, 0)))
			}
			out = appendFlat(append(out, 1), &child, of)
		}
	}
	return out
}

func appendFlatScalar(out []byte, t *flatbuffers.Table, p *flatPart, slot flatbuffers.VOffsetT) []byte {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return binary.LittleEndian.AppendUint64(out, p.missing)
	}
	var b [8]byte
	copy(b[:], t.Bytes[t.Pos+o:][:p.size])
	return append(out, b[:]...)
}
