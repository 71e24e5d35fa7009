// Package data reads and writes the files that hold Godwit's arrays: NPY,
// CSV, JSON lines, Arrow IPC and Parquet, one or many, and arrays that already lie in memory.
//
// A [Source] is a table of columns cut into chunks of rows. [Source.Fill]
// decodes any chunk, from any goroutine, straight into memory that the caller
// owns, in the kind that the program declared. Nothing here trusts a file:
// whatever its bytes, the result is an [Error] that says what was expected,
// what was found and where.
package data

import (
	"context"
	"io"
	"os"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Column describes one column of a source. Rows are the first dimension.
type Column struct {
	Name     string   // "" for a single column without a name, as that of an NPY file
	Kind     num.Kind // stored kind; Invalid for strings and other types that Godwit cannot compute with
	Stored   string   // the file's own name of the type, for messages: "utf8", "<f4", "int64"
	Dims     []int64  // inner dimensions of a row; nil for scalars
	Nullable bool     // nulls may occur
	// Means is what the stored values stand for. A column of text has no Kind: see Encode.
	Means meaning.Meaning
	// Wider: the type is one of decimals of more digits than Means has.
	Wider bool
	// Unknown: no row has a value, and the file does not say what values would be.
	Unknown bool
	// Blank, of text or Unknown: every missing value is a field that CSV leaves empty, which is the empty text where no Option is asked for.
	Blank bool
}

// Type is the type of a row in the language's words; of what Godwit cannot compute with, the
// file's own name of it.
func (c *Column) Type() string {
	if c.Means.Sort != meaning.None {
		return meantName(c)
	}
	if c.Kind == num.Invalid {
		return c.Stored
	}
	return num.TypeName(c.Kind, c.Dims, c.Nullable)
}

// Width is the number of elements in one row: the product of Dims.
func (c *Column) Width() int64 {
	w := int64(1)
	for _, d := range c.Dims {
		w *= d
	}
	return w
}

// Chunk is a run of rows [Lo, Hi) that is decoded as a unit: a Parquet row
// group, an Arrow batch, a block of CSV text, a block of NPY elements.
type Chunk struct{ Lo, Hi int64 }

// Rows is the number of rows of the chunk.
func (c Chunk) Rows() int64 { return c.Hi - c.Lo }

// Want asks for one column in the form that the program needs.
type Want struct {
	Column int      // index into Source.Columns
	Kind   num.Kind // see converts; CSV text parses as any kind
	Option bool     // nulls are allowed and reported in Dest.Valid; otherwise a null is an error that names its row
	// Presence, beside Option: only Valid matters, and Values may hold anything.
	Presence bool
	Blanks   Blanks // what missing values of text are
	Bound    int64  // if > 0, integer values must lie in [0, Bound): the first offender is named
	// Means is what the values shall stand for, in its kind; the zero value takes them as they are counted.
	Means meaning.Meaning

	from  meaning.Meaning // what is stored
	scale meaning.Scale   // from stored values to Means
}

// Dest is where Fill puts the rows of one Want. Values holds
// rows × width × Kind.Size() bytes, little-endian, and should be aligned to
// the kind's size. Valid holds one byte per row, 1 for a value and 0 for a
// null (whose Values are zero); it is used only if Want.Option.
type Dest struct{ Values, Valid []byte }

// Source is a table that can be read by chunks. Its methods are safe for
// concurrent use until Close.
type Source interface {
	// Path is the file's path as given to Open, or the name of a memory source.
	Path() string
	// Format is "npy", "csv", "jsonl", "arrow", "parquet" or "memory".
	Format() string
	Rows() int64
	Columns() []Column
	// Chunks are ascending, contiguous and cover [0, Rows).
	Chunks() []Chunk
	// Fill decodes the rows of a chunk into dst, one Dest per Want, and
	// returns the number of bytes that it read from storage.
	Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (bytesRead int64, err error)
	// Raw says where a column's values lie for all rows: contiguous,
	// little-endian, uncompressed, without nulls, ready to be mapped.
	Raw(column int) (Raw, bool)
	// Prune reports for each chunk whether statistics prove that no row of
	// it satisfies every predicate; nil when nothing can be told.
	Prune(preds []Pred) []bool
	// FillPruned fills a chunk that Prune reported without decoding it: the
	// column whose predicate fails gets a value that fails it too, other
	// columns get zeros, Valid is 1. A column is still decoded if its
	// statistics do not prove that Fill would accept it, so that pruning
	// never hides an error.
	FillPruned(chunk int, preds []Pred, wants []Want, dst []Dest) error
	// Unchanged gives a *ChangedError if the file was written to since it was
	// opened, to the resolution of the file system's clock.
	Unchanged() error
	Close() error
}

// Ahead is a source that takes a while to come by its rows, and can do so before they are wanted.
type Ahead interface {
	Source
	// Soon says that Fill will be called for these wants, unless the context ends before. It does not wait.
	Soon(ctx context.Context, chunk int, wants []Want)
}

// PredOp is a comparison of a column (left) with a constant (right).
type PredOp uint8

// The comparisons, as in `column < constant`.
const (
	Lt PredOp = iota
	Le
	Gt
	Ge
	Eq
	Ne
)

// Pred is a comparison that a program makes on every row of a column. A null
// never decides it: chunks in which the column has nulls are not pruned.
type Pred struct {
	Column  int
	Op      PredOp
	Int     int64
	Float   float64
	IsFloat bool // compare with Float, otherwise with Int
}

// opener reads what a format needs to know before any row is decoded. It
// owns the file that it is given, and closes it on an error.
type opener func(in *input) (Source, error)

// Open opens a file as a source. The format follows from the extension: .npy, .csv, .tsv, .jsonl,
// .arrow, .feather, .ipc, .arrows or .parquet; one of .gz or .zst may follow. Errors are *Error.
func Open(path string) (Source, error) { return OpenWith(path, Options{}) }

// OpenWith is Open for a file of which more is known than its name.
func OpenWith(path string, opt Options) (Source, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, notThere(path, err)
	}
	return OpenFile(path, f, opt)
}

