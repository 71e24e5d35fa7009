package data

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// In: the first bytes of a file and its extension. Out: an error if they are those of another
// format, which says what the file is.

// magics are how files of other formats begin. A name has the extension that Open knows.
var magics = []struct{ begin, what, help string }{
	{"\x1f\x8b", "compressed by gzip", "unpack it first: gzip -d"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it first: zstd -d"},
	{"\xfd7zXZ\x00", "compressed by xz", "unpack it first: xz -d"},
	{"BZh", "compressed by bzip2", "unpack it first: bzip2 -d"},
	{"PK\x03\x04", "a zip archive", "unpack it first: unzip"},
	{"PAR1", "a Parquet file", "name it .parquet"},
	{"ARROW1", "an Arrow file", "name it .arrow"},
	{"\x93NUMPY", "an NPY file", "name it .npy"},
	{"\x89HDF\r\n", "an HDF5 file", "write it as Parquet, Arrow, NPY or CSV"},
	{"SQLite format 3", "an SQLite database", "write its table as Parquet, Arrow or CSV"},
}

// headBytes are as many as tell text from other bytes.
const headBytes = 512

// checkMagic refuses a file that begins as one of another format does.
func checkMagic(in *input) error {
	head := make([]byte, min(in.size, headBytes))
	if err := in.readAt(head, 0); err != nil {
		return err
	}
	ext := strings.ToLower(filepath.Ext(in.path))
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begin)) && !isFormat(m.help, ext) {
			e := fail(in.path, "the file is %s, and its name says %s", m.what, ext)
			e.Help = m.help
			return e
		}
	}
	if ext != ".csv" && bytes.IndexByte(head, '\n') > 0 && isText(head) {
		e := fail(in.path, "the file is text, and its name says %s", ext)
		e.Help = "name it .csv if it has rows of fields with commas"
		return e
	}
	return nil
}

// isFormat reports that a help would give a file the extension that it has. Arrow files have
// several.
func isFormat(help, ext string) bool {
	return help == fmt.Sprint("name it ", ext) || help == "name it .arrow" && ext != ".csv" && ext != ".npy" && ext != ".parquet"
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
