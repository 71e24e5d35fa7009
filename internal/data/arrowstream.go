package data

// readStream walks over the messages of a stream, from off on. A stream may
// end without a mark, but not inside a message.
func (s *arrowFile) readStream(off int64) error {
	for {
		m, err := s.message(off)
		if err == errEndOfStream {
			return s.checkEnd(off)
		}
		if err != nil {
			return err
		}
		if err := s.add(m); err != nil {
			return err
		}
		if at, found := s.hidden(m.body+m.batch.end(), m.next); found {
			return damagedArrow(s.input.path, "expected a body of buffers behind the message at byte %d, found another message at byte %d of it", m.at, at)
		}
		off = m.next
	}
}

// checkEnd expects nothing but zeros behind the mark that ends a stream: what
// is behind it would be left out, and a length that is damaged looks like it.
func (s *arrowFile) checkEnd(off int64) error {
	if off == s.size {
		return nil
	}
	_, prefix, err := s.messageLength(off)
	if err != nil {
		return err
	}
	b := make([]byte, 1<<16)
	for at := off + prefix; at < s.size; at += int64(len(b)) {
		b = b[:min(int64(len(b)), s.size-at)]
		if err := s.readAt(b, at); err != nil {
			return err
		}
		for i, c := range b {
			if c != 0 {
				e := fail(s.input.path, "expected nothing behind the end of the Arrow stream at byte %d, found bytes from %d on", off, at+int64(i))
				e.Help = "streams that lie one behind the other must be files of their own; else the file is damaged: write or copy it again"
				return e
			}
		}
	}
	return nil
}
