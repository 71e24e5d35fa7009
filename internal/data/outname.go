package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// In: the name of a file that shall be written. Out: its format, or why there is none, before anything is read or computed.

// Writes reports whether a file's name says a format that Write writes.
func Writes(path string) bool { return formats[extension(path)] != nil && extension(path) != stream }

// writerOf is how a file of this name is written.
func writerOf(path string) writer {
	if extension(path) == ".tsv" {
		return writeTSV
	}
	return formats[extension(path)].write
}

// CheckName says why a file of this name is not written. Errors are *Error.
func CheckName(path string) error {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		e := fail(path, "expected the name of a file, found a folder")
		e.Help = "name a file in it: " + filepath.Join(path, "result.parquet")
		return e
	}
	if Writes(path) {
		return nil
	}
	ext := filepath.Ext(path)
	if plain := strings.TrimSuffix(path, ext); slices.Contains(packedNames, strings.ToLower(ext)) && Writes(plain) {
		e := fail(path, "expected the name of a file without compression, found one that ends in %s: files are not compressed when they are written, but for what lies in Parquet", ext)
		e.Help = "write " + plain + ", and compress it afterwards if need be"
		return e
	}
	e := fail(path, "the file's format is not known by its extension")
	if path == "-" {
		e = fail(path, "expected the name of a file: a table is not written to standard output")
	}
	e.Help = "use .npy, .csv, .tsv, .jsonl, .arrow or .parquet"
	return e
}
