package data

// In: a file whose schema stands at its begin without the length before it, as some versions of polars write it. Out: the message, as if its length were
// what there is up to the first message that the footer lists. Invariant: what is read agrees with the footer's schema, as in any file.

// bareSchema is the first message of such a file; false where it is none.
func (s *arrowFile) bareSchema(off int64) (arrowMessage, bool) {
	footer, err := s.footer()
	if err != nil {
		return arrowMessage{}, false
	}
	next := s.size - 10 - int64(len(footer))
	t := rootTable(footer)
	for _, l := range append(footerBlocks(&t, 8), footerBlocks(&t, 10)...) {
		next = min(next, l.offset)
	}
	if next-off < 16 || next-off > maxArrowMetadata {
		return arrowMessage{}, false
	}
	b := make([]byte, next-off)
	if s.readAt(b, off) != nil || verifyFlat(b, flatMessage) != nil {
		return arrowMessage{}, false
	}
	m := parseMessage(b, next)
	m.at, m.next = off, next
	return m, m.kind == messageSchema && m.length == 0 && m.check(s.input.path) == nil
}