// OpenFile is OpenWith for a file that is open already, which may have no name in
// the file system; path is what it is called, and says the format. The file is
// the source's from now on, also after an error.
func OpenFile(path string, f *os.File, opt Options) (src Source, err error) {
	in, err := newInput(path, f, opt)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			in.Close()
			src = nil
		}
	}()
	defer guard(path, &err)
	if err := in.plain(); err != nil {
		return nil, err
	}
	format, err := in.format()
	if err != nil {
		return nil, err
	}
	if err := checkMagic(in, format); err != nil {
		return nil, err
	}
	if foreign := opt.foreign(format == formatLines); len(foreign) > 0 && format != formatCSV {
		e := fail(path, "options were given that only CSV has, and the file is none: %s", listed(foreign))
		e.Help = "leave them out; a program's record says what columns are, also as a date or a decimal"
		if format == formatLines {
			e.Help += ", and `?text=` that they are text, whatever stands there"
		}
		e.Help += "; or `godwit convert` writes the file as CSV, which has them"
		return nil, e
	}
	if src, err = format.open(in); err == nil {
		nameAll(src.Columns())
	}
	return src, err
}

// OpenChecked opens an Arrow file whose bytes are compared with their checksums when
// they are read, those that say what the file holds included. The file is the source's
// from now on, also after an error.
func OpenChecked(path string, f *os.File, c *Checked) (src Parked, err error) {
	in, err := newInput(path, f, Options{})
	if err != nil {
		return nil, err
	}
	in.check, in.size = c, c.sums.Size
	defer func() {
		if err != nil {
			in.Close()
			src = nil
		}
	}()
	defer guard(path, &err)
	s, err := openArrow(in)
	if err != nil {
		return nil, err
	}
	return s.(*arrowFile), nil
}

// Raw is a run of bytes that holds a column: a part of a file, or Bytes for a
// memory source. The file stays the source's; it is valid until Close. To read from it is
// ReadAt's business; it is there to be mapped.
type Raw struct {
	File           *os.File
	Offset, Length int64
	Bytes          []byte
	Check          *Checked // compares the file with checksums; nil if there are none
	// Pages is the whole file where it is mapped for as long as the source is open, see Parked.Lay; nil if it is not.
	Pages []byte
}

// ReadAt fills p with the column's bytes from off on. It gives io.ErrUnexpectedEOF if
// the file has become too short, or a *DamageError if it has checksums.
func (r Raw) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case r.File == nil:
		return copy(p, r.Bytes[off:]), nil
	case r.Check != nil:
		return r.Check.ReadAt(p, r.Offset+off)
	}
	n := readCached(r.File, p, r.Offset+off)
	if n == len(p) {
		return n, nil
	}
	m, err := r.File.ReadAt(p[n:], r.Offset+off+int64(n))
	if n += m; n == len(p) {
		return n, nil
	}
	if err == io.EOF || err == nil {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
