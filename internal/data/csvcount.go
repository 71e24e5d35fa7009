package data

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// csvLongestRow bounds a row, in bytes. A longer one is a quote without end.
const csvLongestRow = 64 << 20

// csvCounter finds the rows of a file that it is fed in pieces, and cuts them
// into blocks. A line end is the end of a row if the number of quotes before
// it is even.
type csvCounter struct {
	in     *input
	off    int64 // of the piece
	line   int
	row    int64
	start  int64 // of the current row
	quoted bool
	opened int  // line of the quote that is open
	quote  byte // 0 for none
	single bool // rows have one field: an empty line may be one that is missing
	gap    int  // the first empty line; 0 for none
	gapped bool // and a row follows it
	last   byte // before the piece
	blocks []csvBlock
	rows   int64 // in the current block
	block  csvBlock
}

// count reads the whole file once.
func (s *csvFile) count(start int64, line int) error {
	c := &csvCounter{in: s.input, off: start, line: line, start: start, last: '\n', quote: s.dialect.quote, single: len(s.cols) == 1}
	c.block = csvBlock{offset: start, line: line}
	err := s.countRows(c)
	if errors.Is(err, errQuoteOpen) {
		return s.firstMisquoted(c, err)
	} else if err != nil {
		return err
	}
	s.blocks, s.table.rows = c.blocks, c.row
	for i, b := range c.blocks {
		hi := c.row
		if i+1 < len(c.blocks) {
			hi = c.blocks[i+1].row
		}
		s.chunks = append(s.chunks, Chunk{b.row, hi})
	}
	return nil
}

func (s *csvFile) countRows(c *csvCounter) error {
	buf := make([]byte, min(csvBlockSize, max(0, s.size-c.off)))
	for c.off < s.size {
		b := buf[:min(int64(len(buf)), s.size-c.off)]
		if err := s.readAt(b, c.off); err != nil {
			return err
		}
		if err := c.feed(b); err != nil {
			return err
		}
	}
	return c.finish()
}

func (c *csvCounter) feed(b []byte) error {
	quotes := c.quoted || c.quote != 0 && bytes.IndexByte(b, c.quote) >= 0
	for pos := 0; pos < len(b); {
		if quotes {
			pos = c.quotedPart(b, pos)
			if pos == len(b) {
				break
			}
		}
		n := bytes.IndexByte(b[pos:], '\n')
		if n < 0 {
			break
		}
		pos += n + 1
		c.endRow(b, pos)
	}
	if len(b) > 0 {
		c.last = b[len(b)-1]
	}
	c.off += int64(len(b))
	if c.off-c.start > csvLongestRow {
		return c.tooLong()
	}
	return c.gapError()
}

// quotedPart advances over quoted text to where the next line end is the end
// of a row, or to the end of b.
func (c *csvCounter) quotedPart(b []byte, pos int) int {
	for pos < len(b) {
		if !c.quoted {
			end := bytes.IndexByte(b[pos:], '\n')
			if end < 0 {
				end = len(b) - pos
			}
			q := bytes.IndexByte(b[pos:pos+end], c.quote)
			if q < 0 {
				return pos
			}
			c.quoted, c.opened = true, c.line
			pos += q + 1
			continue
		}
		q := bytes.IndexByte(b[pos:], c.quote)
		if q < 0 {
			q = len(b) - pos
		} else {
			c.quoted = false
		}
		c.line += bytes.Count(b[pos:pos+q], []byte("\n"))
		pos += q
		if pos < len(b) {
			pos++
		}
	}
	return len(b)
}

// endRow is called for a line end just before pos of b.
func (c *csvCounter) endRow(b []byte, pos int) {
	end := c.off + int64(pos)
	before := c.last
	if pos >= 2 {
		before = b[pos-2]
	}
	n := end - 1 - c.start
	c.endLine(n > 1 || n == 1 && before != '\r')
	c.line++
	c.start = end
	if end-c.block.offset >= csvBlockSize {
		c.cut(end)
	}
}

// endLine counts a line that is a row, or is empty.
func (c *csvCounter) endLine(row bool) {
	switch {
	case row:
		c.rows++
		c.row++
		c.gapped = c.gap > 0
	case c.gap == 0:
		c.gap = c.line
	}
}

// gapError refuses an empty line between rows of one field: it may stand for nothing, or for
// a missing value.
func (c *csvCounter) gapError() error {
	const most = 20 // lines before a table
	if !c.single || !c.gapped {
		return nil
	}
	e := &Error{Path: c.in.path, Row: -1, Line: c.gap, Msg: "expected a value, found an empty line in a file of one column"}
	e.Help = "write \"\" for a missing value, or remove the line"
	if !c.in.copied && c.in.path != Stdin { // a line of the file is a line of what was opened, and other empty lines may be parts of fields
		e.Help += fmt.Sprintf(": sed -i %dd %s", c.gap, shellWord(c.in.path))
	}
	if c.gap <= most {
		e.Help += "; if the table only begins below it: " + c.in.opt.with("skip", strconv.Itoa(c.gap))
	}
	return e
}

// cut ends the block at a row's end.
func (c *csvCounter) cut(end int64) {
	if c.rows > 0 {
		c.block.length = end - c.block.offset
		c.blocks = append(c.blocks, c.block)
	}
	c.rows = 0
	c.block = csvBlock{offset: end, line: c.line, row: c.row}
}

func (c *csvCounter) finish() error {
	if c.quoted {
		return c.tooLong()
	}
	if n := c.off - c.start; n > 0 {
		c.endLine(n > 1 || c.last != '\r')
	}
	c.cut(c.off)
	return c.gapError()
}

func (c *csvCounter) tooLong() error {
	e := &Error{Path: c.in.path, Row: c.row, Line: c.line, Msg: fmt.Sprintf("a row has more than %d bytes", csvLongestRow)}
	if c.quoted {
		e.Line, e.Msg, e.Help, e.Err = c.opened, quoteOpen, quotesHelp, errQuoteOpen
	}
	return e
}
