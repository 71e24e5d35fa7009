package data

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// npyBlock is the number of elements in a chunk.
const npyBlock = 1 << 20

// npyFile is an array of any number of dimensions; the first one counts rows.
// See numpy.lib.format for the layout.
type npyFile struct {
	table
	noStatistics
	*input
	data   int64    // offset of the first element
	stored num.Kind // of the elements; dates lie in 64 bits, and are columns of 32
	size   int      // bytes per element
	swap   bool     // stored big-endian
	// missing: some time is NaT.
	missing bool
}

var _ Source = (*npyFile)(nil)

func (s *npyFile) Path() string { return s.input.path }

func openNPY(in *input) (Source, error) {
	text, data, err := npyHeader(in)
	if err != nil {
		return nil, err
	}
	h, err := parseNPYHeader(in.path, text)
	if err != nil {
		return nil, err
	}
	if h.fortran && len(h.shape) > 1 {
		e := fail(in.path, "the array is stored column by column (fortran_order), rows are needed one after another")
		e.Help = "save it in C order: np.save(path, np.ascontiguousarray(a))"
		return nil, e
	}
	means, descr := npyMeaning(h.descr)
	kind, swap, err := npyKind(in.path, descr)
	if err != nil {
		return nil, err
	}
	rows, dims := int64(1), []int64(nil)
	if len(h.shape) > 0 {
		rows, dims = h.shape[0], h.shape[1:]
	}
	if len(dims) == 0 {
		dims = nil
	}
	need, ok := sizeOf(rows, dims, kind)
	if !ok {
		return nil, fail(in.path, "the shape %v is too large", h.shape)
	}
	if in.size < data+need {
		e := cutShort(in.path, data+need, in.size)
		e.Msg += " (the shape is " + npyShape(h.shape) + " of " + h.descr + ")"
		return nil, e
	}
	col := Column{Kind: npyDays(kind, means), Stored: h.descr, Dims: dims, Means: means}
	s := &npyFile{
		table:        table{name: in.path, format: "npy", rows: rows, cols: []Column{col}, chunks: evenChunks(rows, col.Width(), npyBlock)},
		noStatistics: noStatistics{in.path}, input: in, data: data, stored: kind, size: kind.Size(), swap: swap,
	}
	if means.IsTime() {
		err = s.findMissing()
	}
	return s, err
}

// npyHeader reads the text of the header and the offset of the data.
func npyHeader(in *input) (text string, data int64, err error) {
	var pre [12]byte
	n := min(in.size, 10)
	if err := in.readAt(pre[:n], 0); err != nil {
		return "", 0, err
	}
	if k := min(n, 6); string(pre[:k]) != "\x93NUMPY"[:k] {
		return "", 0, fail(in.path, "this is not an NPY file: it begins with %q", pre[:k])
	}
	if n < 10 {
		return "", 0, cutShort(in.path, 10, in.size)
	}
	start, length := int64(10), int64(binary.LittleEndian.Uint16(pre[8:]))
	switch major := pre[6]; {
	case major == 1:
	case major == 2 || major == 3:
		if err := in.readAt(pre[:12], 0); err != nil {
			return "", 0, err
		}
		start, length = 12, int64(binary.LittleEndian.Uint32(pre[8:]))
	default:
		return "", 0, fail(in.path, "NPY version %d.%d is not known; versions 1 to 3 are", major, pre[7])
	}
	if in.size < start+length {
		return "", 0, cutShort(in.path, start+length, in.size)
	}
	if length > 1<<20 {
		return "", 0, fail(in.path, "the NPY header has %d bytes, at most %d are expected", length, 1<<20)
	}
	b := make([]byte, length)
	err = in.readAt(b, start)
	return string(b), start + length, err
}

var npyKinds = map[string]num.Kind{
	"b1": num.Bool, "i1": num.I8, "i2": num.I16, "i4": num.I32, "i8": num.I64,
	"u1": num.U8, "u2": num.U16, "u4": num.U32, "u8": num.U64, "f4": num.F32, "f8": num.F64,
}

// npyKind finds the kind of a dtype such as "<f4", and whether its bytes are
// stored big-endian.
func npyKind(path, descr string) (num.Kind, bool, error) {
	order, code := byte('|'), descr
	if descr != "" && strings.IndexByte("<>|=", descr[0]) >= 0 {
		order, code = descr[0], descr[1:]
	}
	if k, ok := npyKinds[code]; ok {
		return k, order == '>' && k.Size() > 1, nil
	}
	what, help := npyRefused(descr, code)
	e := fail(path, "the type %q is not supported: %s", descr, what)
	e.Help = help
	return num.Invalid, false, e
}

func (s *npyFile) Raw(column int) (Raw, bool) {
	// A bool's byte may be any in a file, but only 0 or 1 in memory.
	if column != 0 || s.swap || s.missing || s.stored == num.Bool || s.stored != s.cols[0].Kind {
		return Raw{}, false
	}
	n, _ := sizeOf(s.rows, s.cols[0].Dims, s.cols[0].Kind)
	return Raw{File: s.file, Offset: s.data, Length: n}, true
}

func (s *npyFile) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	c, err := checkFill(s, chunk, wants, dst)
	if err != nil {
		return 0, err
	}
	var read int64
	for i, w := range prepared(s.cols, wants) {
		w = s.days(w)
		n, err := s.fill(ctx, c, w, dst[i])
		read += n
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// scratch buffers keep what is converted in the cache.
const scratchSize = 1 << 18

var scratch = sync.Pool{New: func() any { b := make([]byte, scratchSize); return &b }}

func (s *npyFile) fill(ctx context.Context, c Chunk, w Want, dst Dest) (int64, error) {
	if s.missing {
		return s.fillMissing(ctx, c, w, dst)
	}
	if w.Option {
		fillOnes(dst.Valid)
	}
	out := dst.Values
	width := s.cols[0].Width()
	off := s.data + c.Lo*width*int64(s.size)
	left := c.Rows() * width * int64(s.size)
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	done := int64(0) // bytes of the file
	for done < left {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		part := (*buf)[:min(left-done, scratchSize)]
		if err := s.readAt(part, off+done); err != nil {
			return done, err
		}
		if s.swap {
			swapBytes(part, s.size)
		}
		first := done / int64(s.size)
		if bad := convert(out[first*int64(w.Kind.Size()):], w, part, s.stored); bad >= 0 {
			row := c.Lo + (first+int64(bad))/width
			return done, misfit(s.path(), row, "", w, valueAt(part, s.stored, bad))
		}
		done += int64(len(part))
	}
	return done, nil
}

func (s *npyFile) path() string { return s.input.path }

func npyShape(shape []int64) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, n := range slices.All(shape) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(decimal(n))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}
