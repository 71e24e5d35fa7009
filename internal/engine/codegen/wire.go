package codegen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A frame is the length of a message, four bytes, and the message. All integers are
// little endian. Strings and bytes have their length before them, four bytes.
//
//	request  version u8, kind u8, id u64, form u8, flags u8, vector bytes u16,
//	         arch, cpu, features, source
//	answer   version u8, id u64, status u8, microseconds u64, body
//
// The first request to a child is for its Info, so that the version is settled
// before anything else.
const (
	wireVersion = 1
	maxFrame    = 64 << 20
)

type kind uint8

const (
	askInfo kind = iota + 1
	askCompile
)

type status uint8

const (
	done    status = iota + 1 // the body is Info as JSON, or the object
	refused                   // the body is the text of a SourceError
	missing                   // the body says why there is no LLVM
)

const (
	flagOptimise = 1 << iota
	flagAssembly
)

type request struct {
	kind kind
	id   uint64
	job  Job // its target resolved
}

type answer struct {
	id     uint64
	status status
	micros int64
	body   []byte
}

func (r *request) append(b []byte) []byte {
	var flags byte
	if r.job.Optimise {
		flags |= flagOptimise
	}
	if r.job.Assembly {
		flags |= flagAssembly
	}
	b = append(b, wireVersion, byte(r.kind))
	b = binary.LittleEndian.AppendUint64(b, r.id)
	b = append(b, byte(r.job.Form), flags)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.job.Target.VectorBytes))
	b = appendBytes(b, r.job.Target.Arch)
	b = appendBytes(b, r.job.Target.CPU)
	b = appendBytes(b, r.job.Target.Features)
	return appendBytes(b, r.job.Source)
}

func readRequest(b []byte) (*request, error) {
	f := fields{rest: b}
	f.version()
	r := &request{kind: kind(f.u8()), id: f.u64()}
	r.job.Form = Form(f.u8())
	flags := f.u8()
	r.job.Optimise, r.job.Assembly = flags&flagOptimise != 0, flags&flagAssembly != 0
	r.job.Target.VectorBytes = int(f.u16())
	r.job.Target.Arch, r.job.Target.CPU, r.job.Target.Features = string(f.bytes()), string(f.bytes()), string(f.bytes())
	r.job.Source = f.bytes()
	return r, f.end("request")
}

func (a *answer) append(b []byte) []byte {
	b = append(b, wireVersion)
	b = binary.LittleEndian.AppendUint64(b, a.id)
	b = append(b, byte(a.status))
	b = binary.LittleEndian.AppendUint64(b, uint64(a.micros))
	return appendBytes(b, a.body)
}

func readAnswer(b []byte) (*answer, error) {
	f := fields{rest: b}
	f.version()
	a := &answer{id: f.u64(), status: status(f.u8()), micros: int64(f.u64()), body: f.bytes()}
	return a, f.end("answer")
}

func appendBytes[T string | []byte](b []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// fields reads a message from its start; after the first error it gives zeros.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) take(n uint32) []byte {
	if uint64(n) > uint64(len(f.rest)) {
		if f.err == nil {
			f.err = fmt.Errorf("expected %d bytes more, found %d", n, len(f.rest))
		}
		f.rest = nil
		return make([]byte, min(n, 8))
	}
	b := f.rest[:n:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) u8() uint8   { return f.take(1)[0] }
func (f *fields) u16() uint16 { return binary.LittleEndian.Uint16(f.take(2)) }
func (f *fields) u64() uint64 { return binary.LittleEndian.Uint64(f.take(8)) }

func (f *fields) bytes() []byte {
	b := f.take(binary.LittleEndian.Uint32(f.take(4)))
	if f.err != nil {
		return nil
	}
	return b
}

func (f *fields) version() {
	if v := f.u8(); v != wireVersion && f.err == nil {
		f.err = fmt.Errorf("version %d, expected %d: the compiler's process is another build of this program", v, wireVersion)
	}
}

func (f *fields) end(what string) error {
	if f.err == nil && len(f.rest) > 0 {
		f.err = fmt.Errorf("%d bytes after its end", len(f.rest))
	}
	if f.err != nil {
		return fmt.Errorf("damaged %s: %w", what, f.err)
	}
	return nil
}

// writeFrame sends a message with one write.
func writeFrame(w io.Writer, message func([]byte) []byte) error {
	b := message(make([]byte, 4, 4096))
	if len(b)-4 > maxFrame {
		return fmt.Errorf("a message of %d bytes, expected at most %d", len(b)-4, maxFrame)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	_, err := w.Write(b)
	return err
}

// readFrame gives io.EOF only at the border of two frames.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes, expected at most %d", n, maxFrame)
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}
