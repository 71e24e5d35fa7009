package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// In: the bytes of a gzip file. Out: what its members hold, one after the other. Zeros behind the last one, as tapes and disks
// pad files, are none of it; anything else there is an error that names the byte.

// gzipMembers reads member after member.
type gzipMembers struct {
	from *counter
	in   *bufio.Reader // of from; the decompressor takes nothing of it behind the end of a member
	z    *gzip.Reader
}

func openGzip(from *counter) (io.ReadCloser, error) {
	m := &gzipMembers{from: from, in: bufio.NewReaderSize(from, 1<<16)}
	var err error
	if m.z, err = gzip.NewReader(m.in); err != nil {
		return nil, err
	}
	m.z.Multistream(false)
	return m, nil
}

func (m *gzipMembers) Close() error { return m.z.Close() }

func (m *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if n > 0 && err == io.EOF {
			return n, nil // the end comes with the next call
		}
		if err != io.EOF {
			return n, err
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next member; io.EOF if there is none.
func (m *gzipMembers) next() error {
	begin, err := m.in.Peek(2)
	if err != nil && err != io.EOF {
		return err
	}
	if !bytes.Equal(begin, []byte(gzipBegin)) {
		return m.rest()
	}
	err = m.z.Reset(m.in)
	if err == io.EOF {
		return io.ErrUnexpectedEOF // the member has begun
	}
	m.z.Multistream(false)
	return err
}

// rest reads what is behind the last member.
func (m *gzipMembers) rest() error {
	for {
		at := m.from.n - int64(m.in.Buffered())
		switch b, err := m.in.ReadByte(); {
		case err != nil:
			return err
		case b != 0:
			return &behindEnd{at}
		}
	}
}

// behindEnd says where something is that is no part of a stream.
type behindEnd struct{ at int64 }

func (e *behindEnd) Error() string { return fmt.Sprintf("something behind the end at byte %d", e.at) }
