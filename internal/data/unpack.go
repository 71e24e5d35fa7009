package data

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// In: a file that is compressed, or text in another encoding than UTF-8, or a list of JSON, or what cannot be read at any place, as a pipe. Out: a
// file without a name that holds its plain bytes, which goes with its descriptor. What is in memory meanwhile is a window
// of the decompressor: at most unpackWindow. A stream that ends too early, is damaged or grows without
// measure is an error that says at which byte.

const (
	unpackWindow = 128 << 20
	// A stream may grow to unpackRatio times its length, which is more than deflate can, and unpackFree more.
	unpackRatio = 1100
	unpackFree  = 64 << 20
)

const gzipBegin = "\x1f\x8b"

// compressions are the streams that are unpacked, by how they begin.
var compressions = []struct {
	begin, name string
	open        func(*counter) (io.ReadCloser, error)
}{
	{gzipBegin, "gzip", openGzip},
	{"\x28\xb5\x2f\xfd", "zstd", func(from *counter) (io.ReadCloser, error) {
		d, err := zstd.NewReader(bufio.NewReaderSize(from, 1<<16), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(unpackWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
}

// plain gives the file of in, or another one with its plain bytes, which it owns then.
func (in *input) plain() error {
	begins := in.beginBytes()
	head := make([]byte, min(in.size, int64(begins)))
	if err := in.readAt(head, 0); err != nil {
		return err
	}
	r := &unpacker{path: in.path, from: &counter{r: io.NewSectionReader(in.file, 0, in.size)}, packed: in.size}
	var first io.Reader = r.from
	for i := range compressions {
		c := &compressions[i]
		if !bytes.HasPrefix(head, []byte(c.begin)) {
			continue
		}
		z, err := c.open(r.from)
		if err != nil {
			r.name = c.name
			return r.failed(err)
		}
		defer z.Close()
		r.name, r.z, first = c.name, z, r
	}
	if r.z == nil && slices.Contains(packedNames, extension(in.path)) {
		e := fail(in.path, "its name says %s, and it does not begin as such a file does", extension(in.path))
		e.Help = "write or copy the file again, or leave the ending out if it is not compressed"
		return e
	}
	if r.z == nil && recoder(head, &in.opt) == nil && !in.isListed(head) {
		return nil
	}
	text := bufio.NewReaderSize(first, 1<<16)
	begin, err := text.Peek(begins)
	if err != nil && err != io.EOF {
		return err
	}
	var plain io.Reader = text
	recode := recoder(begin, &in.opt)
	switch is := in.isText(begin); {
	case recode != nil && is:
		plain = recode(in.path, text)
	case in.opt.Encoding != "" && !is:
		e := fail(in.path, "an encoding was given, and the file is no text")
		e.Help = "leave ?encoding= out"
		return e
	case r.z == nil && !in.isListed(begin):
		return nil
	}
	if recode != nil {
		text = bufio.NewReaderSize(plain, 1<<16)
		if begin, err = text.Peek(begins); err != nil && err != io.EOF {
			return err
		}
	}
	if in.isListed(begin) {
		plain, in.listed = newObjects(in.path, text), true
	} else if recode != nil {
		plain = text
	}
	f, n, err := spooled(in.path, plain)
	if err != nil {
		return err
	}
	if err := in.Unchanged(); err != nil { // before what was read of it is relied on
		f.Close()
		return err
	}
	in.file.Close()
	in.file, in.size, in.packed = f, n, r.name
	in.copied = true
	return nil
}

// spooled copies r to a file without a name.
func spooled(path string, r io.Reader) (f *os.File, n int64, err error) {
	f, err = os.CreateTemp("", "godwit-*")
	if err != nil {
		return nil, 0, noRoom(path, err)
	}
	if err = os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, 0, noRoom(path, err)
	}
	w := &watchedWriter{w: f}
	n, err = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, 1<<18))
	if err == nil {
		return readOnly(f), n, nil
	}
	f.Close()
	var known *Error
	switch {
	case w.err != nil:
		err = noRoom(path, w.err)
	case !errors.As(err, &known):
		err = systemError(path, err)
	}
	return nil, 0, err
}

// readOnly gives f as a file that nobody can write to, so that it can be mapped under a lease, and f itself where that is not possible.
func readOnly(f *os.File) *os.File {
	r, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return f
	}
	f.Close()
	return r
}

func noRoom(path string, err error) *Error {
	return &Error{Path: path, Row: -1, Msg: "its plain bytes cannot be put into a file: " + err.Error(), Err: err,
		Help: "what is compressed, or comes from a pipe, is unpacked into a file in " + os.TempDir() + ": make room there, or set TMPDIR to a folder with more"}
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacker reads what a compressed stream holds.
type unpacker struct {
	path, name string
	from       *counter
	z          io.Reader
	packed, n  int64
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	u.n += int64(n)
	if u.n > unpackFree+unpackRatio*u.packed {
		e := fail(u.path, "the %s stream of %d bytes holds more than %d bytes at byte %d of it: it grows without measure", u.name, u.packed, u.n, u.from.n)
		e.Help = "if it is meant so, unpack it first: " + u.name + " -d"
		return n, e
	}
	if err != nil && err != io.EOF {
		err = u.failed(err)
	}
	return n, err
}

func (u *unpacker) failed(err error) error {
	var behind *behindEnd
	if errors.As(err, &behind) {
		e := fail(u.path, "expected the end of the file behind that of the %s stream, found something else at byte %d of %d", u.name, behind.at, u.packed)
		e.Help, e.Err = fmt.Sprintf("take the first %d bytes, as with head -c %d, or write or copy the file again", behind.at, behind.at), err
		return e
	}
	e := fail(u.path, "the %s stream is damaged at or before byte %d of %d, after %d bytes of text: %v", u.name, u.from.n, u.packed, u.n, err)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		e.Msg = fmt.Sprintf("the %s stream is cut short: it has %d bytes, and ends after %d unpacked ones", u.name, u.packed, u.n)
	}
	e.Help, e.Err = "write or copy the file again", err
	return e
}
