package data

import "bytes"

// In: a byte of JSON as lines. Out: where it stands in the file that was given. What is made of a list (see objects) has each sign where the file has
// it, but that carriage returns stand for the ends of the file's lines, and that each row has an end of its own behind it.

// where is the line and the column, 1-based, of what stands at off in the line that begins at at of a block's text.
func (s *linesFile) where(b csvBlock, text []byte, at, off int) (line, col int) {
	if !s.input.listed {
		return b.line + bytes.Count(text[:at], []byte("\n")), off + 1
	}
	before := text[:at+off]
	last := bytes.LastIndexByte(before, '\r')
	if col = len(before) - last - bytes.Count(before[last+1:], []byte("\n")); last < 0 {
		col += b.before
	}
	return b.line + bytes.Count(before, []byte("\r")), col
}
