package data

import (
	"bytes"
	"unicode/utf8"
)

// In: the first bytes of a file and its extension. Out: an error if they are those of another
// format, which says what the file is.

// magics are how files of other formats begin, and of those that Open knows.
var magics = []struct {
	begin, what, help string
	format            *format
}{
	{"\xfd7zXZ\x00", "compressed by xz", "unpack it first: xz -d", nil},
	{"BZh", "compressed by bzip2", "unpack it first: bzip2 -d", nil},
	{"PK\x03\x04", "a zip archive", "unpack it first: unzip", nil},
	{"PAR1", "a Parquet file", "name it .parquet", formatParquet},
	{"ARROW1", "an Arrow file", "name it .arrow", formatArrow},
	{"\xff\xff\xff\xff", "a stream of Arrow batches", "name it .arrows", formatArrow},
	{"\x93NUMPY", "an NPY file", "name it .npy", formatNPY},
	{"\x89HDF\r\n", "an HDF5 file", "write it as Parquet, Arrow, NPY or CSV", nil},
	{"SQLite format 3", "an SQLite database", "write its table as Parquet, Arrow or CSV", nil},
}

// headBytes are as many as tell text from other bytes.
const headBytes = 512

// checkMagic refuses a file that begins as one of another format does.
func checkMagic(in *input, f *format) error {
	head := make([]byte, min(in.size, headBytes))
	if err := in.readAt(head, 0); err != nil {
		return err
	}
	says := "its name says " + inside(in.path)
	if in.opt.Format != "" {
		says = "?format= says " + in.opt.Format
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begin)) && m.format != f {
			e := fail(in.path, "the file is %s, and %s", m.what, says)
			e.Help = m.help
			return e
		}
	}
	if f != formatCSV && f != formatLines && bytes.IndexByte(head, '\n') > 0 && isText(head) {
		e := fail(in.path, "the file is text, and %s", says)
		e.Help = "name it .csv if it has rows of fields with commas"
		return e
	}
	return nil
}

// isText reports bytes that are all of letters, signs and line ends.
func isText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	for cut := range utf8.UTFMax { // a letter may be cut at the end
		if len(head) > cut && utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return false
}
