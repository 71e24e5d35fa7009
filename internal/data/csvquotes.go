package data

import (
	"bytes"
	"errors"
	"fmt"
)

// In: a place where quotes are not as they should be, or a file of which the last one has no end. Out: the error, at the first such place of
// the file. Invariant: the file is looked at again only where there is an error to be told.

// quotesHelp is the way out wherever quotes are not as they should be.
const quotesHelp = "a quote inside of a field is written twice, and the field is put in quotes; if quotes are characters like others, say so behind the name of the file: ?quote=none"

const quoteOpen = "a quoted field that begins on this line has no end, or goes on behind its closing quote"

// errQuoteOpen is the cause of an error about a quote without an end. The line may be right, and a quote before it too many.
var errQuoteOpen = errors.New("a quote has no end")

// misquoted is the error for a field that begins at from, and whose quotes are wrong at pos.
func (p *csvParser) misquoted(from, pos int, row int64, col int, msg string) *Error {
	e := p.fail(pos, row, col, msg)
	if begins, _ := p.position(from); begins < e.Line {
		e.Msg += fmt.Sprintf(", which begins on line %d", begins)
	}
	e.Help = quotesHelp
	return e
}

// firstMisquoted says for a quote without an end where the first quote is that is not as it should be: one too many turns what
// is inside of quotes and what is outside around in all that follows.
func (s *csvFile) firstMisquoted(c *csvCounter, open error) error {
	last := c.block
	last.length = c.off - last.offset
	for _, block := range append(c.blocks, last) {
		b, err := s.text(block, new([]byte))
		if err != nil {
			return err
		}
		if bytes.IndexByte(b, s.dialect.quote) < 0 {
			continue
		}
		if e := newCSVParser(s, block, b, nil, nil).badQuote(); e != nil {
			return e
		}
	}
	return open
}

// badQuote looks for the first field whose quotes are wrong, however many fields rows have; nil if there is none.
func (p *csvParser) badQuote() *Error {
	for pos, row := p.skipEmpty(0), int64(0); pos < len(p.b); row++ {
		for col, more := 0, true; more; col++ {
			_, next, msg := p.src.dialect.field(p.b, pos)
			switch {
			case msg == noEnd: // it may begin before the quote that the count of quotes took for the open one: two of them are one
				e := p.fail(pos, row, -1, quoteOpen)
				e.Col, e.Help = 0, quotesHelp
				return e
			case msg != "":
				return p.misquoted(pos, next, row, col, msg)
			}
			more = p.b[next] != '\n'
			pos = next + 1
		}
		pos = p.skipEmpty(pos)
	}
	return nil
}
