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
	{"\x1f\x8b", "compressed by gzip", "unpack it first: gzip -d", nil},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it first: zstd -d", nil},
	{"\xfd7zXZ\x00", "compressed by xz", "unpack it first: xz -d", nil},
	{"BZh", "compressed by bzip2", "unpack it first: bzip2 -d", nil},
	{"PK\x03\x04", "a zip archive", "unpack it first: unzip", nil},
	{"PAR1", "a Parquet file", "name it .parquet", formatParquet},
	{"ARROW1", "an Arrow file", "name it .arrow", formatArrow},
	{"\x93NUMPY", "an NPY file", "name it .npy", formatNPY},
	{"\x89HDF\r\n", "an HDF5 file", "write it as Parquet, Arrow, NPY or CSV", nil},
	{"SQLite format 3", "an SQLite database", "write its table as Parquet, Arrow or CSV", nil},
}

// headBytes are as many as tell text from other bytes.
const headBytes = 512

// checkMagic refuses a file that begins as one of another format does.
func checkMagic(in *input) error {
	head := make([]byte, min(in.size, headBytes))
	if err := in.readAt(head, 0); err != nil {
		return err
	}
	ext := extension(in.path)
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begin)) && m.format != formats[ext] {
			e := fail(in.path, "the file is %s, and its name says %s", m.what, ext)
			e.Help = m.help
			return e
		}
	}
	if formats[ext] != formatCSV && bytes.IndexByte(head, '\n') > 0 && isText(head) {
		e := fail(in.path, "the file is text, and its name says %s", ext)
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
