package data

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// In: text in another encoding, with its name or a mark at its beginning. Out: the same in UTF-8. Lines stay lines, so
// that places in messages are right but for the bytes in a line.

// recoder tells which encoding has to be undone; nil for UTF-8.
func recoder(begin []byte, o *Options) func(path string, r *bufio.Reader) io.Reader {
	little, big := bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff"))
	switch {
	case o.Encoding == "latin1":
		return func(_ string, r *bufio.Reader) io.Reader {
			return &recoded{next: func() (rune, error) { return latin1(r) }}
		}
	case o.Encoding == "windows-1252":
		return func(path string, r *bufio.Reader) io.Reader {
			return &recoded{next: func() (rune, error) { return windows(path, r) }}
		}
	case o.Encoding == "utf-8":
		return nil
	case o.Encoding == "utf-16be" || o.Encoding != "utf-16le" && big:
		return func(path string, r *bufio.Reader) io.Reader { return &recoded{next: (&wide{path, r, true, 0}).next} }
	case o.Encoding != "" || little && !bytes.HasPrefix(begin, []byte("\xff\xfe\x00\x00")):
		return func(path string, r *bufio.Reader) io.Reader { return &recoded{next: (&wide{path, r, false, 0}).next} }
	}
	return nil
}

// recoded reads characters as UTF-8.
type recoded struct {
	next func() (rune, error)
	buf  []byte
	err  error
}

func (c *recoded) Read(p []byte) (int, error) {
	for len(c.buf) < len(p) && c.err == nil {
		var r rune
		if r, c.err = c.next(); c.err == nil {
			c.buf = utf8.AppendRune(c.buf, r)
		}
	}
	n := copy(p, c.buf)
	c.buf = c.buf[:copy(c.buf, c.buf[n:])]
	if n == 0 {
		return 0, c.err
	}
	return n, nil
}

func latin1(r *bufio.Reader) (rune, error) {
	b, err := r.ReadByte()
	return rune(b), err
}

// windows1252 are the bytes 0x80 to 0x9f; 0 for those that stand for nothing.
var windows1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}

func windows(path string, r *bufio.Reader) (rune, error) {
	b, err := r.ReadByte()
	if err != nil || b < 0x80 || b >= 0xa0 {
		return rune(b), err
	}
	if c := windows1252[b-0x80]; c != 0 {
		return c, nil
	}
	e := fail(path, "expected text in windows-1252, found the byte 0x%02x, which is no character of it", b)
	e.Help = "name the encoding that it is in, as ?encoding=latin1"
	return 0, e
}

// wide reads UTF-16.
type wide struct {
	path string
	r    *bufio.Reader
	big  bool
	at   int64
}

func (w *wide) unit() (rune, error) {
	var b [2]byte
	n, err := io.ReadFull(w.r, b[:])
	w.at += int64(n)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 0, w.damaged("half a character at the end")
	case err != nil:
		return 0, err
	case w.big:
		return rune(b[0])<<8 | rune(b[1]), nil
	}
	return rune(b[1])<<8 | rune(b[0]), nil
}

func (w *wide) next() (rune, error) {
	r, err := w.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	second, err := w.unit()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if c := utf16.DecodeRune(r, second); c != utf8.RuneError && err == nil {
		return c, nil
	}
	return 0, w.damaged("half of a pair")
}

func (w *wide) damaged(what string) error {
	e := fail(w.path, "expected text in UTF-16, found %s before byte %d", what, w.at)
	e.Help = "name the encoding that it is in, as ?encoding=utf-16be, or write it in UTF-8"
	return e
}
