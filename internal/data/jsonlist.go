package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// In: text of JSON whose objects are the elements of a list, or go over several lines. Out: each object on a line of its own. Memory is a buffer,
// however long the list is. Invariant: bytes of an object stay as they are, but for ends of lines between its parts; what is
// wrong inside of it is found by who reads the lines, and linesFile.where tells where the file has it.

// isObjects reports that text of JSON does not have an object on each line: it begins with a list, or its first object goes on behind the end of its first line.
func isObjects(begin []byte) bool {
	begin = bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\ufeff")), " \t\r\n")
	if len(begin) == 0 || begin[0] != '{' {
		return len(begin) > 0 && begin[0] == '['
	}
	end := bytes.IndexByte(begin, '\n')
	if end < 0 {
		return false
	}
	var n nesting
	for _, b := range begin[:end] {
		n.next(b)
	}
	return n.depth > 0 && !n.text
}

// nesting is how deep in objects and lists a place of JSON is, and whether it is in a text.
type nesting struct {
	depth         int
	text, escaped bool
}

func (n *nesting) next(b byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.text && b == '\\':
		n.escaped = true
	case b == '"':
		n.text = !n.text
	case n.text:
	case b == '{' || b == '[':
		n.depth++
	case b == '}' || b == ']':
		n.depth--
	}
}

// objects reads JSON as lines.
type objects struct {
	path      string
	r         *bufio.Reader
	nesting   // in an object
	line, col int
	list      bool // an element of a list, or what is between two
	wanted    bool // behind a comma
	after     bool // behind an element
	ended     bool // behind the end of the list
	buf       []byte
	err       error
}

func newObjects(path string, r *bufio.Reader) *objects {
	if mark, err := r.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = r.Discard(len(mark)) // which are there
	}
	return &objects{path: path, r: r, line: 1}
}

// Read implements io.Reader.
func (o *objects) Read(p []byte) (int, error) {
	for len(o.buf) < len(p) && o.err == nil {
		var b byte
		if b, o.err = o.r.ReadByte(); o.err == io.EOF {
			o.err = o.end()
		} else if o.err == nil {
			o.err = o.take(b)
		}
	}
	n := copy(p, o.buf)
	o.buf = o.buf[:copy(o.buf, o.buf[n:])]
	if n == 0 {
		return 0, o.err
	}
	return n, nil
}

// take goes on by a byte.
func (o *objects) take(b byte) error {
	if o.col++; b == '\n' {
		o.line, o.col = o.line+1, 0
	}
	if o.depth == 0 {
		return o.between(b)
	}
	o.next(b)
	switch {
	case (b == '\n' || b == '\r') && o.text:
		return o.fail("expected the end of a text, found the end of the line")
	case b == '\n' || b == '\r':
		b = spaced(b)
	}
	if o.buf = append(o.buf, b); o.depth == 0 {
		o.buf, o.after, o.wanted = append(o.buf, '\n'), true, false
	}
	return nil
}

// spaced is what stands for a sign that is none of a row's: see linesFile.where.
func spaced(b byte) byte {
	if b == '\n' {
		return '\r'
	}
	return ' '
}

// between takes a byte that is in no object.
func (o *objects) between(b byte) error {
	if b != '{' {
		o.buf = append(o.buf, spaced(b))
	}
	switch {
	case b == ' ' || b == '\t' || b == '\r' || b == '\n':
	case o.ended:
		return o.fail(fmt.Sprintf("expected nothing behind the end of the list, found %q", b))
	case b == '[' && !o.list && !o.after:
		o.list = true
	case b == ',' && o.list && o.after:
		o.after, o.wanted = false, true
	case b == ']' && o.list && !o.wanted:
		o.ended = true
	case b == '{' && !(o.list && o.after):
		o.next(b)
		o.buf = append(o.buf, b)
	case o.list && o.after:
		return o.fail(fmt.Sprintf("expected `,` or the end of the list, found %q", b))
	default:
		return o.fail(fmt.Sprintf("expected an object, { …, found %q", b))
	}
	return nil
}

// end is what the end of the file is: io.EOF, or an error.
func (o *objects) end() error {
	if o.depth > 0 || o.list && !o.ended {
		return o.fail("expected the end of what begins before it, found the end of the file")
	}
	return io.EOF
}

func (o *objects) fail(msg string) error {
	return &Error{Path: o.path, Row: -1, Line: o.line, Col: max(1, o.col), Msg: msg,
		Help: "a file of JSON is a list of objects, or objects one after the other"}
}

// listBytes are as many as show the end of the first line, where it has one.
const listBytes = 1 << 16

// beginBytes is how many bytes at the beginning of a file say how it is to be read.
func (in *input) beginBytes() int {
	if f := in.named(); f == nil || f == formatLines {
		return listBytes
	}
	return headBytes
}

// isListed reports that a file which begins so is read as JSON, and has no object on each line.
func (in *input) isListed(begin []byte) bool {
	f := in.named()
	return (f == formatLines || f == nil && begins(begin) == nil && startsObject(begin)) && isObjects(begin)
}
