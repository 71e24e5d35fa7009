package data

import (
	"bytes"
	"path/filepath"
	"slices"
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
	formatLines   = &format{openLines, writeLines}
)

// formatNames are what `?format=` takes.
var formatNames = []string{"csv", "jsonl", "npy", "arrow", "parquet"}

// stream is the one extension that is only read: what is written says at its end where its batches are.
const stream = ".arrows"

// formats has them by extension.
var formats = map[string]*format{
	".npy":     formatNPY,
	".csv":     formatCSV,
	".tsv":     formatCSV,
	".jsonl":   formatLines,
	".ndjson":  formatLines,
	".json":    formatLines,
	".arrow":   formatArrow,
	".feather": formatArrow,
	".ipc":     formatArrow,
	stream:     formatArrow,
	".parquet": formatParquet,
}

// packedNames are endings of compressed files, of which the ending before says the format.
var packedNames = []string{".gz", ".gzip", ".zst", ".zstd"}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// inside is the extension of what a file holds once it is unpacked.
func inside(path string) string {
	if ext := extension(path); slices.Contains(packedNames, ext) {
		return extension(path[:len(path)-len(ext)])
	}
	return extension(path)
}

// Reads reports whether a file's name says that it is one that Open reads.
func Reads(path string) bool {
	return formats[inside(path)] != nil || slices.Contains(packedNames, extension(path))
}

// isText reports that a file is read as text: by what was said of it, by its name, or because nothing speaks against it.
func (in *input) isText(begin []byte) bool {
	f := in.named()
	return f == formatCSV || f == formatLines || f == nil && begins(begin) == nil
}

// named is the format that was given or that the name says; nil if nothing does.
func (in *input) named() *format {
	if in.opt.Format != "" {
		return formats["."+in.opt.Format]
	}
	return formats[inside(in.path)]
}

// begins is the format of a file that begins so; nil for text and for what is not known.
func begins(head []byte) *format {
	for _, m := range magics {
		if m.format != nil && bytes.HasPrefix(head, []byte(m.begin)) {
			return m.format
		}
	}
	return nil
}

// startsObject reports text that begins with an object of JSON, or a list of such.
func startsObject(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	list, isList := bytes.CutPrefix(head, []byte("["))
	return bytes.HasPrefix(head, []byte("{")) || isList && bytes.HasPrefix(bytes.TrimLeft(list, " \t\r\n"), []byte("{"))
}

// format finds how the file is read. Where no name says it, its first bytes do: those of standard input, of what was unpacked,
// and of files that are no text.
func (in *input) format() (*format, error) {
	if f := in.named(); f != nil {
		return f, nil
	}
	head := make([]byte, min(in.size, headBytes))
	if err := in.readAt(head, 0); err != nil {
		return nil, err
	}
	if f := begins(head); f != nil {
		return f, nil
	}
	if in.path == Stdin || in.packed != "" {
		if startsObject(head) {
			return formatLines, nil
		}
		return formatCSV, nil
	}
	return nil, &Error{Path: in.path, Row: -1, Msg: "the file's format is not known by its extension",
		Help: "use .npy, .csv, .tsv, .jsonl, .arrow, .feather, .ipc or .parquet, or say what it is: " + in.path + "?format=csv"}
}
