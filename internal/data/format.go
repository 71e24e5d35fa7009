package data

import (
	"path/filepath"
	"strings"
)

// format is how files of one kind are read and written.
type format struct {
	open  opener
	write writer
}

var (
	formatNPY     = &format{openNPY, writeNPY}
	formatCSV     = &format{openCSV, writeCSV}
	formatArrow   = &format{openArrow, writeArrow}
	formatParquet = &format{openParquet, writeParquet}
)

// stream is the one extension that is only read: what is written says at its end where its batches are.
const stream = ".arrows"

// formats has them by extension.
var formats = map[string]*format{
	".npy":     formatNPY,
	".csv":     formatCSV,
	".arrow":   formatArrow,
	".feather": formatArrow,
	".ipc":     formatArrow,
	stream:     formatArrow,
	".parquet": formatParquet,
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Reads reports whether a file's name says a format that Open reads.
func Reads(path string) bool { return formats[extension(path)] != nil }

// Writes reports whether a file's name says a format that Write writes.
func Writes(path string) bool { return Reads(path) && extension(path) != stream }
