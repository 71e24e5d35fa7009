package data

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowSpan is where something lies in the file.
type arrowSpan struct{ from, to int64 }

// arrowListed is what the footer says of a message.
type arrowListed struct {
	offset, body int64
	meta         int32 // bytes of the metadata, with what stands before it
}

// maxPadding bounds the bytes that writers put behind a part of a file.
const maxPadding = 64

// readFooter lists the batches of a file, of which the first message is known.
// The footer repeats much of what messages say, and must agree with them.
func (s *arrowFile) readFooter(first *arrowMessage) error {
	b, err := s.footer()
	if err != nil {
		return err
	}
	t := rootTable(b)
	if err := s.checkFooter(&t, first); err != nil {
		return err
	}
	end := s.size - 10 - int64(len(b))
	spans := []arrowSpan{{first.at, first.next}}
	for _, list := range []struct {
		slot flatbuffers.VOffsetT
		kind byte
		name string
	}{{8, messageDictionary, "dictionary"}, {10, messageBatch, "batch"}} {
		for _, l := range footerBlocks(&t, list.slot) {
			m, err := s.listed(l, list.kind, list.name, end)
			if err != nil {
				return err
			}
			if err := s.add(m); err != nil {
				return err
			}
			spans = append(spans, arrowSpan{m.at, m.body + l.body})
		}
	}
	return s.checkSpans(spans, end)
}

// footer reads the footer's flatbuffer.
func (s *arrowFile) footer() ([]byte, error) {
	var tail [10]byte
	if err := s.readAt(tail[:], s.size-10); err != nil {
		return nil, err
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail[:])))
	if string(tail[4:]) != "ARROW1" {
		e := fail(s.input.path, "the Arrow file is cut short: its last 6 bytes are not \"ARROW1\"")
		e.Help = "write or copy the file again"
		return nil, e
	}
	if n <= 8 || n > s.size-18 || n > maxArrowMetadata {
		return nil, fail(s.input.path, "the Arrow footer says that it has %d bytes", n)
	}
	b := make([]byte, n)
	if err := s.readAt(b, s.size-10-n); err != nil {
		return nil, err
	}
	if err := verifyFlat(b, flatFooter); err != nil {
		return nil, damagedArrow(s.input.path, "the Arrow footer at byte %d is damaged: %v", s.size-10-n, err)
	}
	return b, nil
}

// checkFooter compares the footer's schema with that of the first message.
func (s *arrowFile) checkFooter(t *flatbuffers.Table, first *arrowMessage) error {
	if v := t.GetInt16Slot(4, 0); v != arrowV4 && v != arrowV5 {
		return damagedArrow(s.input.path, "expected the format's version V4 or V5 in the Arrow footer, found V%d", int(v)+1)
	}
	schema, ok := childTable(t, 6)
	if !ok {
		return damagedArrow(s.input.path, "expected a schema in the Arrow footer, found none")
	}
	if !bytes.Equal(appendFlat(nil, &schema, flatSchema), appendFlat(nil, &first.schema, flatSchema)) {
		return damagedArrow(s.input.path, "expected the schema that the file begins with in the Arrow footer, found another one")
	}
	return nil
}

// footerBlocks are the messages that a file's footer lists.
func footerBlocks(t *flatbuffers.Table, slot flatbuffers.VOffsetT) []arrowListed {
	var all []arrowListed
	for _, s := range structs(t, slot, 24) {
		u := binary.LittleEndian
		all = append(all, arrowListed{offset: int64(u.Uint64(s)), meta: int32(u.Uint32(s[8:])), body: int64(u.Uint64(s[16:]))})
	}
	return all
}

// listed reads a message that the footer lists, which lies before end.
func (s *arrowFile) listed(l arrowListed, kind byte, name string, end int64) (arrowMessage, error) {
	if l.offset < 8 || l.offset >= end {
		return arrowMessage{}, damagedArrow(s.input.path, "the Arrow footer lists a %s at byte %d of %d", name, l.offset, end)
	}
	m, err := s.message(l.offset)
	if err == errEndOfStream {
		err = damagedArrow(s.input.path, "the Arrow footer lists a %s at byte %d, where there is none", name, l.offset)
	}
	switch {
	case err != nil:
		return m, err
	case m.kind != kind:
		err = fmt.Errorf("a message of kind %d, found one of kind %d", kind, m.kind)
	case int64(l.meta) != m.body-m.at:
		err = fmt.Errorf("%d bytes of metadata, found %d", l.meta, m.body-m.at)
	case l.body < m.length || l.body-m.length >= maxPadding:
		err = fmt.Errorf("a body of %d bytes, found one of %d", l.body, m.length)
	case l.body > end-m.body:
		err = fmt.Errorf("a body before byte %d, found one up to byte %d", end, m.body+l.body)
	default:
		return m, nil
	}
	return m, damagedArrow(s.input.path, "expected as the Arrow footer says for the %s at byte %d %v", name, l.offset, err)
}

// checkSpans expects messages that lie one behind the other, up to the footer
// at end, and no batch between them that the footer leaves out.
func (s *arrowFile) checkSpans(spans []arrowSpan, end int64) error {
	slices.SortFunc(spans, func(a, b arrowSpan) int { return cmp.Compare(a.from, b.from) })
	for i, p := range spans {
		next := end
		if i+1 < len(spans) {
			next = spans[i+1].from
		}
		if p.to > next {
			return damagedArrow(s.input.path, "expected the message at byte %d to end before byte %d, where the Arrow footer has the next, found its end at byte %d", p.from, next, p.to)
		}
		if at, found := s.hidden(p.to, next); found {
			return damagedArrow(s.input.path, "expected all batches to be listed in the Arrow footer, found one at byte %d that is not", at)
		}
	}
	return s.checkMark(spans[len(spans)-1].to, end)
}

// checkMark expects the mark that ends a stream, or zeros, between the last
// message and the footer. Bytes that are lost from a body, or too many, move it.
func (s *arrowFile) checkMark(from, to int64) error {
	from = (from + 7) &^ 7
	b := make([]byte, min(maxPadding, max(0, to-from)))
	if err := s.readAt(b, from); err != nil {
		return err
	}
	if len(b) == 0 && from >= 8 { // the mark, before its place, stands in the body
		b, from = make([]byte, 8), from-8
		if err := s.readAt(b, from); err != nil || !bytes.Equal(b, []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}) {
			return err
		}
		return damagedArrow(s.input.path, "expected the mark of the end at byte %d, behind the last batch, found it at byte %d", from+8, from)
	}
	zeros := bytes.TrimPrefix(b, []byte{0xff, 0xff, 0xff, 0xff})
	if bytes.Count(zeros, []byte{0}) != len(zeros) {
		return damagedArrow(s.input.path, "expected the mark of the end (ff ff ff ff 00 00 00 00) at byte %d, between the last batch and the Arrow footer at byte %d, found % x", from, to, b)
	}
	return nil
}

// hidden looks for a batch in bytes of which nothing is known.
func (s *arrowFile) hidden(from, to int64) (at int64, found bool) {
	at = (from + 7) &^ 7
	if to-at < 16 {
		return 0, false
	}
	m, err := s.message(at)
	return at, err == nil && m.kind != messageSchema
}
