package data

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// In: a line with an object of JSON. Out: its fields, one after the other, without their values being read. Objects and lists in it are
// told by that alone.

// jsonField is a field of an object.
type jsonField struct {
	key    []byte // without escapes
	at     int    // of the value, in the line
	value  []byte // a number or word; of a text what stands between the quotes
	text   bool
	nested bool // an object or a list
}

// jsonError is what is wrong at a place of a line.
type jsonError struct {
	at   int
	msg  string
	help string // "" for what the format says
}

func (e *jsonError) Error() string { return e.msg }

// scanObject calls each for the fields of the object that b is.
func scanObject(b []byte, each func(f *jsonField) error) error {
	s := &jsonScanner{b: b}
	if s.skip(); !s.take('{') {
		return s.fail("expected an object, { …")
	}
	if s.skip(); s.take('}') {
		return s.end()
	}
	for {
		f, err := s.field()
		if err != nil {
			return err
		}
		if err := each(f); err != nil {
			return err
		}
		if s.skip(); s.take('}') {
			return s.end()
		}
		if !s.take(',') {
			return s.fail("expected a comma or }")
		}
	}
}

type jsonScanner struct {
	b   []byte
	pos int
	f   jsonField
}

func (s *jsonScanner) fail(format string, args ...any) error {
	found := ", found the end of the line"
	if s.pos < len(s.b) {
		_, n := utf8.DecodeRune(s.b[s.pos:])
		found = fmt.Sprintf(", found %q", s.b[s.pos:s.pos+n])
	}
	return &jsonError{at: s.pos, msg: fmt.Sprintf(format, args...) + found}
}

func (s *jsonScanner) skip() {
	for s.pos < len(s.b) && (s.b[s.pos] == ' ' || s.b[s.pos] == '\t' || s.b[s.pos] == '\r' || s.b[s.pos] == '\n') {
		s.pos++
	}
}

func (s *jsonScanner) take(c byte) bool {
	if s.pos < len(s.b) && s.b[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *jsonScanner) end() error {
	if s.skip(); s.pos < len(s.b) {
		return s.fail("expected one object on a line")
	}
	return nil
}

func (s *jsonScanner) field() (*jsonField, error) {
	s.skip()
	at := s.pos
	key, err := s.quoted()
	if err != nil {
		return nil, err
	}
	if s.f.key, err = plainText(key); err != nil {
		return nil, misread(err, at, "expected a name, found one that cannot be read")
	}
	if s.skip(); !s.take(':') {
		return nil, s.fail("expected a colon")
	}
	s.skip()
	s.f.at, s.f.text, s.f.nested = s.pos, false, false
	switch {
	case s.pos == len(s.b):
		return nil, s.fail("expected a value")
	case s.b[s.pos] == '"':
		s.f.text = true
		s.f.value, err = s.quoted()
	case s.b[s.pos] == '{' || s.b[s.pos] == '[':
		s.f.nested = true
		err = s.nested()
		s.f.value = s.b[s.f.at:s.pos]
	default:
		err = s.word()
	}
	return &s.f, err
}

// word is a number, true, false or null: what it is, and whether it is one, the column's kind decides.
func (s *jsonScanner) word() error {
	at := s.pos
	for s.pos < len(s.b) {
		switch c := s.b[s.pos]; {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '.':
			s.pos++
			continue
		}
		break
	}
	if s.f.value = s.b[at:s.pos]; s.pos == at {
		return s.fail("expected a value")
	}
	return nil
}

// quoted gives what stands between quotes.
func (s *jsonScanner) quoted() ([]byte, error) {
	if !s.take('"') {
		return nil, s.fail("expected a name in quotes")
	}
	at := s.pos
	for ; s.pos < len(s.b); s.pos++ {
		switch s.b[s.pos] {
		case '\\':
			s.pos++
		case '"':
			s.pos++
			return s.b[at : s.pos-1], nil
		}
	}
	s.pos = len(s.b)
	return nil, s.fail("expected a quote that ends the text at byte %d", at)
}

// nested goes over an object or a list.
func (s *jsonScanner) nested() error {
	at, depth := s.pos, 0
	for s.pos < len(s.b) {
		switch s.b[s.pos] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.pos++
				return nil
			}
		case '"':
			if _, err := s.quoted(); err != nil {
				return err
			}
			continue
		}
		s.pos++
	}
	return s.fail("expected the end of what begins at byte %d", at+1)
}

// plainText undoes escapes. What is wrong is told by its place in b.
func plainText(b []byte) ([]byte, error) {
	plain := true
	for _, c := range b {
		plain = plain && c != '\\' && c >= ' '
	}
	if !utf8.Valid(b) {
		return nil, &jsonError{help: encodingHelp}
	} else if plain {
		return b, nil
	}
	var s string
	if json.Unmarshal(slices.Concat([]byte{'"'}, b, []byte{'"'}), &s) != nil {
		return nil, &jsonError{help: `write a line end as \n, a tab as \t, a backslash as \\`}
	}
	if strings.ContainsRune(s, utf8.RuneError) {
		if at := halfCharacter(b); at >= 0 {
			return nil, &jsonError{at, fmt.Sprintf("expected text, found %s in it, which is half a character: another program cut the text there", b[at:at+6]), `write the other half behind it, or \ufffd for it, or leave the column out`}
		}
	}
	return []byte(s), nil
}

// halfCharacter is where an escape in b is one half of a pair of UTF-16 without the other, which stands for nothing; -1 if none is. All
// escapes in b can be read.
func halfCharacter(b []byte) int {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		half := utf16Escape(b[i:])
		switch {
		case !utf16.IsSurrogate(half):
			i++ // the sign behind it may be a backslash
		case utf16.DecodeRune(half, utf16Escape(b[i+6:])) == utf8.RuneError:
			return i
		default:
			i += 11
		}
	}
	return -1
}

// utf16Escape is the \u and four digits that b begins with; 0 if it does not.
func utf16Escape(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}

// misread is the error of plainText for what stands between quotes, of which the first is at a place of the line; msg is for what it has no words for.
func misread(err error, at int, msg string) error {
	e := *err.(*jsonError) // as all of them are
	if e.at += at + 1; e.msg == "" {
		e.at, e.msg = at, msg
	}
	return &e
}
